package import WireHTTP

/// A notification as shown to the user and to apps; times in milliseconds since 1970.
package struct ShownNotification: JSONRecord {
    package let id: String
    package let received, shown: Int64
    package var registrar, title, subtitle, body, image, media, sound: String?
    package var badge: Int?
    package var link, category, collapseKey: String?
    package var urgency: PushUrgency?
    /// The id of the replaced notification: another one with the same collapse key, or an earlier version.
    package var replaces: String?
    package var options: [PresentationOption] = []
    package var buttons: [Button] = []
    package var expires: Int64?
    package var isRead = false
    package var opened: Int64?
    /// The unread count when it was shown, where it counts; only in the event.
    package var unread: Int?

    package init(_ id: String, received: Int64, shown: Int64) {
        (self.id, self.received, self.shown) = (id, received, shown)
    }

    /// A button of the notification.
    package struct Button: JSONRecord {
        package let name, label: String

        package init(name: String, label: String) { (self.name, self.label) = (name, label) }
    }
}

extension ShownNotification {
    package static let form = JSONForm<Self>("ShownNotification", "A shown notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id.", .example("n-12"))
        received = try members.required("received", \.received, "The time of receipt.", .moment)
        shown = try members.required("shown", \.shown, "The time it was shown.", .moment)
        registrar = try members.optional("registrar", \.registrar, "The registrar.")
        title = try members.optional("title", \.title, "The title.", .example("New message"))
        subtitle = try members.optional("subtitle", \.subtitle, "The subtitle.")
        body = try members.optional("body", \.body, "The text.")
        image = try members.optional("image", \.image, "The URL of a picture.")
        media = try members.optional("media", \.media, "The local file with the picture.")
        sound = try members.optional("sound", \.sound, "The sound to play.")
        badge = try members.optional("badge", \.badge, "The badge number of the app icon.")
        link = try members.optional("link", \.link, "The link to open on a tap.")
        category = try members.optional("category", \.category, "The category.")
        collapseKey = try members.optional(
            "collapseKey",
            \.collapseKey,
            "The key by which the notification replaces an earlier one."
        )
        urgency = try members.optional("urgency", \.urgency, "The urgency.")
        replaces = try members.optional("replaces", \.replaces, "The id of the replaced notification.")
        options = try members.required("options", \.options, "The presentation.", .example([.banner, .list]))
        buttons =
            try members.optional("buttons", { $0.buttons.isEmpty ? nil : $0.buttons }, "The buttons.") ?? []
        expires = try members.optional("expires", \.expires, "The expiry.", .moment)
        isRead = try members.required("read", \.isRead, "Whether the notification is read.")
        opened = try members.optional("opened", \.opened, "The time it was opened.", .moment)
        unread = try members.optional("unread", \.unread, "The unread count; only in the event.", .count)
    }
}

extension ShownNotification.Button {
    package static let form = JSONForm<Self>("ShownButton", "A button that is shown with a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The name of the button.")
        label = try members.required("label", \.label, "The label.")
    }
}
