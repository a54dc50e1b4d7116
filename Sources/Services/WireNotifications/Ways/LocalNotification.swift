import WireConfig
import WireNotificationContract

/// A notification from this machine, in corewire's own form.
struct LocalNotification: Sendable {
    let wish: JSONValue

    init(_ wish: JSONValue) { self.wish = wish }

    var push: ReceivedPush {
        let data = wish["data"] ?? .object([])
        var push = ReceivedPush(wish, fields: data, isSilent: wish["silent"]?.boolean ?? false)
        push.id = wish["id"]?.string
        push.title = wish["title"]?.string
        push.subtitle = wish["subtitle"]?.string
        push.body = wish["body"]?.string
        push.image = wish["image"]?.string
        push.sound = wish["sound"]?.string
        push.badge = wish["badge"]?.integer
        push.link = wish["link"]?.string
        push.category = wish["category"]?.string
        push.collapseKey = wish["collapseKey"]?.string
        push.urgency = wish["urgency"]?.string.flatMap(PushUrgency.init)
        push.buttons = (wish["buttons"]?.array ?? []).prefix(3).compactMap { button in
            button["label"]?.string.map { ReceivedPush.Button(label: $0, link: button["link"]?.string) }
        }
        return push
    }
}
