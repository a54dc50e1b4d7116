import WireBase
import WireConfig
import WireFormattingContract
import WireNotificationContract

/// A notification as it is displayed to users and apps.
struct NotificationView: Sendable {
    let entry: InboxEntry
    let push: ReceivedPush
    var isRead = false
    /// The notification that it replaces: another one with its collapse key, or itself before an update.
    var replaces: String?

    /// The buttons: those of the file in the order of handlers, then those of the sender.
    ///
    /// A sender's button is renamed where a shown button of the file has its name.
    static func buttons(
        _ names: [String],
        _ settings: NotificationsSection,
        _ fields: NotificationFields,
        _ formats: DeclaredFormats?
    ) -> [(name: String, label: String)] {
        var buttons: [(name: String, label: String)] = []
        for name in names {
            guard let button = settings.buttons[name] else { continue }
            // A label that cannot be filled is shown unfilled.
            let label = (try? fields.filling(formats).fill(button.label)) ?? button.label.text
            buttons.append((name, label.shown(upTo: 40)))
        }
        for (index, button) in fields.push.buttons.enumerated() {
            let name = settings.buttons["button\(index)"] == nil ? "button\(index)" : "sender\(index)"
            buttons.append((name, button.label.shown(upTo: 40)))
        }
        return buttons
    }

    var shown: ShownNotification {
        let envelope = entry.envelope
        var shown = ShownNotification(envelope.id, received: envelope.received, shown: entry.shown)
        (shown.registrar, shown.title, shown.subtitle) = (push.registrar, push.title, push.subtitle)
        (shown.body, shown.image, shown.media) = (push.body, push.image, envelope.media)
        (shown.sound, shown.badge, shown.link) = (push.sound, push.badge, push.link)
        (shown.category, shown.collapseKey, shown.urgency) = (push.category, push.collapseKey, push.urgency)
        (shown.replaces, shown.options) = (replaces, entry.options)
        shown.buttons = entry.buttons.map { .init(name: $0.name, label: $0.label) }
        (shown.expires, shown.isRead, shown.opened) = (envelope.expires, isRead, entry.opened)
        return shown
    }

    /// One line for a terminal, with control characters escaped.
    var line: String {
        let title = [push.title, push.subtitle].compactMap { $0 }.joined(separator: ", ").shown(upTo: 120)
        let body = (push.body ?? "").shown(upTo: 400)
        var line = [title, body].filter { !$0.isEmpty }.joined(separator: ": ")
        if !entry.buttons.isEmpty { line += " [\(entry.buttons.map(\.label).joined(separator: "] ["))]" }
        return "notification \(entry.envelope.id.shown(upTo: 80))  \(line)"
    }
}
