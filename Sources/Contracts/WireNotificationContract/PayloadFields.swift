import WireBase
package import WireConfig

/// The fields of a message with the parts of its notification.
package struct PayloadFields: Record {
    @Setting package var title: FieldPath?
    @Setting package var subtitle: FieldPath?
    @Setting package var body: FieldPath?
    @Setting package var image: FieldPath?
    @Setting package var link: FieldPath?
    @Setting package var sound: FieldPath?
    @Setting package var badge: FieldPath?
    @Setting package var category: FieldPath?
    @Setting package var collapseKey: FieldPath?
    @Setting package var urgency: FieldPath?
    @Setting package var buttons: FieldPath?
    @Setting package var data: FieldPath?

    package init(_ keys: inout Keys) {
        _title = keys.optional("title", "Field with the title.", .example("alert.title"))
        _subtitle = keys.optional("subtitle", "Field with the subtitle.", .example("alert.subtitle"))
        _body = keys.optional("body", "Field with the text.", .example("text"))
        _image = keys.optional("image", "Field with the URL of a picture.", .example("picture"))
        _link = keys.optional("link", "Field with the link to open on a tap.", .example("url"))
        _sound = keys.optional("sound", "Field with the sound.", .example("sound"))
        _badge = keys.optional("badge", "Field with the badge number.", .example("unread"))
        _category = keys.optional("category", "Field with the category.", .example("kind"))
        _collapseKey = keys.optional(
            "collapseKey",
            "Field with the key by which a notification replaces an earlier one.",
            .example("thread")
        )
        _urgency = keys.optional(
            "urgency",
            "Field with the urgency: low, normal, critical, or a provider's word.",
            .example("level")
        )
        _buttons = keys.optional(
            "buttons",
            "Field with a list of buttons, of which each has a label and a link; three at most.",
            .example("actions")
        )
        _data = keys.optional(
            "data",
            "Field with the data for conditions and templates of handlers. Default: the whole message.",
            .example("data")
        )
    }

    private var texts: [(String, FieldPath?)] {
        [
            ("title", title), ("subtitle", subtitle), ("body", body), ("image", image), ("link", link),
            ("sound", sound), ("category", category), ("collapseKey", collapseKey),
        ]
    }

    var connectionSettings: [String?] { texts.map { $0.1?.text } + [badge, urgency, buttons, data].map { $0?.text } }

    /// The notification of a message in corewire's own form; nil where the message has none of the fields.
    func notification(from message: JSONValue) -> JSONValue? {
        let texts = texts.compactMap { name, path in
            path.flatMap { message.value(at: $0.text)?.asShownText }.map { (name, JSONValue.string($0)) }
        }
        let badge = badge.flatMap { message.value(at: $0.text)?.countWithin }
        let urgency = urgency.flatMap { PushParts.urgency(message.value(at: $0.text)?.string) }
        let buttons = buttons.flatMap { message.value(at: $0.text) }.map { PushParts.buttons($0, of: message) } ?? []
        let data = data.flatMap { message.value(at: $0.text) }.flatMap { $0.members == nil ? nil : $0 }
        guard !texts.isEmpty || badge != nil || urgency != nil || data != nil else { return nil }
        let isSilent = !texts.contains { ["title", "subtitle", "body"].contains($0.0) }
        let others: [(String, JSONValue)?] = [
            badge.map { ("badge", .integer($0)) }, urgency.map { ("urgency", .string($0.rawValue)) },
            buttons.isEmpty ? nil : ("buttons", .array(buttons.map(\.json))),
        ]
        let parts = texts + others.compactMap(\.self)
        // A member of the data takes precedence in templates, so one with the name of a part is left out.
        let rest = (data ?? message).members?.filter { member in !parts.contains { $0.0 == member.key } } ?? []
        return .object(parts + (isSilent ? [("silent", .boolean(true))] : []) + [("data", .object(rest))])
    }
}

extension ReceivedPush.Button {
    fileprivate var json: JSONValue { .members(["label": .string(label), "link": link.map(JSONValue.string)]) }
}

extension JSONValue {
    /// A non-empty text, or a number as text.
    fileprivate var asShownText: String? {
        switch self {
        case .string(let text): text.isEmpty ? nil : text
        case .integer, .number, .decimal: plainText
        default: nil
        }
    }
}
