import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// A notification that a HALO server sends at once or at a set time.
struct HaloSchedule: Sendable {
    enum State: String, Sendable { case scheduled, sent }

    var id = ""
    var appID = 1
    var name = ""
    /// The time of sending in milliseconds since 1970; at once where nil.
    var sendOn: Int?
    /// The tags a device must have; one without a value matches the name alone.
    var tags: [(name: String, value: String?)] = []
    var aliases: [String] = []
    var notification: [(key: String, value: JSONValue)] = []
    var data: [(key: String, value: JSONValue)] = []
    var state = State.scheduled
    var devices = 0
    var created = 0

    /// The largest number of entries in a list.
    private static let most = 1_000

    // MARK: Parsing

    init(_ members: inout JSONMembers) throws(Problem) {
        appID = try members.integerIfAny("appId") ?? 1
        name = try members.textIfAny("name") ?? ""
        sendOn = try members.integerIfAny("sendOn", in: 0...Int(Int32.max) * 4_000)
        tags =
            try members.objects("filterTags") { tag throws(Problem) in
                for own in ["id", "tagType"] { _ = try tag.value(own) }
                return (name: try tag.text("name"), value: try tag.textIfAny("value"))
            } ?? []
        aliases = try members.texts("aliases") ?? []
        guard name.utf8.count <= 1_000, tags.count <= Self.most, aliases.count <= Self.most else {
            throw members.failure("expected \(Self.most) at most", tags.count > Self.most ? "filterTags" : "aliases")
        }
        let payload = try members.object("payload") { payload throws(Problem) in
            (
                notification: try payload.object("notification", Self.readNotification),
                data: try payload.object("data") { data throws(Problem) in try data.all() }
            )
        }
        guard let payload else { throw members.failure("'payload' is missing", "payload") }
        (notification, data) = (payload.notification ?? [], payload.data ?? [])
        guard !data.contains(where: { $0.key == "aps" || $0.key == "scheduleId" }) else {
            throw members.failure("'aps' and 'scheduleId' are set by the server", "payload")
        }
    }

    private static func readNotification(_ members: inout JSONMembers) throws(Problem) -> [(
        key: String, value: JSONValue
    )] {
        var found: [(key: String, value: JSONValue)] = []
        let texts = ["title", "icon", "body", "sound", "tag", "color", "click_action", "body_loc_key", "title_loc_key"]
        for name in texts {
            if let text = try members.textIfAny(name) { found.append((name, .string(text))) }
        }
        for name in ["body_loc_args", "title_loc_args", "title-loc-args"] {
            guard let texts = try members.texts(name) else { continue }
            found.append((name.replacingStrokes, .array(texts.map(JSONValue.string))))
        }
        // A number, or a string of one.
        switch try members.value("badge") {
        case .integer(let number)? where number >= 0: found.append(("badge", .integer(number)))
        case .string(let text)? where Int(text).map({ $0 >= 0 }) ?? false:
            found.append(("badge", .integer(Int(text) ?? 0)))
        case nil, .null?: break
        default: throw members.failure("expected a whole number from 0 on", "badge")
        }
        return found
    }

    // MARK: Recipients

    /// Whether a device has all tags, and one of the aliases where there are any.
    func wants(_ device: JSONValue) -> Bool {
        let own = device["tags"]?.array ?? []
        return tags.allSatisfy { tag in
            own.contains { known in
                known["name"]?.string == tag.name && (tag.value.map { known["value"]?.string == $0 } ?? true)
            }
        } && (aliases.isEmpty || aliases.contains(device["alias"]?.string ?? ""))
    }

    /// Returns the push provider of a token: apps of both systems have Firebase tokens, iOS also has APNs tokens.
    static func provider(_ platform: String, _ token: String) -> String {
        switch platform.lowercased() {
        case "huawei": "huawei"
        case "apns": "apns"
        case "ios" where Installation.platforms(of: token).first == .ios: "apns"
        default: "firebase"
        }
    }

    /// The payload as the provider delivers it to a device.
    func payload(for provider: String) -> JSONValue {
        let named = data + [("scheduleId", .string(id))]
        if provider == "apns" {
            var alert: [(key: String, value: JSONValue)] = []
            let names = [
                ("title", "title"), ("body", "body"), ("body_loc_key", "loc-key"), ("body_loc_args", "loc-args"),
                ("title_loc_key", "title-loc-key"), ("title_loc_args", "title-loc-args"),
            ]
            for (name, key) in names {
                if let value = member(name) { alert.append((key, value)) }
            }
            let aps = JSONValue.members([
                "alert": alert.isEmpty ? nil : .object(alert), "sound": member("sound"), "badge": member("badge"),
                "category": member("click_action"), "content-available": isSilent ? .integer(1) : nil,
            ])
            return .object([("aps", aps)] + named)
        }
        let texts = JSONValue.object(named.map { ($0.key, $0.value.asPushText) })
        return .members([
            "notification": notification.isEmpty ? nil : .object(notification),
            "data": provider == "huawei" ? .string(texts.text()) : texts,
        ])
    }

    private func member(_ name: String) -> JSONValue? { notification.first { $0.key == name }?.value }

    private var isSilent: Bool {
        switch data.first(where: { $0.key == "content_available" })?.value {
        case .integer(1)?, .boolean(true)?, .string("1")?, .string("true")?: true
        default: false
        }
    }

    // MARK: Storage and API

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let state = json["status"]?.string.flatMap(State.init(rawValue:)),
            let payload = json["payload"]
        else { return nil }
        (self.id, self.state, appID) = (id, state, json["appId"]?.integer ?? 1)
        (name, sendOn) = (json["name"]?.string ?? "", json["sendOn"]?.integer)
        tags = (json["filterTags"]?.array ?? []).compactMap { tag in
            tag["name"]?.string.map { ($0, tag["value"]?.string) }
        }
        aliases = (json["aliases"]?.array ?? []).compactMap(\.string)
        (notification, data) = (payload["notification"]?.members ?? [], payload["data"]?.members ?? [])
        (devices, created) = (json["devices"]?.integer ?? 0, json["createdAt"]?.integer ?? 0)
    }

    var json: JSONValue {
        .members([
            "id": .string(id), "appId": .integer(appID), "name": .string(name),
            "sendOn": sendOn.map(JSONValue.integer) ?? .null,
            "filterTags": .array(
                tags.map { .members(["name": .string($0.name), "value": $0.value.map(JSONValue.string)]) }
            ), "aliases": .array(aliases.map(JSONValue.string)),
            "payload": .members(["notification": .object(notification), "data": .object(data)]),
            "status": .string(state.rawValue), "devices": .integer(devices), "createdAt": .integer(created),
        ])
    }
}

extension String {
    fileprivate var replacingStrokes: String { String(map { $0 == "-" ? "_" : $0 }) }
}
