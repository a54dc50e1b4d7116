package import WireBase
package import WireConfig
package import WireHTTP

// Inputs of the operations on push registration.

/// An input with the name of a registrar in the file.
package protocol PushRegistrarRequest: JSONRecord {
    var registrar: String { get set }
    /// Whether the caller waits for the response of the server.
    var waits: Bool { get }
}

extension PushRegistrarRequest {
    package var waits: Bool { false }
}

/// The name of a registrar.
package struct PushRegistrarName: PushRegistrarRequest {
    package var registrar: String

    package init(_ registrar: String) { self.registrar = registrar }

    package static let form = JSONForm<Self>("PushRegistrarName", "The name of a push server.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { registrar = try members.registrar(\.registrar) }
}

/// Selects a subscription at an Altcraft platform.
package enum PushStatusQuery: String, JSONWord, PlainCodable {
    /// The latest of the profile, the latest of the provider, or that of the current token.
    case latest, provider, current
}

/// The input for querying a subscription at an Altcraft platform.
package struct PushStatusRequest: PushRegistrarRequest {
    package var registrar: String
    package var which: PushStatusQuery?

    package init(_ registrar: String, _ which: PushStatusQuery) { (self.registrar, self.which) = (registrar, which) }

    package static let form = JSONForm<Self>("PushStatusRequest", "The selection of a subscription.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        which = try members.query("which", \.which, "The latest of profile or provider, or the current token's.")
    }
}

/// Whether the caller waits for the responses of all servers.
package struct PushRegisterAll: JSONRecord {
    package var waits = false

    package init(waits: Bool = false) { self.waits = waits }

    package static let form = JSONForm<Self>("PushRegisterAll", "Whether the caller waits for all servers.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { waits = try members.waits(\.waits) }
}

/// A registrar at which to register again.
package struct PushRegister: PushRegistrarRequest {
    package var registrar: String
    package var waits = false

    package init(_ registrar: String, waits: Bool = false) { (self.registrar, self.waits) = (registrar, waits) }

    package static let form = JSONForm<Self>("PushRegister", "A server at which to register again.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        waits = try members.waits(\.waits)
    }
}

/// The settings of a subscription that override the file; nil members are as in the file.
package struct PushSubscription: PushRegistrarRequest {
    package var registrar: String
    package var waits = false
    package var customFields, profileFields: JSONMap<JSONValue>?
    package var categories: [Category]?
    package var sync, replace, skipTriggers: Bool?

    package init(_ registrar: String, waits: Bool = false) { (self.registrar, self.waits) = (registrar, waits) }

    /// Whether no member overrides the file.
    package var isEmpty: Bool {
        customFields == nil && profileFields == nil && categories == nil && sync == nil && replace == nil
            && skipTriggers == nil
    }

    package static let form = JSONForm<Self>("PushSubscription", "The settings of a subscription.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        waits = try members.waits(\.waits)
        customFields = try members.optional(
            "customFields",
            \.customFields,
            "Fields that override those of the file.",
            .example(JSONMap([("plan", .string("pro"))]))
        )
        profileFields = try members.optional(
            "profileFields",
            \.profileFields,
            "Fields of the profile by name: a value, or an action and a value."
        )
        categories = try members.optional("categories", \.categories, "Categories instead of those of the file.")
        sync = try members.optional("sync", \.sync, "Whether the platform responds after storing.")
        replace = try members.optional("replace", \.replace, "Whether to replace other subscriptions of the profile.")
        skipTriggers = try members.optional("skipTriggers", \.skipTriggers, silentHelp)
    }
}

extension PushSubscription {
    /// A category that a user can subscribe to; nil members are as in the file.
    package struct Category: JSONRecord {
        package let name: String
        package var title: String?
        package var steady, active: Bool?

        package init(_ name: String) { self.name = name }

        package static let form = JSONForm<Self>("PushCategory", "A category of the subscription.")

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            name = try members.required("name", \.name, "The name at the platform.")
            title = try members.optional("title", \.title, "The display name; by default the name.")
            steady = try members.optional("steady", \.steady, "Whether the user cannot unsubscribe from the category.")
            active = try members.optional("active", \.active, "Whether the user is subscribed to the category.")
        }
    }
}

/// A change of the profile at an Altcraft platform.
package struct PushProfileChange: PushRegistrarRequest {
    package var registrar: String
    package let fields: JSONMap<JSONValue>
    package let skipsTriggers: Bool

    package init(_ registrar: String, _ fields: JSONMap<JSONValue>, skipsTriggers: Bool) {
        (self.registrar, self.fields, self.skipsTriggers) = (registrar, fields, skipsTriggers)
    }

    package static let form = JSONForm<Self>("PushProfile", "A change of the profile.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        fields = try members.required(
            "fields",
            \.fields,
            "Fields by name: a value, or an action (set, unset, incr, add, delete, upsert) and a value.",
            .example(JSONMap([("city", .string("Paris"))]))
        )
        skipsTriggers = try members.flag("skipTriggers", \.skipsTriggers, silentHelp)
    }
}

