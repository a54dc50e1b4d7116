import WireBase
import WireConfig
package import WireHTTP
import WirePushContract

/// The registration of this device at one server for one user.
package struct Registration: Sendable, Equatable {
    /// The state that a server should have.
    enum Goal: String, JSONWord, PlainCodable {
        case registered, unregistered, suspended
    }

    /// The state that the server has confirmed.
    struct Acknowledged: Sendable, Equatable {
        var token: ProviderToken
        /// The server; another one has no registration.
        var server: String
        /// A digest of all other facts that it has.
        var facts: String
        var isSuspended = false
        /// The user, needed to end the registration when another user has the device; nil where it is the device's.
        var user: String?
        /// Since when the server has had the device without a break, and when it was last updated; milliseconds since
        /// 1970.
        var since: Int64
        var at: Int64
    }

    /// A queued request.
    struct Asked: Sendable, Equatable {
        var kind: PushOperation.Kind
        /// A digest of the facts that the server has afterwards.
        var target: String
        var id: String
        /// Whether a caller has asked for it, so that it is sent even to a server that is up to date.
        var isRequested = false
    }

    /// Why a request failed for good.
    struct Refusal: Sendable, Equatable {
        /// The kind of the failed request; the former registration still holds.
        var kind: PushOperation.Kind
        var reason: String
        /// The status of the server's response.
        var status: Int?
        /// Whether the server rejected the request; if not, the outbox gave up.
        var isServers = true
        /// Whether a caller had added to the settings of the file; these values are not stored, so only the caller can
        /// repeat it.
        var hasWords = false
        var target: String
        var at: Int64
    }

    var goal = Goal.registered
    var acknowledged: Acknowledged?
    var asked: Asked?
    var refusal: Refusal?
    /// Grows with every request, so that no two have the same id.
    var revision = 0
}

extension Registration: JSONRecord {
    package static let form = JSONForm<Self>("PushRegistration", "A registration as it is stored.", version: 1)

    /// The version of request ids; version 1 could make the same ids in several installations.
    private static let ids = 2

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let ids = try members.value("ids", { _ in Self.ids }, "The version of request ids.", or: 1)
        goal = try members.value("wish", \.goal, "The wish.", or: .registered)
        revision = try members.value("revision", \.revision, "The number of requests so far.", or: 0)
        acknowledged = try members.optional("told", \.acknowledged, "The state of the server.")
        asked = try members.optional("asked", \.asked, "The queued request.")
        refusal = try members.optional("refusal", \.refusal, "The last failure.")
        // A server may take a registration under an ambiguous id for that of another installation: it is sent again.
        if ids != Self.ids { acknowledged?.facts = "" }
    }
}

extension Registration.Acknowledged: JSONRecord {
    static let form = JSONForm<Self>("PushRegistrationTold", "The state of a registration at a server.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        token = try ProviderToken(&members, \.token)
        server = try members.value("server", \.server, "The server.", or: "")
        facts = try members.value("facts", \.facts, "A digest of the facts.", or: "")
        isSuspended = try members.value("suspended", \.isSuspended, "Whether it is suspended.", or: false)
        user = try members.optional("user", \.user, "The user.")
        since = try members.value("since", \.since, "The time since which the server has had the device.", or: 0)
        at = try members.value("at", \.at, "The time of the last update.", or: 0)
    }
}

extension Registration.Asked: JSONRecord {
    static let form = JSONForm<Self>("PushRegistrationAsked", "A queued request.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("kind", \.kind, "The kind of request.")
        target = try members.value("target", \.target, "A digest of the facts afterwards.", or: "")
        id = try members.value("id", \.id, "The id of the request.", or: "")
        isRequested = try members.flag("wished", \.isRequested, "Whether a caller has asked for it.")
    }
}

extension Registration.Refusal: JSONRecord {
    static let form = JSONForm<Self>("PushRegistrationRefusal", "A request that failed for good.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.value("kind", \.kind, "The kind of request.", or: .register)
        reason = try members.required("reason", \.reason, "The reason.")
        status = try members.optional("status", \.status, "The status of the response.")
        isServers = try members.value("servers", \.isServers, "Whether the server rejected it.", or: true)
        hasWords = try members.flag("words", \.hasWords, "Whether a caller had added to the settings of the file.")
        target = try members.value("target", \.target, "A digest of the facts that were sent.", or: "")
        at = try members.value("at", \.at, "The time of the failure.", or: 0)
    }
}

