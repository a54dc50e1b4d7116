import WireConfig

/// A payload without the envelope of its provider.
struct PushEnvelope {
    /// Whether the payload has Apple's `aps`.
    let isApples: Bool
    private let fields: JSONValue
    private let payload: JSONValue
    /// The notification in Apple's form.
    private let apple: JSONValue?
    /// The notification in other forms, the general one first: of the others only parts that it lacks are taken.
    private let notifications: [JSONValue]
    /// Whether the members of the notification are the outermost ones.
    private let isBare: Bool
    /// The outermost object, or the message of a provider's API within it.
    private let outside: JSONValue

    /// The members that a message for all platforms has, in the API of Firebase and of Huawei.
    private static let blocks = ["notification", "data", "android", "apns", "webpush"]

    init(_ payload: JSONValue) {
        var outside = payload
        // A message as it is given to the provider's API.
        if !Self.isNotification(payload) {
            if let message = payload["message"], Self.blocks.contains(where: { message[$0]?.objectWithin != nil }) {
                outside = message
            } else if let message = payload["payload"], message["notification"]?.object != nil {
                outside = message
            }
        }
        let aps = outside["aps"]?.object
        let (android, web) = (outside["android"], outside["webpush"])
        let general = outside["notification"]?.object
        let huawei = outside["hps"].flatMap(Self.formerHuawei)
        let special = [android?["notification"], web?["notification"], huawei].compactMap { $0?.object }
        let apple = aps ?? outside["apns"]?["payload"]?["aps"]?.object
        let data = outside["data"]?.objectWithin
        let hasText = outside.text(first: Self.texts) != nil
        let isBare =
            aps == nil && general == nil && (hasText || (special.isEmpty && apple == nil && data == nil))
        let options = isBare && hasText ? outside["options"]?.object : nil
        let inner =
            data ?? (isBare ? [options] : [general, android, web, web?["notification"]]).lazy
            .compactMap { $0?["data"]?.object }.first
            ?? (isBare ? nil : outside["hps"]?["ext"]?.object ?? Self.besidesApple(outside["apns"]?["payload"]))
        if let members = outside.members, aps != nil {
            let rest = members.filter { $0.key != "aps" && !($0.key == "data" && data != nil) }
            fields = .object(rest + (data?.members ?? []).filter { inner in !rest.contains { $0.key == inner.key } })
        } else {
            fields = inner ?? (isBare ? outside : .object([]))
        }
        if aps != nil {
            notifications = []
        } else {
            notifications = (isBare ? [outside, options] : [general]).compactMap(\.self) + (isBare ? [] : special)
        }
        (isApples, self.isBare, self.payload, self.apple, self.outside) = (aps != nil, isBare, payload, apple, outside)
    }

    private static let texts = ["title", "body", "alert"]

    /// Whether the outermost object is itself a notification.
    private static func isNotification(_ payload: JSONValue) -> Bool {
        payload["aps"]?.object != nil || payload["notification"]?.object != nil || payload.text(first: texts) != nil
    }

    /// The notification in Huawei's former form; its other types are data only.
    private static func formerHuawei(_ block: JSONValue) -> JSONValue? {
        guard let message = block["msg"], message["type"]?.countWithin == 3 else { return nil }
        return .members([
            "title": message["body"]?["title"], "body": message["body"]?["content"],
            "url": message["action"]?["param"]?["url"],
        ])
    }

    /// The members beside Apple's `aps`.
    private static func besidesApple(_ payload: JSONValue?) -> JSONValue? {
        let members = payload?.members?.filter { $0.key != "aps" } ?? []
        return members.isEmpty ? nil : .object(members)
    }

    /// The push by the provider's own members.
    var push: ReceivedPush {
        var push = ReceivedPush(payload, fields: fields, isSilent: true)
        push.id = outside.text(first: Self.ids) ?? fields.text(first: Self.ids)
        for notification in notifications { push.take(notification) }
        let isShownByApple = apple.map { push.take(apple: $0) } ?? false
        push.take(PushParts.besides, of: outside)
        push.badge = push.badge ?? outside["app_badge"]?.countWithin
        push.isSilent = isBare ? !push.hasText : notifications.isEmpty && !isShownByApple
        push.collapseKey = collapseKey
        push.expires = PushExpiry.moment(outside, fields)
        return push
    }

    private static let ids = ["gcm.message_id", "google.message_id", "message_id", "messageId", "apns-id"]

    /// The key for replacing notifications: a tag, a collapse id on Apple's systems, and otherwise the collapse key.
    private var collapseKey: String? {
        let special = outside["android"]?["notification"].map { [$0] } ?? []
        let tag = (special + notifications).lazy.compactMap { $0.text(first: ["collapseKey", "tag"]) }.first
        let apple = outside.text(at: "apns.headers.apns-collapse-id") ?? text("apns-collapse-id")
        // What Firebase and Huawei send where the sender has set no key.
        let none = ["do_not_collapse", "-1"]
        let weak = outside.text("collapse_key") ?? outside.text(at: "android.collapse_key")
        return tag ?? apple ?? (weak ?? text("collapse_key")).flatMap { none.contains($0) ? nil : $0 }
    }

    subscript(name: String) -> JSONValue? { fields[name] }
    func text(_ name: String) -> String? { fields.text(name) }

    func number(_ name: String) -> Int? { fields[name].flatMap { $0.integer ?? $0.string.flatMap { Int($0) } } }

    func isTrue(_ name: String) -> Bool { fields.isTrue(name) }

    /// A member that is JSON, or JSON encoded as text.
    func inner(_ name: String) -> JSONValue? {
        guard let value = fields[name] else { return nil }
        guard let text = value.string else { return value }
        return try? JSONValue(parsing: Array(text.utf8), named: name)
    }
}
