package import WireConfig

/// Parses a push payload, independent of its sender and its provider.
///
/// Payloads have the forms of their providers (Apple, Firebase, Huawei), of browsers (the Notifications API, declarative
/// Web Push), or have the members of a notification alone. Unknown members are kept.
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

    /// AeroGear: with Firebase, text, sound and badge are text members of the data, where senders also put a title.
    fileprivate mutating func takeUnifiedPush(_ envelope: PushEnvelope) {
        id = envelope.text("aerogear-push-id")
        guard !envelope.isApples else { return }
        body = envelope.text("alert") ?? body
        if body != nil { title = title ?? envelope.text("title") }
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
        image = envelope.inner("image")?["url"]?.string.ifNotEmpty ?? image.flatMap { PushParts.isURL($0) ? $0 : nil }
        link = envelope.text("url") ?? link
        if envelope.text("type") == "2_factor" { (category, code) = ("2_factor", envelope.text("code")) }
        isSilent = envelope.isTrue("content_available") || (isSilent && !hasText)
    }
}
