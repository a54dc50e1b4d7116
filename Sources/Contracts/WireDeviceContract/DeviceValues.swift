package import WireHTTP

/// The device with its registration state.
package struct DeviceReport: JSONRecord {
    package enum Registration: String, JSONWord, PlainCodable {
        /// The server has the current device.
        case registered
        /// The registration is in the outbox.
        case pending
        /// The server rejected the registration.
        case refused
        /// The file says `register: onRequest`, and no caller has requested a registration.
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

    package static let form = JSONForm<Self>("Device", "The device with its registration state.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.optional("id", \.id, "The id at the server.")
        alias = try members.required("alias", \.alias, "The name of the device.", .example("phone-1"))
        email = try members.optional("email", \.email, "The email address of the user.")
        tags = try members.required("tags", \.tags, "The tags by name.")
        tokens = try members.required("tokens", \.tokens, "The push tokens.")
        registration = try members.required("registration", \.registration, "The state of the registration.")
        reason = try members.optional("reason", \.reason, "Why the server does not have the current device.")
        since = try members.optional("since", \.since, "The time of the first registration.", .moment)
        saved = try members.optional("saved", \.saved, "The time of the last registration.", .moment)
        revision = try members.required(
            "revision",
            \.revision,
            "The revision; increases with each change.",
            .count,
            .example(3)
        )
    }
}

extension DeviceTag: JSONRecord {
    package static let form = JSONForm<Self>("DeviceTag", "A tag of the device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.required("name", \.name, "The unique name.", .example("plan"))
        value = try members.optional("value", \.value, "The value.")
        kind = try members.required("kind", \.kind, "'system' for tags set by corewire.")
        id = try members.optional("id", \.id, "The id at the server.")
    }
}

/// A push token for display: its end identifies the token but cannot be used for sending.
package struct DeviceTokenEnding: JSONRecord {
    package let platform, ending: String

    package init(_ token: DeviceToken) {
        platform = token.platform
        ending = token.token.utf8.count >= 24 ? String(token.token.suffix(4)) : ""
    }

    package static let form = JSONForm<Self>("DeviceToken", "A push token of the device.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        platform = try members.required("platform", \.platform, "The platform.", .example("fcm"))
        ending = try members.required("ending", \.ending, "The last characters of the token.", .example("x9Qf"))
    }
}

// MARK: Requests

/// A change of the device; absent members stay unchanged.
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
            "The name of the device; null generates a new one.",
            .example(.value("phone-1"))
        )
        email = try members.present("email", \.email, "The email address of the user.")
        tags = try members.optional(
            "tags",
            \.tags,
            "Tags by name; null removes a tag.",
            .example(JSONMap([("plan", .value("pro"))]))
        )
        tokens = try members.optional("tokens", \.tokens, "Push tokens by platform; null removes a token.")
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

/// A tag to set.
package struct DeviceTagging: JSONRecord {
    package let name: String
    package let value: String?
}

extension DeviceTagging {
    package static let form = JSONForm<Self>("TagValue", "A tag to set.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        name = try members.path("name", \.name, "The name of the tag.", tagNameRule, .example("plan"))
        value = try members.optional("value", \.value, "The value.", .example("pro"))
    }
}

private let tagNameRule = JSONRule<String>.schema(.text(upTo: DeviceTag.longestName))
