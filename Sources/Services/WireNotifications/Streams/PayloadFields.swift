import WireBase
import WireConfig
import WireNotificationContract

/// The fields of a message with the parts of its notification.
struct PayloadFields: Record {
    @Setting var title: FieldPath?
    @Setting var subtitle: FieldPath?
    @Setting var body: FieldPath?
    @Setting var image: FieldPath?
    @Setting var link: FieldPath?
    @Setting var sound: FieldPath?
    @Setting var badge: FieldPath?
    @Setting var category: FieldPath?
    @Setting var collapseKey: FieldPath?
    @Setting var urgency: FieldPath?
    @Setting var data: FieldPath?

    init(_ keys: inout Keys) {
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
        _urgency = keys.optional("urgency", "Field with the urgency: low, normal or critical.", .example("level"))
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

    var connectionSettings: [String?] { texts.map { $0.1?.text } + [badge?.text, urgency?.text, data?.text] }

    /// The notification of a message in corewire's own form; nil where the message has none of the fields.
    func notification(from message: JSONValue) -> JSONValue? {
        let texts = texts.compactMap { name, path in
            path.flatMap { message.value(at: $0.text)?.asShownText }.map { (name, JSONValue.string($0)) }
        }
        let badge = badge.flatMap { message.value(at: $0.text)?.integer }.flatMap { $0 >= 0 ? $0 : nil }
        let urgency = urgency.flatMap { message.value(at: $0.text)?.string }.flatMap(PushUrgency.init)
        let data = data.flatMap { message.value(at: $0.text) }.flatMap { $0.members == nil ? nil : $0 }
        guard !texts.isEmpty || badge != nil || urgency != nil || data != nil else { return nil }
        let isSilent = !texts.contains { ["title", "subtitle", "body"].contains($0.0) }
        let parts =
            texts
            + [badge.map { ("badge", .integer($0)) }, urgency.map { ("urgency", .string($0.rawValue)) }]
            .compactMap(\.self)
        // A member of the data takes precedence in templates, so one with the name of a part is left out.
        let rest = (data ?? message).members?.filter { member in !parts.contains { $0.0 == member.key } } ?? []
        return .object(parts + (isSilent ? [("silent", .boolean(true))] : []) + [("data", .object(rest))])
    }
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
