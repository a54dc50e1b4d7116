package import WireConfig

/// Parses a push payload, independent of its sender and its provider.
///
/// Payloads have the forms of their providers: Apple's `aps`, Firebase's `notification` and `data` (also within
/// `message`), Huawei's `data` as JSON text, or members alone. Unknown members are kept.
package struct PlainPush: Sendable {
    /// The senders that can be recognized.
    package enum Sender: String, Sendable, CaseIterable {
        /// Has the member `_ac_push`.
        case altcraft
        /// Has the member `aerogear-push-id`.
        case unifiedPush
        /// Has `scheduleId`, `content_available` or the type `2_factor`.
        case halo
    }

    /// The recognized sender; nil for others.
    package let sender: Sender?
    package let push: ReceivedPush

    package init(_ payload: JSONValue) {
        let envelope = PushEnvelope(payload)
        let sender = Self.sender(of: envelope)
        var push = envelope.push
        switch sender {
        case .altcraft: push.takeAltcraft(envelope)
        case .unifiedPush: push.takeUnifiedPush(envelope)
        case .halo: push.takeHalo(envelope)
        case nil: break
        }
        (self.sender, self.push) = (sender, push)
    }

    private static func sender(of envelope: PushEnvelope) -> Sender? {
        if envelope["_ac_push"] != nil { return .altcraft }
        if envelope["aerogear-push-id"] != nil { return .unifiedPush }
        let isHalo =
            envelope["scheduleId"] != nil || envelope["content_available"] != nil
            || envelope.text("type") == "2_factor"
        return isHalo ? .halo : nil
    }
}

extension ReceivedPush {
    /// Altcraft: iOS has the text in `aps` and a picture in `_media`; Android has members with a leading underscore.
    fileprivate mutating func takeAltcraft(_ envelope: PushEnvelope) {
        id = envelope.text("_uid") ?? id
        title = envelope.text("_title") ?? title
        body = envelope.text("_body") ?? body
        image = envelope.text("_media") ?? envelope.text("_image") ?? image
        link = envelope.text("_click-url") ?? envelope.text("_click_action") ?? envelope.text("_url") ?? link
        if envelope.isTrue("_soundless") { sound = nil }
        buttons = (envelope.inner("_buttons")?.array ?? []).prefix(3).compactMap { button in
            button["label"]?.string.map { Button(label: $0, link: button["link"]?.string.ifNotEmpty) }
        }
        isSilent = isSilent && !hasText
    }

    /// AeroGear: with Firebase, text, sound and badge are text members of the data.
    fileprivate mutating func takeUnifiedPush(_ envelope: PushEnvelope) {
        id = envelope.text("aerogear-push-id")
        guard !envelope.isApples else { return }
        body = envelope.text("alert") ?? body
        sound = envelope.text("sound") ?? sound
        badge = envelope.number("badge").flatMap { $0 >= 0 ? $0 : nil } ?? badge
        isSilent = isSilent && !hasText && sound == nil
    }

    /// HALO: a payload with `content_available` is silent, whatever else it contains.
    fileprivate mutating func takeHalo(_ envelope: PushEnvelope) {
        id = envelope.text("scheduleId") ?? id
        title = title ?? envelope.text("title")
        body = body ?? envelope.text("body")
        sound = sound ?? envelope.text("sound")
        // The picture is an object encoded as text.
        image = envelope.inner("image")?["url"]?.string.ifNotEmpty ?? image
        link = envelope.text("url") ?? link
        if envelope.text("type") == "2_factor" { (category, code) = ("2_factor", envelope.text("code")) }
        isSilent = envelope.isTrue("content_available") || (isSilent && !hasText)
    }

    fileprivate var hasText: Bool { title != nil || body != nil }
}

/// A payload without the envelope of its provider.
private struct PushEnvelope {
    /// Whether the payload has Apple's `aps`.
    let isApples: Bool
    private let fields: JSONValue
    private let payload: JSONValue
    private let aps: JSONValue?
    private let notification: JSONValue?
    /// Android options of a Firebase message.
    private let android: JSONValue?
    /// The members of the outermost object.
    private let outside: JSONValue

    init(_ payload: JSONValue) {
        var outside = payload
        // The form of Firebase's API, also used when a message is forwarded whole.
        if let message = payload["message"], message["data"] != nil || message["notification"] != nil {
            outside = message
        }
        let aps = outside["aps"]?.object
        let notification = outside["notification"]?.object
        let data = outside["data"]?.objectWithin
        if let members = outside.members, aps != nil {
            let rest = members.filter { $0.key != "aps" && !($0.key == "data" && data != nil) }
            fields = .object(rest + (data?.members ?? []).filter { inner in !rest.contains { $0.key == inner.key } })
        } else if notification != nil || data != nil {
            fields = data ?? .object([])
        } else {
            fields = outside
        }
        (isApples, self.payload, self.aps) = (aps != nil, payload, aps)
        (self.notification, self.outside) = (notification, outside)
        android = outside["android"]?["notification"]?.object
    }

