package import WireHTTP

/// The device, and whether the server knows it.
package struct DeviceReport: JSONRecord {
    package enum Registration: String, JSONWord, PlainCodable {
        /// The server knows it as it is.
        case registered
        /// The outbox holds the request.
        case pending
        /// The server refused it.
        case refused
        /// The file says `register: onRequest`, and no caller has asked.
        case onRequest
        case removed
        /// The file says `register: never`.
        case never
    }

    package let id: String?
    package let alias: String
    package let email: String?
    package let tags: [DeviceTag]
    package let tokens: [DeviceTokenEnding]
    package let registration: Registration
    package let reason: String?
    package var since, saved: Int64?
    package var revision = 0

    package init(_ device: KnownDevice, _ registration: Registration, because reason: String?) {
        (id, alias, email, tags) = (device.id, device.alias, device.email, device.tags)
        tokens = device.tokens.map(DeviceTokenEnding.init)
        (self.registration, self.reason) = (registration, reason)
    }

    package static let form = JSONForm<Self>("Device", "What is known of this device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "What the server calls it.")
        alias = try members.required("alias", \.alias, "The name people know it by.", .example("phone-1"))
        email = try members.optional("email", \.email, "The address of whoever uses it.")
        tags = try members.required("tags", \.tags, "What it is, by name.")
        tokens = try members.required("tokens", \.tokens, "Where pushes reach it.")
        registration = try members.required("registration", \.registration, "Whether the server knows it.")
        reason = try members.optional("reason", \.reason, "Why the server does not know it as it is.")
        since = try members.optional("since", \.since, "Since when the server knows it.", .moment)
        saved = try members.optional("saved", \.saved, "When it was saved there last.", .moment)
        revision = try members.required("revision", \.revision, "Grows with each change of it.", .count)
    }
}

extension DeviceTag: JSONRecord {
    package static let form = JSONForm<Self>("DeviceTag", "Something the device is or has.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "Its name, of which there is one.", .example("plan"))
        value = try members.optional("value", \.value, "Its value.")
        kind = try members.required("kind", \.kind, "'system' for what corewire found out.")
        id = try members.optional("id", \.id, "What the server calls it.")
    }
}

/// A push token of the device as callers see it: its end is enough to compare tokens, and sends no pushes.
package struct DeviceTokenEnding: JSONRecord {
    package let platform, ending: String

    package init(_ token: DeviceToken) {
        platform = token.platform
        ending = token.token.utf8.count >= 24 ? String(token.token.suffix(4)) : ""
    }

    package static let form = JSONForm<Self>("DeviceToken", "Where pushes of a platform reach the device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        platform = try members.required("platform", \.platform, "The platform.", .example("fcm"))
        ending = try members.required("ending", \.ending, "The last characters of the token.", .example("x9Qf"))
    }
}

// MARK: Requests

/// A change of the device; what is absent stays as it is.
package struct DeviceChange: JSONRecord {
    package var alias, email: Nullable<String>?
    package var tags, tokens: JSONMap<Nullable<String>>?
}

extension DeviceChange {
    package static let form = JSONForm<Self>("DeviceChange", "A change of the device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        alias = try members.present(
            "alias",
            \.alias,
            "The name people know it by; another one is made where null.",
            .example(.value("phone-1"))
        )
        email = try members.present("email", \.email, "The address of whoever uses it.")
        tags = try members.optional(
            "tags",
            \.tags,
            "Tags by name: a value, or null to take it away.",
            .example(JSONMap([("plan", .value("pro"))]))
        )
        tokens = try members.optional("tokens", \.tokens, "Push tokens by platform: a token, or null to take it away.")
    }
}

/// The name of a tag of the device.
package struct DeviceTagName: JSONRecord {
    package let name: String
}

extension DeviceTagName {
    package static let form = JSONForm<Self>("DeviceTagName", "The name of a tag.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The name of the tag.", tagNameRule, .example("plan"))
    }
}

/// A tag for the device.
package struct DeviceTagging: JSONRecord {
    package let name: String
    package let value: String?
}

extension DeviceTagging {
    package static let form = JSONForm<Self>("TagValue", "A tag for the device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The name of the tag.", tagNameRule, .example("plan"))
        value = try members.optional("value", \.value, "Its value.", .example("pro"))
    }
}

private let tagNameRule = JSONRule<String>.schema(.text(upTo: DeviceTag.longestName))