/// An app event for an Altcraft platform.
package struct PushMobileEvent: PushRegistrarRequest {
    package var registrar: String
    package let event: MobileEvent

    package init(_ registrar: String, _ event: MobileEvent) { (self.registrar, self.event) = (registrar, event) }

    package static let form = JSONForm<Self>("PushMobileEvent", "An app event.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        event = try members.mobileEvent(\.event)
    }
}

/// The JWT of the user at an Altcraft platform.
package struct PushJWT: PushRegistrarRequest {
    package var registrar: String
    package let token: Secret<String>

    package init(_ registrar: String, _ token: Secret<String>) { (self.registrar, self.token) = (registrar, token) }

    package static let form = JSONForm<Self>("PushTokenValue", "A token.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        token = try members.token(\.token)
    }
}

/// A push token set by a caller.
package struct PushTokenChange: JSONRecord {
    package let provider: String
    package let token: Secret<String>

    package init(_ provider: String, _ token: Secret<String>) { (self.provider, self.token) = (provider, token) }

    package static let form = JSONForm<Self>("PushTokenValue", "A token.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        provider = try members.provider(\.provider)
        token = try members.token(\.token)
    }
}

/// The name of a provider.
package struct PushProviderName: JSONRecord {
    package let provider: String

    package init(_ provider: String) { self.provider = provider }

    package static let form = JSONForm<Self>("PushProviderName", "The name of a provider.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { provider = try members.provider(\.provider) }
}

/// The order in which providers are tried.
package struct PushProviderOrder: JSONRecord {
    package let providers: [PushProvider]

    package init(_ providers: [PushProvider]) { self.providers = providers }

    package static let form = JSONForm<Self>("PushProviders", "The order in which providers are tried.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        providers = try members.required(
            "providers",
            \.providers,
            "The providers, the preferred one first; other providers are not used."
        )
    }
}

/// A report about a push.
package struct PushEventReport: JSONRecord {
    package let event: PushEvent
    package let payload: JSONValue

    package init(_ event: PushEvent, of payload: JSONValue) { (self.event, self.payload) = (event, payload) }

    package static let form = JSONForm<Self>("PushEvent", "A report about a push.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        event = try members.required("event", \.event, "The event.")
        payload = try members.required(
            "payload",
            \.payload,
            "The push as received.",
            .example(.members(["_ac_uid": .string("7d1f")]))
        )
    }
}

/// The scope of removing push registrations.
package struct PushClearRequest: JSONRecord {
    package let everybody: Bool

    package init(everybody: Bool) { self.everybody = everybody }

    package static let form = JSONForm<Self>("PushClearing", "The scope of the removal.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        everybody = try members.flag("everybody", \.everybody, "Whether to include all users of the environment.")
    }
}

private let silentHelp = "Whether to suppress triggers of the platform."

extension Members {
    fileprivate mutating func registrar(
        _ get: @escaping @Sendable (Record) -> String
    ) throws(JSONMismatch) -> String {
        try path("name", get, "The name of the server in the file.", .schema(.text(upTo: 64)), .example("main"))
    }

    fileprivate mutating func provider(
        _ get: @escaping @Sendable (Record) -> String
    ) throws(JSONMismatch) -> String {
        try path("provider", get, "The provider.", .schema(.words(PushProvider.words)), .example("fcm"))
    }

    fileprivate mutating func waits(_ get: @escaping @Sendable (Record) -> Bool) throws(JSONMismatch) -> Bool {
        try queryFlag("wait", get, "Respond when the server has responded; 'state' is then not 'pending'.")
    }

    fileprivate mutating func token(
        _ get: @escaping @Sendable (Record) -> Secret<String>
    ) throws(JSONMismatch) -> Secret<String> {
        try required(
            "token",
            { SecretText(get($0)) },
            "The whole token.",
            .example(SecretText(Secret("token-of-the-device")))
        )
        .secret
    }
}
