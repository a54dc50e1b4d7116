import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract

/// A message of an ntfy server as a notification.
struct NtfyMessage: Sendable {
    /// The notification in corewire's own form.
    let notification: JSONValue

    init(_ message: JSONValue) {
        var new = NewNotification()
        new.title = message["title"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        new.body = Self.text(of: message)
        new.link = message["click"]?.string
        let attachment = message["attachment"]
        new.image = attachment.flatMap(Self.isPicture) == true ? attachment?["url"]?.string : message["icon"]?.string
        new.urgency = Self.urgency(message["priority"]?.integer ?? 3)
        // As in ntfy's apps, messages below the usual priority make no sound.
        if (message["priority"]?.integer ?? 3) >= 3 { new.sound = "default" }
        // A later version of the message replaces it.
        new.collapseKey = message["sequence_id"]?.asName
        let actions = (message["actions"]?.array ?? []).filter { $0["action"]?.string == "view" }
        // Other actions send requests or start programs, which a message must not do.
        let buttons = actions.compactMap { action in
            action["label"]?.string.map { NewNotification.Button($0, link: action["url"]?.string) }
        }
        new.buttons = buttons.isEmpty ? nil : Array(buttons.prefix(3))
        if new.title == nil, new.body == nil { new.isSilent = true }
        // On many servers the name of the topic is its password; other actions may hold tokens.
        var data = (message.members ?? []).filter { $0.key != "topic" && $0.key != "actions" }
        if !actions.isEmpty { data.append(("actions", .array(actions))) }
        new.data = .object(data)
        notification = new.json
    }

    private static func text(of message: JSONValue) -> String? {
        guard let text = message["message"]?.string, !text.isEmpty else { return nil }
        guard message["encoding"]?.string == "base64" else { return text }
        return Base64.bytes(of: text).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func isPicture(_ attachment: JSONValue) -> Bool {
        let name = attachment["name"]?.string?.lowercased() ?? ""
        return attachment["type"]?.string?.hasPrefix("image/") == true
            || [".jpg", ".jpeg", ".png", ".gif", ".webp"].contains { name.hasSuffix($0) }
    }

    private static func urgency(_ priority: Int) -> PushUrgency {
        switch priority {
        case ...2: .low
        case 5...: .critical
        default: .normal
        }
    }
}
