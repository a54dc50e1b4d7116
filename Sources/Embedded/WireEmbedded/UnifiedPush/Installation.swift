import WireBase
import WireConfig
import WireHTTP
import WirePushContract

/// A device registered at a UnifiedPush Server.
struct Installation: Sendable {
    /// The platform of a variant, derived from the form of its devices' tokens.
    enum Platform: String, Sendable, CaseIterable {
        case ios, android
        case webPush = "web_push"
    }

    var id = ""
    var isEnabled = true
    var token: String
    var deviceType: String?
    var operatingSystem: String?
    var osVersion: String?
    var alias: String?
    var categories: [String] = []
    var platform = Platform.ios

    /// Reads a device from a request; nil where the request has no token.
    static func read(_ members: inout JSONMembers) throws(Problem) -> Installation? {
        let token = try members.textIfAny("deviceToken")
        var device = Installation(token: token ?? "")
        device.isEnabled = try members.booleanIfAny("enabled") ?? true
        device.deviceType = try text("deviceType", in: &members)
        device.operatingSystem = try text("operatingSystem", in: &members)
        device.osVersion = try text("osVersion", in: &members)
        device.alias = try text("alias", in: &members)
        device.categories = try categories(in: &members)
        // Clients send the members back that only the server writes.
        for own in ["id", "platform"] { _ = try members.value(own) }
        return token == nil ? nil : device
    }

    private static func text(_ name: String, in members: inout JSONMembers) throws(Problem) -> String? {
        guard let text = try members.textIfAny(name) else { return nil }
        guard text.utf8.count <= 255 else { throw members.failure("expected 255 bytes at most", name) }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) else {
            throw members.failure("\(name.quoted) contains control characters", name)
        }
        return text
    }

    /// Reads the categories; the iOS SDK sends an empty string for none.
    private static func categories(in members: inout JSONMembers) throws(Problem) -> [String] {
        if case .string("")? = try members.value("categories") { return [] }
        guard let texts = try members.texts("categories") else { return [] }
        guard texts.count <= 100, texts.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
            throw members.failure("expected 100 at most, of 1 to 255 bytes each", "categories")
        }
        var unique: [String] = []
        for text in texts where !unique.contains(text) { unique.append(text) }
        return unique
    }

    // MARK: Tokens

    /// Returns the platforms that a token may belong to, the likeliest first.
    static func platforms(of token: String) -> [Platform] {
        guard token.utf8.count <= 4_096 else { return [] }
        // Without padding it could be one of Android.
        guard WebPushSubscription(token: token) == nil else { return [.webPush] }
        var platforms: [Platform] = []
        let bytes = token.utf8
        if bytes.count >= 64, bytes.allSatisfy({ $0.isHexDigit || $0 == 0x20 || $0 == 0x2d }) { platforms.append(.ios) }
        let isAndroid = bytes.allSatisfy { byte in
            byte.isDigit || byte.isLetter || byte == 0x2d || byte == 0x5f || byte == 0x3a
        }
        if bytes.count >= 100, isAndroid { platforms.append(.android) }
        return platforms
    }

    // MARK: Storage and API

    init(token: String) { self.token = token }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let isEnabled = json["enabled"]?.boolean,
            let token = json["deviceToken"]?.string,
            let platform = json["platform"]?.string.flatMap(Platform.init(rawValue:))
        else { return nil }
        (self.id, self.isEnabled, self.token, self.platform) = (id, isEnabled, token, platform)
        (deviceType, operatingSystem) = (json["deviceType"]?.string, json["operatingSystem"]?.string)
        (osVersion, alias) = (json["osVersion"]?.string, json["alias"]?.string)
        categories = (json["categories"]?.array ?? []).compactMap(\.string)
    }

    var json: JSONValue {
        .members([
            "id": .string(id), "enabled": .boolean(isEnabled), "deviceToken": .string(token),
            "deviceType": .orNull(deviceType), "operatingSystem": .orNull(operatingSystem),
            "osVersion": .orNull(osVersion), "alias": .orNull(alias),
            "categories": .array(categories.map(JSONValue.string)), "platform": .string(platform.rawValue),
        ])
    }
}

extension JSONValue {
    static func orNull(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