extension ProviderToken: JSONRecord {
    package static let form = JSONForm<Self>("StoredPushToken", "A push token as it is stored.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { try self.init(&members) { $0 } }

    /// The form of a token whose members are part of another record.
    fileprivate init<Record>(
        _ members: inout Members<Record>,
        _ get: @escaping @Sendable (Record) -> ProviderToken
    ) throws(JSONMismatch) {
        self.init(
            try members.required("provider", { get($0).provider }, "The provider of the token."),
            try members.required("token", { get($0).text }, "The token.")
        )
    }
}

/// The stored push tokens of an environment.
package struct StoredTokens: Sendable, Equatable {
    /// The tokens set by the app, one a provider.
    var handed: [ProviderToken] = []
    /// The token that takes precedence over all sources (Altcraft's `setPushToken`).
    var manual: ProviderToken?
    /// Generated for embedded servers where no source is configured.
    var made: [ProviderToken] = []
    /// The order of providers, where the app has changed it.
    var providers: [PushProvider]?
    /// JWTs set by the app, by registrar.
    var jwts: [String: String] = [:]
    /// How often all data (`*`), or that of a user, was removed: earlier requests are not sent any more.
    var cleared: [String: Int] = [:]
    /// The users, or all (`*`), who are not registered again after a removal until the app asks for it.
    var quiet: [String] = []

    static let everybody = "*"
    /// Stands for all users.
    static let allUsers = "u*"

    /// Whether a tag belongs to a user, and not to the device.
    static func isPerson(_ tag: String) -> Bool { tag.hasPrefix("u") }

    /// Distinguishes requests from before a removal from later ones.
    func epoch(of tag: String) -> String {
        let epoch = "\(cleared[Self.everybody] ?? 0).\(cleared[tag] ?? 0)"
        guard Self.isPerson(tag), let allUsers = cleared[Self.allUsers] else { return epoch }
        return "\(epoch).\(allUsers)"
    }

    func isQuiet(_ tag: String) -> Bool { quiet.contains(Self.everybody) || quiet.contains(tag) }

    /// Removes all data, or that of one user.
    mutating func clear(_ tag: String) {
        var rest = self
        if tag == Self.everybody { rest = StoredTokens() }
        rest.cleared = cleared
        rest.cleared[tag, default: 0] += 1
        rest.quiet = quiet.filter { $0 != tag } + [tag]
        self = rest
    }

    /// Removes the data and identities of users, and marks those still known as not to be registered;
    /// in one step, since registrations may be checked at any time.
    mutating func clearUsers(leavingQuiet present: [String]) {
        let count = (cleared[Self.allUsers] ?? 0) + 1
        jwts = [:]
        cleared = cleared.filter { !Self.isPerson($0.key) }
        cleared[Self.allUsers] = count
        quiet = quiet.filter { !Self.isPerson($0) } + present
    }

    private static func put(_ token: ProviderToken, into tokens: inout [ProviderToken]) {
        tokens.removeAll { $0.provider == token.provider }
        tokens.append(token)
    }

    mutating func hand(_ token: ProviderToken) { Self.put(token, into: &handed) }
    mutating func make(_ token: ProviderToken) { Self.put(token, into: &made) }

    init() {}
}

extension StoredTokens: JSONRecord {
    package static let form = JSONForm<Self>("PushTokens", "The push tokens of an environment.", version: 1)

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        handed = try members.readable("handed", \.handed, "The tokens set by the app.")
        manual = try members.optional("manual", \.manual, "The token that takes precedence over all sources.")
        made = try members.readable("made", \.made, "Generated tokens.")
        providers = try members.optional(
            "providers",
            { $0.providers.map { ReadableItems($0) } },
            "The order of providers."
        )?.items
        jwts = try members.value("jwts", { JSONMap($0.jwts) }, "JWTs by registrar.", or: JSONMap()).dictionary
        cleared = try members.value("cleared", { JSONMap($0.cleared) }, "Removals by tag.", or: JSONMap()).dictionary
        quiet = try members.readable("quiet", \.quiet, "The tags that are not registered again.")
    }
}