    /// The push by the provider's own members.
    var push: ReceivedPush {
        var push = ReceivedPush(payload, fields: fields, isSilent: true)
        push.id =
            ["gcm.message_id", "google.message_id", "message_id", "messageId", "apns-id"].lazy
            .compactMap { name in outside.text(name) ?? fields.text(name) }.first
        if let aps {
            push.takeApple(aps)
            push.image = fields["fcm_options"]?.text("image")
        } else if let notification = notification ?? android {
            push.takeFirebase(notification)
        } else if outside["data"]?.objectWithin == nil {
            // No envelope: a title or a text makes the push visible.
            (push.title, push.body) = (fields.text("title"), fields.text("body") ?? fields.text("alert"))
            push.isSilent = !push.hasText
        }
        push.collapseKey = collapseKey
        if push.urgency == nil { push.urgency = android.flatMap { PushUrgency(ofFirebase: $0) } }
        return push
    }

    /// The key for replacing notifications: a tag on Android, a collapse id on Apple's systems, and otherwise the
    /// collapse key.
    private var collapseKey: String? {
        let tag = android?.text("tag") ?? notification?.text("tag")
        let isBare = aps == nil && notification == nil && outside["data"]?.objectWithin == nil
        let named = tag ?? text("apns-collapse-id") ?? (isBare ? text("tag") : nil)
        // Firebase's default where the sender has set no key.
        let weak = outside.text("collapse_key") ?? outside["android"]?.text("collapse_key") ?? text("collapse_key")
        return named ?? (weak == "do_not_collapse" ? nil : weak)
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

extension ReceivedPush {
    fileprivate mutating func takeApple(_ aps: JSONValue) {
        let alert = aps["alert"]
        if let alert = alert?.object {
            (title, subtitle, body) = (alert.text("title"), alert.text("subtitle"), alert.text("body"))
        } else {
            body = alert?.string.ifNotEmpty
        }
        if let alert {
            localize(
                title: LocalizedPushText(alert, key: "title-loc-key", arguments: "title-loc-args"),
                subtitle: LocalizedPushText(alert, key: "subtitle-loc-key", arguments: "subtitle-loc-args"),
                body: LocalizedPushText(alert, key: "loc-key", arguments: "loc-args")
            )
        }
        sound = aps.text("sound") ?? aps["sound"]?.text("name")
        badge = aps["badge"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
        category = aps.text("category")
        isSilent = !hasText && subtitle == nil && sound == nil
        switch aps.text("interruption-level") {
        case "passive": urgency = .low
        case "active": urgency = .normal
        case "time-sensitive", "critical": urgency = .critical
        default: break
        }
    }

    fileprivate mutating func takeFirebase(_ notification: JSONValue) {
        (title, body) = (notification.text("title"), notification.text("body"))
        // HALO's documentation spells one of them with dashes.
        let arguments = notification["title-loc-args"] == nil ? "title_loc_args" : "title-loc-args"
        localize(
            title: LocalizedPushText(notification, key: "title_loc_key", arguments: arguments),
            subtitle: nil,
            body: LocalizedPushText(notification, key: "body_loc_key", arguments: "body_loc_args")
        )
        urgency = PushUrgency(ofFirebase: notification)
        image = notification.text("image")
        sound = notification.text("sound")
        badge =
            notification["notification_count"]?.integer ?? notification["badge"]?.integer
            ?? notification.text("badge").flatMap { Int($0) }
        // An action is a name within the app, unless it is a URL.
        let action = notification.text("click_action")
        (link, category) = action?.contains("://") == true ? (action, nil) : (nil, action)
        isSilent = false
    }
}

extension PushUrgency {
    /// Firebase's `notification_priority`.
    fileprivate init?(ofFirebase notification: JSONValue) {
        switch notification.text("notification_priority")?.uppercased() {
        case "PRIORITY_MIN", "PRIORITY_LOW": self = .low
        case "PRIORITY_DEFAULT", "PRIORITY_HIGH": self = .normal
        case "PRIORITY_MAX": self = .critical
        default: return nil
        }
    }
}

extension JSONValue {
    fileprivate var object: JSONValue? { members == nil ? nil : self }

    /// The object, or the object encoded as text.
    fileprivate var objectWithin: JSONValue? {
        guard let text = string else { return object }
        return (try? JSONValue(parsing: Array(text.utf8), named: "data"))?.object
    }

    /// A non-empty text; numbers are converted.
    fileprivate func text(_ name: String) -> String? {
        self[name].flatMap { $0.string ?? $0.integer.map(String.init) }.ifNotEmpty
    }

    fileprivate func isTrue(_ name: String) -> Bool {
        switch self[name] {
        case .boolean(let value)?: value
        case .integer(let value)?: value == 1
        case .number(let value)?: value == 1
        case .string(let text)?: text == "1" || text.lowercased() == "true"
        default: false
        }
    }
}

extension String? {
    fileprivate var ifNotEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
