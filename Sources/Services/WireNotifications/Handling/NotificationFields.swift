import WireBase
import WireConfig
import WireFormattingContract
import WireNotificationContract

/// The fields of a notification for conditions and templates.
struct NotificationFields: Sendable {
    let id: String
    let received: Int64
    let push: ReceivedPush
    /// The digest of its content, where it updates an earlier one.
    let update: String?
    var button: String?
    /// The time of the tap, where it was tapped.
    let tap: Int64?
    /// The path of its picture.
    var media: String?
    /// Values that only one use has: the link being opened.
    var extra: [String: String] = [:]

    init(_ envelope: NotificationEnvelope, _ push: ReceivedPush) {
        (id, received, self.push, update) = (envelope.id, envelope.received, push, envelope.update)
        (button, tap, media) = (envelope.tap?.button, envelope.tap?.time, envelope.media)
    }

    /// A field by its path; nil where the notification has none of that name.
    func value(_ path: String) -> JSONValue? {
        if let text = extra[path] { return .string(text) }
        switch path {
        // These names take precedence over members of the payload.
        case "id": return .string(id)
        case "button": return button.map(JSONValue.string)
        case "media": return media.map(JSONValue.string)
        case "received": return .integer(Int(received))
        default: break
        }
        if let value = push.fields.value(at: path) { return value }
        switch path {
        case "title": return push.title.map(JSONValue.string)
        case "subtitle": return push.subtitle.map(JSONValue.string)
        case "body": return push.body.map(JSONValue.string)
        case "image": return push.image.map(JSONValue.string)
        case "sound": return push.sound.map(JSONValue.string)
        case "badge": return push.badge.map(JSONValue.integer)
        case "link": return push.link.map(JSONValue.string)
        case "category": return push.category.map(JSONValue.string)
        case "registrar": return push.registrar.map(JSONValue.string)
        default: return nil
        }
    }

    /// Title and body always exist, even where the payload has none.
    func filled(_ path: String) -> JSONValue? {
        if let value = value(path) { return value }
        return path == "title" || path == "body" ? .string("") : nil
    }

    /// Fills templates with the fields, in the language of the file.
    func filling(_ formats: DeclaredFormats?) -> TemplateFilling {
        TemplateFilling(formats: { formats?.text(of: $0, as: $1) }, finding: { filled($0) })
    }

    func fulfil(_ conditions: Named<Condition>) -> Bool {
        conditions.items.allSatisfy { item in
            var found = value(item.name)
            if case .null? = found { found = nil }
            switch item.value {
            case .present: return found != nil
            case .absent: return found == nil
            case .oneOf(let words): return found.map { words.contains($0.plainText) } ?? false
            }
        }
    }

    /// All fields, for programs and servers.
    var json: JSONValue {
        .members([
            "id": .string(id), "received": .integer(Int(received)), "registrar": push.registrar.map(JSONValue.string),
            "silent": .boolean(push.isSilent), "title": push.title.map(JSONValue.string),
            "subtitle": push.subtitle.map(JSONValue.string), "body": push.body.map(JSONValue.string),
            "image": push.image.map(JSONValue.string), "media": media.map(JSONValue.string),
            "sound": push.sound.map(JSONValue.string), "badge": push.badge.map(JSONValue.integer),
            "urgency": push.urgency.map { .string($0.rawValue) }, "link": push.link.map(JSONValue.string),
            "category": push.category.map(JSONValue.string),
            "button": button.map(JSONValue.string), "update": update == nil ? nil : .boolean(true),
            "data": push.fields,
        ])
    }
}
