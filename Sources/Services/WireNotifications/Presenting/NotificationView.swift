import WireBase
import WireConfig
import WireService

/// A notification as people and apps are shown it.
struct NotificationView: Sendable {
    let entry: InboxEntry
    let push: ReceivedPush
    var isRead = false
    /// The notification that was shown in its place until now: another one with its collapse key, or itself before an update.
    var replaces: String?

    /// What there is to press: the file's buttons in the order in which handlers want them, then those its sender wants.
    ///
    /// A button of the sender whose name the file gives to one that is shown here has another.
    static func buttons(
        _ names: [String],
        _ settings: NotificationsSection,
        _ fields: NotificationFields,
        _ formats: DeclaredFormats?
    ) -> [(name: String, label: String)] {
        var buttons: [(name: String, label: String)] = []
        for name in names {
            guard let button = settings.buttons[name] else { continue }
            // A label that cannot be filled is better shown as it is than not at all.
            let label = (try? fields.filling(formats).fill(button.label)) ?? button.label.text
            buttons.append((name, label.shown(upTo: 40)))
        }
        for (index, button) in fields.push.buttons.enumerated() {
            let name = settings.buttons["button\(index)"] == nil ? "button\(index)" : "sender\(index)"
            buttons.append((name, button.label.shown(upTo: 40)))
        }
        return buttons
    }

    var json: JSONValue {
        let envelope = entry.envelope
        return .members([
            "id": .string(envelope.id), "received": .integer(Int(envelope.received)),
            "shown": .integer(Int(entry.shown)), "registrar": push.registrar.map(JSONValue.string),
            "title": push.title.map(JSONValue.string), "subtitle": push.subtitle.map(JSONValue.string),
            "body": push.body.map(JSONValue.string), "image": push.image.map(JSONValue.string),
            "media": envelope.media.map(JSONValue.string), "sound": push.sound.map(JSONValue.string),
            "badge": push.badge.map(JSONValue.integer), "link": push.link.map(JSONValue.string),
            "category": push.category.map(JSONValue.string), "collapseKey": push.collapseKey.map(JSONValue.string),
            "urgency": (push.urgency?.rawValue).map(JSONValue.string), "replaces": replaces.map(JSONValue.string),
            "options": .array(entry.options.map { .string($0.rawValue) }),
            "buttons": entry.buttons.isEmpty
                ? nil
                : .array(
                    entry.buttons.map { .members(["name": .string($0.name), "label": .string($0.label)]) }
                ), "expires": envelope.expires.map { .integer(Int($0)) }, "read": .boolean(isRead),
            "opened": entry.opened.map { .integer(Int($0)) },
        ])
    }

    /// One line for a terminal, whose text can change nothing there.
    var line: String {
        let title = [push.title, push.subtitle].compactMap { $0 }.joined(separator: ", ").shown(upTo: 120)
        let body = (push.body ?? "").shown(upTo: 400)
        var line = [title, body].filter { !$0.isEmpty }.joined(separator: ": ")
        if !entry.buttons.isEmpty { line += " [\(entry.buttons.map(\.label).joined(separator: "] ["))]" }
        return "notification \(entry.envelope.id.shown(upTo: 80))  \(line)"
    }
}
