import WireConfig
import WireDeviceContract

/// A device in HALO's JSON.
struct HaloDevice: Sendable, Equatable {
    var id: String?
    /// The number of the app at the server.
    var appID: Int?
    var email: String?
    var alias: String?
    var tokens: [DeviceToken] = []
    var tags: [DeviceTag] = []
    /// Milliseconds since 1970.
    var created: Int64?
    var updated: Int64?

    private static let custom = "000000000000000000000002"
    private static let system = "000000000000000000000001"

    /// The body of a request: POST for a new device, PUT for a known one, whose tokens then replace all others.
    func body(replacingTokens: Bool) -> [UInt8] {
        let json = JSONValue.members([
            "id": id.map(JSONValue.string), "appId": appID.map(JSONValue.integer),
            "email": email.map(JSONValue.string), "alias": alias.map(JSONValue.string),
            "devices": .array(
                tokens.map { .members(["platform": .string($0.platform), "token": .string($0.token)]) }
            ),
            "tags": .array(
                tags.map { tag in
                    .members([
                        "id": tag.id.map(JSONValue.string), "name": .string(tag.name),
                        "value": tag.value.map(JSONValue.string),
                        "tagType": .string(tag.kind == .system ? Self.system : Self.custom),
                    ])
                }
            ),
            "createdAt": created.map { .integer(Int($0)) }, "updatedAt": updated.map { .integer(Int($0)) },
            "replaceTokens": replacingTokens ? .boolean(true) : nil,
        ])
        return json.bytes()
    }

    /// Reads the device in a response; nil for other bodies.
    ///
    /// Servers omit empty members or write `null`, ids may be numbers, times fractions or text, and values of tags
    /// anything but objects.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "device"), json.members != nil,
            let id = json["id"]?.name, (1...Self.longestID).contains(id.utf8.count)
        else { return nil }
        self.id = id
        appID = json["appId"]?.integer
        email = json["email"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        alias = json["alias"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        tokens = (json["devices"]?.array ?? []).compactMap { device in
            guard let platform = device["platform"]?.string, let token = device["token"]?.string, !token.isEmpty else {
                return nil
            }
            return DeviceToken(platform: platform, token: token)
        }
        for tag in json["tags"]?.array ?? [] {
            guard let name = tag["name"]?.string, !name.isEmpty else { continue }
            let kind: DeviceTag.Kind = tag["tagType"]?.name == Self.system ? .system : .custom
            // The later of two tags of the same name counts.
            tags.removeAll { $0.name == name }
            tags.append(DeviceTag(name, tag["value"]?.name, kind: kind, id: tag["id"]?.name))
        }
        (created, updated) = (json["createdAt"]?.moment, json["updatedAt"]?.moment)
    }

    init() {}

    private static let longestID = 128
}

extension JSONValue {
    /// A name or a value that is a text, a number or a boolean.
    fileprivate var name: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .decimal(let text): text
        case .boolean(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// Milliseconds, in any form.
    fileprivate var moment: Int64? {
        switch self {
        case .integer(let number): Int64(number)
        case .number(let number): number.magnitude < 9e15 ? Int64(number) : nil
        case .string(let text): Int64(text)
        case .null, .boolean, .decimal, .array, .object: nil
        }
    }
}
