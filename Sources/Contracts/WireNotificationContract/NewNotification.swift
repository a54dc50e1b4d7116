import WireBase
package import WireConfig
package import WireHTTP

/// A notification to post: in corewire's own form, or as sent by a push server.
package struct NewNotification: JSONRecord {
    /// A push payload as sent by its server; then only `carrier` is allowed besides.
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

    /// A button of the notification.
    package struct Button: JSONRecord {
        package let label: String
        package let link: String?

        package init(_ label: String, link: String?) { (self.label, self.link) = (label, link) }
    }
}

extension NewNotification {
    package static let form = JSONForm<Self>("NewNotification", "A notification to post.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        payload = try members.optional(
            "payload",
            \.payload,
            "A push payload as sent by its server; then only 'carrier' is allowed besides.",
            .object
        )
        carrier = try members.optional("carrier", \.carrier, "The id of the push at its carrier.")
        id = try members.optional(
            "id",
            \.id,
            "The id, to recognize repetitions; generated where absent.",
            .schema(.text(from: 1, upTo: 200))
        )
        title = try members.optional("title", \.title, "The title.", .example("New message"))
        subtitle = try members.optional("subtitle", \.subtitle, "The subtitle.")
        body = try members.optional("body", \.body, "The text.", .example("Ada has replied."))
        image = try members.optional("image", \.image, "The URL of a picture.")
        sound = try members.optional("sound", \.sound, "The sound to play.")
        badge = try members.optional(
            "badge",
            \.badge,
            "The badge number of the app icon.",
            .in(0...1_000_000)
        )
        link = try members.optional("link", \.link, "The link to open on a tap.", .example("example://articles/7"))
        category = try members.optional("category", \.category, "The category.")
        collapseKey = try members.optional(
            "collapseKey",
            \.collapseKey,
            "The key by which the notification replaces an earlier one."
        )
        urgency = try members.optional("urgency", \.urgency, "The urgency.")
        isSilent = try members.optional("silent", \.isSilent, "Whether the notification is silent.")
        data = try members.optional("data", \.data, "The data for conditions and templates of handlers.", .object)
        buttons = try members.optional("buttons", \.buttons, "The buttons; at most three.", .atMostThree)
        lifetime = try members.optional("expires", \.lifetime, "The lifetime, such as 10m.", .upToAYear)
        if payload != nil, let other = otherThanPayload {
            throw members.mismatch("\(other.quoted): with 'payload' only 'carrier' is allowed", other)
        }
        if payload == nil, carrier != nil {
            throw members.mismatch("'carrier' is allowed with 'payload' only", "carrier")
        }
    }

    /// The first member that must not be given besides a payload.
    private var otherThanPayload: String? {
        json.members?.map(\.key).first { $0 != "payload" && $0 != "carrier" }
    }
}

extension NewNotification.Button {
    package static let form = JSONForm<Self>("NotificationButton", "A button of a notification.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        label = try members.required("label", \.label, "The label.")
        link = try members.optional("link", \.link, "The link.")
    }
}

extension JSONRule where Value == JSONValue {
    fileprivate static var object: Self {
        Self(schema: .anything) { $0.members == nil ? "expected an object" : nil }
    }
}

extension JSONRule where Value == [NewNotification.Button] {
    fileprivate static var atMostThree: Self {
        Self(schema: Value.schema) { buttons in
            buttons.count > 3 ? "found \(buttons.count) buttons, expected 3 at most" : nil
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
