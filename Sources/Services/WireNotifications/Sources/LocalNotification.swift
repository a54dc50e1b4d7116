import WireConfig
import WireNotificationContract

/// A notification from this machine, in corewire's own form.
struct LocalNotification: Sendable {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    var push: ReceivedPush {
        let data = json["data"] ?? .object([])
        var push = ReceivedPush(json, fields: data, isSilent: json["silent"]?.boolean ?? false)
        push.id = json["id"]?.string
        push.title = json["title"]?.string
        push.subtitle = json["subtitle"]?.string
        push.body = json["body"]?.string
        push.image = json["image"]?.string
        push.sound = json["sound"]?.string
        push.badge = json["badge"]?.integer
        push.link = json["link"]?.string
        push.category = json["category"]?.string
        push.collapseKey = json["collapseKey"]?.string
        push.urgency = json["urgency"]?.string.flatMap(PushUrgency.init)
        push.buttons = (json["buttons"]?.array ?? []).prefix(3).compactMap { button in
            button["label"]?.string.map { ReceivedPush.Button(label: $0, link: button["link"]?.string) }
        }
        return push
    }
}
