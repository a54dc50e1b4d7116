import WireBase
package import WireConfig
package import WireHTTP

/// A notification that is wanted: in corewire's own form, or as a server has sent it.
package struct NotificationWish: JSONRecord {
    /// A push as its server sent it; then nothing else but `carrier` is said.
    package var payload: JSONValue?
    package var carrier: String?
    package var id, title, subtitle, body, image, sound: String?
    package var badge: Int?
    package var link, category, collapseKey: String?
    package var urgency: PushUrgency?
    package var isSilent: Bool?
    package var data: JSONValue?
    package var buttons: [Button]?
    package var lifetime: Duration?

    package init() {}

    package init(payload: JSONValue, carrier: String?) { (self.payload, self.carrier) = (payload, carrier) }

    /// A button that is wanted with it.
    package struct Button: JSONRecord {
        package let label: String
        package let link: String?

        package init(_ label: String, link: String?) { (self.label, self.link) = (label, link) }
    }
}

extension NotificationWish {
    package static let form = JSONForm<Self>("NotificationWish", "A notification that is wanted.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        payload = try members.optional(
            "payload",
            \.payload,
            "A push as its server sent it; then nothing else but 'carrier' is said.",
            .object
        )
        carrier = try members.optional("carrier", \.carrier, "What carried that push calls it.")
        id = try members.optional(
            "id",
            \.id,
            "The same id is the same notification; made where absent.",
            .schema(.text(from: 1, upTo: 200))
        )
        title = try members.optional("title", \.title, "Its title.", .example("New message"))
        subtitle = try members.optional("subtitle", \.subtitle, "The line under it.")
        body = try members.optional("body", \.body, "Its text.", .example("Ada has answered."))
        image = try members.optional("image", \.image, "The URL of a picture.")
        sound = try members.optional("sound", \.sound, "The sound it comes with.")
        badge = try members.optional(
            "badge",
            \.badge,
            "What the number on the app's icon becomes.",
            .in(0...1_000_000)
        )
        link = try members.optional("link", \.link, "What a tap leads to.", .example("example://articles/7"))
        category = try members.optional("category", \.category, "What kind it is.")
        collapseKey = try members.optional(
            "collapseKey",
            \.collapseKey,
            "What was shown with the same key is replaced by it."
        )
        urgency = try members.optional("urgency", \.urgency, "How much it matters.")
        isSilent = try members.optional("silent", \.isSilent, "Whether it is for the program alone.")
        data = try members.optional("data", \.data, "What conditions and templates of handlers see.", .object)
        buttons = try members.optional("buttons", \.buttons, "Up to three.", .atMostThree)
        lifetime = try members.optional("expires", \.lifetime, "How long it is of use, such as 10m.", .upToAYear)
        if payload != nil, let other = otherThanPayload {
            throw members.mismatch("\(other.quoted): with 'payload' only 'carrier' is taken", other)
        }
        if payload == nil, carrier != nil {
            throw members.mismatch("'carrier' is taken with 'payload' only", "carrier")
        }
    }

    /// The first member that has no meaning beside a payload.
    private var otherThanPayload: String? {
        json.members?.map(\.key).first { $0 != "payload" && $0 != "carrier" }
    }
}

extension NotificationWish.Button {
    package static let form = JSONForm<Self>("NotificationButton", "A button of a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        label = try members.required("label", \.label, "What it says.")
        link = try members.optional("link", \.link, "What it leads to.")
    }
}

extension JSONRule where Value == JSONValue {
    fileprivate static var object: Self {
        Self(schema: .anything) { $0.members == nil ? "expected an object" : nil }
    }
}

extension JSONRule where Value == [NotificationWish.Button] {
    fileprivate static var atMostThree: Self {
        Self(schema: Value.schema) { buttons in
            buttons.count > 3 ? "found \(buttons.count) buttons, three can be shown" : nil
        }
    }
}

extension JSONRule where Value == Duration {
    fileprivate static var upToAYear: Self {
        Self(schema: .text) { lifetime in
            lifetime > .zero && lifetime <= .seconds(365 * 86_400)
                ? nil : "found \(lifetime.plain.quoted), expected a duration such as 10m"
        }
    }
}
