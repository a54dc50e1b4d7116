package import WireHTTP

/// A notification as people and apps are shown it; times in milliseconds since 1970.
package struct ShownNotification: JSONRecord {
    package let id: String
    package let received, shown: Int64
    package var registrar, title, subtitle, body, image, media, sound: String?
    package var badge: Int?
    package var link, category, collapseKey: String?
    package var urgency: PushUrgency?
    /// The notification that it is shown in place of: another one with its collapse key, or itself before an update.
    package var replaces: String?
    package var options: [PresentationOption] = []
    package var buttons: [Button] = []
    package var expires: Int64?
    package var isRead = false
    package var opened: Int64?
    /// How many were not read when it was shown, where it counts; only in the event.
    package var unread: Int?

    package init(_ id: String, received: Int64, shown: Int64) {
        (self.id, self.received, self.shown) = (id, received, shown)
    }

    /// A button that is shown with it.
    package struct Button: JSONRecord {
        package let name, label: String

        package init(name: String, label: String) { (self.name, self.label) = (name, label) }
    }
}

extension ShownNotification {
    package static let form = JSONForm<Self>("ShownNotification", "A notification as it is shown.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "What it is known by.", .example("n-12"))
        received = try members.required("received", \.received, "When it came.", .moment)
        shown = try members.required("shown", \.shown, "When it was shown.", .moment)
        registrar = try members.optional("registrar", \.registrar, "The registrar it came by.")
        title = try members.optional("title", \.title, "Its title.", .example("New message"))
        subtitle = try members.optional("subtitle", \.subtitle, "The line under it.")
        body = try members.optional("body", \.body, "Its text.")
        image = try members.optional("image", \.image, "The URL of a picture.")
        media = try members.optional("media", \.media, "The file with that picture on this machine.")
        sound = try members.optional("sound", \.sound, "The sound it comes with.")
        badge = try members.optional("badge", \.badge, "What the number on the app's icon becomes.")
        link = try members.optional("link", \.link, "What a tap leads to.")
        category = try members.optional("category", \.category, "What kind it is.")
        collapseKey = try members.optional(
            "collapseKey",
            \.collapseKey,
            "What was shown with the same key is replaced by it."
        )
        urgency = try members.optional("urgency", \.urgency, "How much it matters.")
        replaces = try members.optional("replaces", \.replaces, "The notification it is shown in place of.")
        options = try members.required("options", \.options, "How it is shown.", .example([.banner, .list]))
        buttons =
            try members.optional("buttons", { $0.buttons.isEmpty ? nil : $0.buttons }, "The buttons it has.") ?? []
        expires = try members.optional("expires", \.expires, "When it is of no use any more.", .moment)
        isRead = try members.required("read", \.isRead, "Whether it was read.")
        opened = try members.optional("opened", \.opened, "When it was opened.", .moment)
        unread = try members.optional("unread", \.unread, "How many are not read now; only in the event.", .count)
    }
}

extension ShownNotification.Button {
    package static let form = JSONForm<Self>("ShownButton", "A button that is shown with a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "What a tap on it is told by.")
        label = try members.required("label", \.label, "What it says.")
    }
}
