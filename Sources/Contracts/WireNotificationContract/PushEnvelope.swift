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
        if let message = payload["message"], Self.blocks.contains(where: { message[$0] != nil }) {
            outside = message
        } else if let message = payload["payload"], message["notification"]?.object != nil {
            outside = message
        }
        let aps = outside["aps"]?.object
        let (android, web) = (outside["android"], outside["webpush"])
        let general = outside["notification"]?.object
        let special = [android?["notification"], web?["notification"], outside["hps"]?["msg"]].compactMap { $0?.object }
        let apple = aps ?? outside["apns"]?["payload"]?["aps"]?.object
        let data = outside["data"]?.objectWithin
        let hasText = outside.text(first: ["title", "body", "alert"]) != nil
        let isBare =
            aps == nil && general == nil && (hasText || (special.isEmpty && apple == nil && data == nil))
        let options = isBare && hasText ? outside["options"]?.object : nil
        let holders = [android, web, general, web?["notification"], options]
        let inner = data ?? holders.lazy.compactMap { $0?["data"]?.object }.first
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

    /// The push by the provider's own members.
    var push: ReceivedPush {
        var push = ReceivedPush(payload, fields: fields, isSilent: true)
        push.id = outside.text(first: Self.ids) ?? fields.text(first: Self.ids)
        for notification in notifications { push.take(notification) }
        let isShownByApple = apple.map { push.take(apple: $0) } ?? false
        push.take(PushParts.besides, of: outside)
        push.badge = push.badge ?? outside["app_badge"]?.countWithin
        // In corewire's own form, a silent notification is not shown.
        push.isSilent =
            isBare
            ? outside.isTrue("silent") || !push.hasText : notifications.isEmpty && !isShownByApple
        push.urgency = push.urgency ?? PushParts.urgency(outside.text(at: "webpush.headers.Urgency"))
        push.collapseKey = collapseKey
        push.expiry = PushExpiry(outside, fields)
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
