import WireBackends
import WireBase
import WireConfig
import WireHTTP

/// A message to registered devices: its content and its recipients.
struct HealthCloudOrder: Sendable {
    let title: String?
    let body: String?
    let sound: String?
    let badge: Int?
    let image: String?
    let isSilent: Bool
    let data: [(key: String, value: JSONValue)]
    let lifetime: Int?
    private let devices: [String]
    private let users: [String]
    private let providers: [String]

    init(_ members: inout JSONMembers) throws(Problem) {
        title = try members.textIfAny("title")
        body = try members.textIfAny("body")
        sound = try members.textIfAny("sound")
        badge = try members.integerIfAny("badge", in: 0...Int(Int32.max))
        image = try members.textIfAny("image")
        isSilent = try members.booleanIfAny("silent") ?? false
        data = try members.object("data") { data throws(Problem) in try data.all() } ?? []
        lifetime = try members.integerIfAny("ttl", in: 0...Int(Int32.max))
        guard !data.contains(where: { $0.key == "aps" || $0.key == "messageId" }) else {
            throw members.failure("'aps' and 'messageId' are set by the server", "data")
        }
        let target = try members.object("to") { to throws(Problem) in
            (
                devices: try to.texts("deviceIds") ?? [], users: try to.texts("users") ?? [],
                providers: try to.texts("providers") ?? []
            )
        }
        (devices, users, providers) = (target?.devices ?? [], target?.users ?? [], target?.providers ?? [])
    }

    /// Whether a registration matches: one value of each named criterion.
    func wants(_ registration: JSONValue) -> Bool {
        func fits(_ wanted: [String], _ name: String) -> Bool {
            wanted.isEmpty || wanted.contains(registration[name]?.string ?? "")
        }
        return fits(devices, "deviceId") && fits(users, "user") && fits(providers, "provider")
    }

    /// The payload as the provider delivers it to a device.
    func payload(for provider: String, id: String) -> JSONValue {
        let named = data + [("messageId", .string(id))]
        if provider == "apns" {
            let alert = JSONValue.members(["title": title.map(JSONValue.string), "body": body.map(JSONValue.string)])
            let aps = JSONValue.members([
                "alert": isSilent ? nil : alert, "sound": isSilent ? nil : sound.map(JSONValue.string),
                "badge": badge.map(JSONValue.integer), "content-available": isSilent ? .integer(1) : nil,
            ])
            let picture = image.map { [(key: "image", value: JSONValue.string($0))] } ?? []
            return .object([("aps", aps)] + named + picture)
        }
        let notification = JSONValue.members([
            "title": title.map(JSONValue.string), "body": body.map(JSONValue.string),
            "sound": sound.map(JSONValue.string), "image": image.map(JSONValue.string),
            "notification_count": badge.map(JSONValue.integer),
        ])
        let texts = JSONValue.object(named.map { ($0.key, $0.value.asPushText) })
        let data =
            switch provider {
            case "huawei": JSONValue.string(texts.text())
            case "webPush": JSONValue.object(named)
            default: texts
            }
        return .members(["notification": isSilent ? nil : notification, "data": data])
    }
}
