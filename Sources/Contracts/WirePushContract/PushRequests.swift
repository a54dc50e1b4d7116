package import WireBase
package import WireConfig
package import WireHTTP

// What the operations on push registration are asked with.

/// Something that one push server is asked, by the name the file gives it.
package protocol PushRegistrarRequest: JSONRecord {
    var registrar: String { get set }
    /// Whether the caller waits until the server has answered.
    var waits: Bool { get }
}

extension PushRegistrarRequest {
    package var waits: Bool { false }
}

/// Which push server is meant.
package struct PushRegistrarName: PushRegistrarRequest {
    package var registrar: String

    package init(_ registrar: String) { self.registrar = registrar }

    package static let form = JSONForm<Self>("PushRegistrarName", "Which push server is meant.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { registrar = try members.registrar(\.registrar) }
}

/// Which subscription an Altcraft platform is asked about.
package enum PushStatusQuery: String, JSONWord, PlainCodable {
    /// The latest of the profile, the latest of the provider, the one of the present token.
    case latest, provider, current
}

/// A subscription that an Altcraft platform is asked about.
package struct PushStatusRequest: PushRegistrarRequest {
    package var registrar: String
    package var which: PushStatusQuery?

    package init(_ registrar: String, _ which: PushStatusQuery) { (self.registrar, self.which) = (registrar, which) }

    package static let form = JSONForm<Self>("PushStatusRequest", "A subscription that is asked about.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        which = try members.query("which", \.which, "The latest of the profile or provider, or the present token's.")
    }
}

/// Whether the caller waits until all servers have answered.
package struct PushRegisterAll: JSONRecord {
    package var waits = false

    package init(waits: Bool = false) { self.waits = waits }

    package static let form = JSONForm<Self>("PushRegisterAll", "Whether the caller waits for all servers.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { waits = try members.waits(\.waits) }
}

/// A server that is to register this device again.
package struct PushRegister: PushRegistrarRequest {
    package var registrar: String
    package var waits = false

    package init(_ registrar: String, waits: Bool = false) { (self.registrar, self.waits) = (registrar, waits) }

    package static let form = JSONForm<Self>("PushRegister", "A server that is to register this device again.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        waits = try members.waits(\.waits)
    }
}

/// What a subscription says besides what the file says; what is nil is as the file says.
package struct PushSubscription: PushRegistrarRequest {
    package var registrar: String
    package var waits = false
    package var customFields, profileFields: JSONMap<JSONValue>?
    package var categories: [Category]?
    package var sync, replace, skipTriggers: Bool?

    package init(_ registrar: String, waits: Bool = false) { (self.registrar, self.waits) = (registrar, waits) }

    /// Whether all of it is as the file says.
    package var isEmpty: Bool {
        customFields == nil && profileFields == nil && categories == nil && sync == nil && replace == nil
            && skipTriggers == nil
    }

    package static let form = JSONForm<Self>("PushSubscription", "What a subscription says besides the file.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        registrar = try members.registrar(\.registrar)
        waits = try members.waits(\.waits)
        customFields = try members.optional(
            "customFields",
            \.customFields,
            "Fields laid over those of the file.",
            .example(JSONMap([("plan", .string("pro"))]))
        )
        profileFields = try members.optional("profileFields", \.profileFields, "By name: a value, or action and value.")
        categories = try members.optional("categories", \.categories, "Categories in place of those of the file.")
        sync = try members.optional("sync", \.sync, "Whether the platform answers once it is stored.")
        replace = try members.optional("replace", \.replace, "Whether other subscriptions of the profile are replaced.")
        skipTriggers = try members.optional("skipTriggers", \.skipTriggers, silentHelp)
    }
}

extension PushSubscription {
    /// Something the user wants to hear about, or not; what is nil is as the file says.
    package struct Category: JSONRecord {
        package let name: String
        package var title: String?
        package var steady, active: Bool?

        package init(_ name: String) { self.name = name }

        package static let form = JSONForm<Self>("PushCategory", "Something the user wants to hear about, or not.")

        package init(_ members: inout Members<Self>) throws(JSONMismatch) {
            name = try members.required("name", \.name, "The name the platform knows.")
            title = try members.optional("title", \.title, "What people see; the name when absent.")
            steady = try members.optional("steady", \.steady, "Whether the user cannot leave it.")
            active = try members.optional("active", \.active, "Whether the user is in it.")
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
            "By name: a value, or an action (set, unset, incr, add, delete, upsert) and a value.",
            .example(JSONMap([("city", .string("Paris"))]))
        )
        skipsTriggers = try members.flag("skipTriggers", \.skipsTriggers, silentHelp)
    }
}

/// Something that happened in the app, for an Altcraft platform.
package struct PushMobileEvent: PushRegistrarRequest {
    package var registrar: String
    package let event: MobileEvent

    package init(_ registrar: String, _ event: MobileEvent) { (self.registrar, self.event) = (registrar, event) }

    package static let form = JSONForm<Self>("PushMobileEvent", "Something that happened in the app.")

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

/// A push token that a caller hands in.
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

/// Which provider is meant.
package struct PushProviderName: JSONRecord {
    package let provider: String

    package init(_ provider: String) { self.provider = provider }

    package static let form = JSONForm<Self>("PushProviderName", "Which provider is meant.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { provider = try members.provider(\.provider) }
}

/// The order in which providers are tried.
package struct PushProviderOrder: JSONRecord {
    package let providers: [PushProvider]

    package init(_ providers: [PushProvider]) { self.providers = providers }

    package static let form = JSONForm<Self>("PushProviders", "The order in which providers are tried.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        providers = try members.required("providers", \.providers, "The preferred first; those left out are not used.")
    }
}

/// What became of a push.
package struct PushEventReport: JSONRecord {
    package let event: PushEvent
    package let payload: JSONValue

    package init(_ event: PushEvent, of payload: JSONValue) { (self.event, self.payload) = (event, payload) }

    package static let form = JSONForm<Self>("PushEvent", "What became of a push.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        event = try members.required("event", \.event, "What became of it.")
        payload = try members.required(
            "payload",
            \.payload,
            "The push as it came.",
            .example(.members(["_ac_uid": .string("7d1f")]))
        )
    }
}

/// How much is removed of push registration.
package struct PushClearRequest: JSONRecord {
    package let everybody: Bool

    package init(everybody: Bool) { self.everybody = everybody }

    package static let form = JSONForm<Self>("PushClearing", "How much is removed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        everybody = try members.flag("everybody", \.everybody, "Everything of this environment, not only the user's.")
    }
}

private let silentHelp = "Whether the platform's triggers stay silent."

extension Members {
    fileprivate mutating func registrar(
        _ get: @escaping @Sendable (Record) -> String
    ) throws(JSONMismatch) -> String {
        try path("name", get, "The name the file gives the server.", .schema(.text(upTo: 64)), .example("main"))
    }

    fileprivate mutating func provider(
        _ get: @escaping @Sendable (Record) -> String
    ) throws(JSONMismatch) -> String {
        try path("provider", get, "The provider.", .schema(.words(PushProvider.words)), .example("fcm"))
    }

    fileprivate mutating func waits(_ get: @escaping @Sendable (Record) -> Bool) throws(JSONMismatch) -> Bool {
        try queryFlag("wait", get, "Answer when the server has: 'state' is not 'pending' then.")
    }

    fileprivate mutating func token(
        _ get: @escaping @Sendable (Record) -> Secret<String>
    ) throws(JSONMismatch) -> Secret<String> {
        try required(
            "token",
            { SecretText(get($0)) },
            "All of it.",
            .example(SecretText(Secret("token-of-the-device")))
        )
        .secret
    }
}
