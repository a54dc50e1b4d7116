import WireBase
import WireConfig
import WireHTTP

/// A message to send, from the body of `/rest/sender`.
struct UnifiedPushOrder: Sendable {
    /// The recipients: every present field must match with one of its values.
    struct Criteria: Sendable {
        var variants: [String]?
        var aliases: [String]?
        var deviceTypes: [String]?
        var categories: [String]?

        /// Whether a variant matches; unknown variants in the order are ignored.
        func wants(variant: String) -> Bool { variants.map { $0.isEmpty || $0.contains(variant) } ?? true }

        func wants(_ device: Installation) -> Bool {
            func isAny(_ wanted: [String]?, of found: [String]) -> Bool {
                guard let wanted, !wanted.isEmpty else { return true }
                return found.contains { wanted.contains($0) }
            }
            return isAny(aliases, of: [device.alias].compactMap(\.self))
                && isAny(deviceTypes, of: [device.deviceType].compactMap(\.self))
                && isAny(categories, of: device.categories)
        }
    }

    struct Message: Sendable {
        var alert: String?
        var sound: String?
        /// The badge; below zero to leave it unchanged.
        var badge = -1
        var data: [(key: String, value: JSONValue)] = []
        var apple = Apple()
    }

    /// The members for APNs only.
    struct Apple: Sendable {
        var title: String?
        var action: String?
        var category: String?
        /// The localization keys with their arguments.
        var localization: [(key: String, value: JSONValue)] = []
        var urlArguments: [String]?
        var isContentAvailable = false
        var isMutable = false
    }

    var message = Message()
    var criteria = Criteria()
    /// The lifetime in seconds; the provider's default where nil.
    var lifetime: Int?

    init(_ members: inout JSONMembers) throws(Problem) {
        message = try members.object("message", Message.init) ?? Message()
        criteria = try members.object("criteria", Criteria.init) ?? Criteria()
        let lifetime = try members.object("config") { config throws(Problem) in
            try config.integerIfAny("ttl", in: -1...Int(Int32.max))
        }
        self.lifetime = (lifetime ?? nil).flatMap { $0 < 0 ? nil : $0 }
    }
}

extension UnifiedPushOrder.Criteria {
    fileprivate init(_ members: inout JSONMembers) throws(Problem) {
        variants = try members.texts("variants")
        aliases = try members.texts("alias")
        deviceTypes = try members.texts("deviceType")
        categories = try members.texts("categories")
    }
}

extension UnifiedPushOrder.Message {
    private enum Priority: String, CaseIterable { case normal, high }

    fileprivate init(_ members: inout JSONMembers) throws(Problem) {
        alert = try members.textIfAny("alert")
        sound = try members.textIfAny("sound")
        badge = try members.integerIfAny("badge", in: -1...Int(Int32.max)) ?? -1
        // The priority has no effect: the embedded provider delivers all messages at once.
        _ = try members.word("priority", as: Priority.self)
        _ = try members.textIfAny("consolidationKey")
        let version = try members.textIfAny("simple-push")
        data = try members.object("user-data") { data throws(Problem) in try data.all() } ?? []
        apple = try members.object("apns", UnifiedPushOrder.Apple.init) ?? UnifiedPushOrder.Apple()
        // Members of discontinued platforms.
        _ = try members.value("windows")
        if let version { data.append(("simple-push", .string(version))) }
        if data.contains(where: { ["aps", "aerogear-push-id"].contains($0.key) }) {
            throw members.failure("'aps' and 'aerogear-push-id' are set by the server", "user-data")
        }
    }

    /// The payload as the provider delivers it to a device.
    func payload(for platform: Installation.Platform, id: String) -> JSONValue {
        platform == .ios ? apnsPayload(id) : firebasePayload(id)
    }

    private func apnsPayload(_ id: String) -> JSONValue {
        var alert: [(key: String, value: JSONValue)] = []
        if let title = apple.title { alert.append(("title", .string(title))) }
        if let body = self.alert { alert.append(("body", .string(body))) }
        if let action = apple.action { alert.append(("action", .string(action))) }
        alert += apple.localization
        let aps = JSONValue.members([
            "alert": alert.isEmpty ? nil : .object(alert), "sound": sound.map(JSONValue.string),
            "badge": badge >= 0 ? .integer(badge) : nil, "category": apple.category.map(JSONValue.string),
            "content-available": apple.isContentAvailable ? .integer(1) : nil,
            "mutable-content": apple.isMutable ? .integer(1) : nil,
            "url-args": apple.urlArguments.map { .array($0.map(JSONValue.string)) },
        ])
        return .object([("aps", aps)] + data + [("aerogear-push-id", .string(id))])
    }

    /// The payload for Firebase, which delivers strings only.
    private func firebasePayload(_ id: String) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        if let alert { members.append(("alert", .string(alert))) }
        if let sound { members.append(("sound", .string(sound))) }
        if badge >= 0 { members.append(("badge", .string("\(badge)"))) }
        for (key, value) in data where !["alert", "sound", "badge"].contains(key) {
            members.append((key, value.asPushText))
        }
        members.append(("aerogear-push-id", .string(id)))
        return .members(["data": .object(members)])
    }
}

extension UnifiedPushOrder.Apple {
    fileprivate init(_ members: inout JSONMembers) throws(Problem) {
        title = try members.textIfAny("title")
        action = try members.textIfAny("action")
        category = try members.textIfAny("action-category")
        for (name, key, arguments, argumentsKey) in [
            ("localized-key", "loc-key", "localized-arguments", "loc-args"),
            ("localized-title-key", "title-loc-key", "localized-title-arguments", "title-loc-args"),
        ] {
            if let text = try members.textIfAny(name), !text.isEmpty { localization.append((key, .string(text))) }
            if let texts = try members.texts(arguments), !texts.isEmpty {
                localization.append((argumentsKey, .array(texts.map(JSONValue.string))))
            }
        }
        urlArguments = try members.texts("url-args").flatMap { $0.isEmpty ? nil : $0 }
        isContentAvailable = try members.booleanIfAny("content-available") ?? false
        isMutable = try members.booleanIfAny("mutable-content") ?? false
    }
}

extension JSONValue {
    /// The value as a string.
    var asPushText: JSONValue { .string(string ?? text()) }
}
