import WireBase
import WireConfig
package import WireHTTP
import WirePushContract

/// How one server knows this device, for one user of it.
package struct Registration: Sendable, Equatable {
    /// What is wanted of the server.
    enum Wish: String, JSONWord, PlainCodable {
        case registered, unregistered, suspended
    }

    /// What the server knows, as it has confirmed it.
    struct Told: Sendable, Equatable {
        var token: ProviderToken
        /// Which server it is; another one knows nothing.
        var server: String
        /// A digest of everything else it was told.
        var facts: String
        var isSuspended = false
        /// Whose it is, for whoever ends it when somebody else uses the device; nil where it is the device's.
        var user: String?
        /// Since when it knows the device without a break, and when it was told last; milliseconds since 1970.
        var since: Int64
        var at: Int64
    }

    /// What is on its way.
    struct Asked: Sendable, Equatable {
        var kind: PushErrand.Kind
        /// A digest of what the server is to know then.
        var target: String
        var id: String
        /// Whether a caller has asked for it, so that it is sent whatever the server knows.
        var isWished = false
    }

    /// Why the server does not know what it was told.
    struct Refusal: Sendable, Equatable {
        /// What was refused; what the registration was before still holds.
        var kind: PushErrand.Kind
        var reason: String
        /// The status the server answered with.
        var status: Int?
        /// Whether the server has decided so; if not, the request was given up.
        var isServers = true
        /// Whether it said more than the file does, which is not kept: only the caller can ask for it again.
        var hasWords = false
        var target: String
        var at: Int64
    }

    var wish = Wish.registered
    var told: Told?
    var asked: Asked?
    var refusal: Refusal?
    /// Grows with everything that is asked, so that no two requests have one id.
    var revision = 0
}

extension Registration: JSONRecord {
    package static let form = JSONForm<Self>("PushRegistration", "A registration as it is stored.", version: 1)

    /// How ids of requests are made; before the second way other installs could have the same ones.
    private static let ids = 2

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let ids = try members.value("ids", { _ in Self.ids }, "How the ids of requests are made.", or: 1)
        wish = try members.value("wish", \.wish, "What is wanted of the server.", or: .registered)
        revision = try members.value("revision", \.revision, "How often something was asked.", or: 0)
        told = try members.optional("told", \.told, "What the server knows.")
        asked = try members.optional("asked", \.asked, "What is on its way.")
        refusal = try members.optional("refusal", \.refusal, "Why the server does not know what it was told.")
        // A server that was told under an id of other installs may have taken it for theirs: it is told once more.
        if ids != Self.ids { told?.facts = "" }
    }
}

extension Registration.Told: JSONRecord {
    static let form = JSONForm<Self>("PushRegistrationTold", "What a server knows of a registration.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        token = try ProviderToken(&members, \.token)
        server = try members.value("server", \.server, "Which server it is.", or: "")
        facts = try members.value("facts", \.facts, "A digest of all that it was told.", or: "")
        isSuspended = try members.value("suspended", \.isSuspended, "Whether it is suspended.", or: false)
        user = try members.optional("user", \.user, "Whose it is.")
        since = try members.value("since", \.since, "Since when the server knows the device.", or: 0)
        at = try members.value("at", \.at, "When it was told last.", or: 0)
    }
}

extension Registration.Asked: JSONRecord {
    static let form = JSONForm<Self>("PushRegistrationAsked", "What a server is asked for.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.required("kind", \.kind, "What it is asked for.")
        target = try members.value("target", \.target, "A digest of what it is to know then.", or: "")
        id = try members.value("id", \.id, "The id of the request.", or: "")
        isWished = try members.flag("wished", \.isWished, "Whether a caller has asked for it.")
    }
}

extension Registration.Refusal: JSONRecord {
    static let form = JSONForm<Self>("PushRegistrationRefusal", "What a server refused.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.value("kind", \.kind, "What was refused.", or: .register)
        reason = try members.required("reason", \.reason, "Why.")
        status = try members.optional("status", \.status, "The status of the answer.")
        isServers = try members.value("servers", \.isServers, "Whether the server decided so.", or: true)
        hasWords = try members.flag("words", \.hasWords, "Whether it said more than the file does.")
        target = try members.value("target", \.target, "A digest of what it was told.", or: "")
        at = try members.value("at", \.at, "When that was.", or: 0)
    }
}

extension ProviderToken: JSONRecord {
    package static let form = JSONForm<Self>("StoredPushToken", "A push token as it is stored.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) { try self.init(&members) { $0 } }

    /// One whose members stand among those of another record.
    fileprivate init<Record>(
        _ members: inout Members<Record>,
        _ get: @escaping @Sendable (Record) -> ProviderToken
    ) throws(JSONMismatch) {
        self.init(
            try members.required("provider", { get($0).provider }, "The provider that gave it."),
            try members.required("token", { get($0).text }, "The token.")
        )
    }
}

/// What is kept of tokens in an environment.
package struct KeptTokens: Sendable, Equatable {
    /// What the app has handed in, one a provider.
    var handed: [ProviderToken] = []
    /// The one that wins over all sources (Altcraft's `setPushToken`).
    var manual: ProviderToken?
    /// Made here, where the servers are built in and no source is named.
    var made: [ProviderToken] = []
    /// The order of providers, where somebody has changed it.
    var providers: [PushProvider]?
    /// JWTs that the app has handed in, by registrar.
    var jwts: [String: String] = [:]
    /// How often everything was removed (`*`), or what is of one user: what was asked before it is not told any more.
    var cleared: [String: Int] = [:]
    /// What was removed stays so until somebody registers it: all (`*`), or what is of these users.
    var quiet: [String] = []

    static let everybody = "*"
    /// Stands for all who are people.
    static let people = "u*"

    /// Whether what is kept by a tag is of a person, and not of the device whoever uses it.
    static func isPerson(_ tag: String) -> Bool { tag.hasPrefix("u") }

    /// Tells what was asked before a removal from what was asked after it.
    func epoch(of tag: String) -> String {
        let epoch = "\(cleared[Self.everybody] ?? 0).\(cleared[tag] ?? 0)"
        guard Self.isPerson(tag), let people = cleared[Self.people] else { return epoch }
        return "\(epoch).\(people)"
    }

    func isQuiet(_ tag: String) -> Bool { quiet.contains(Self.everybody) || quiet.contains(tag) }

    /// Forgets everything, or what is of one user.
    mutating func clear(_ tag: String) {
        var rest = self
        if tag == Self.everybody { rest = KeptTokens() }
        rest.cleared = cleared
        rest.cleared[tag, default: 0] += 1
        rest.quiet = quiet.filter { $0 != tag } + [tag]
        self = rest
    }

    /// Forgets what is of people, and who they were, but that those who are still there begin nothing by themselves: in one
    /// step, as whoever keeps registrations up looks at any time.
    mutating func clearPeople(leavingQuiet present: [String]) {
        let rounds = (cleared[Self.people] ?? 0) + 1
        jwts = [:]
        cleared = cleared.filter { !Self.isPerson($0.key) }
        cleared[Self.people] = rounds
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

extension KeptTokens: JSONRecord {
    package static let form = JSONForm<Self>("PushTokens", "The push tokens of an environment.", version: 1)

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        handed = try members.readable("handed", \.handed, "What the app has handed in.")
        manual = try members.optional("manual", \.manual, "The one that wins over all sources.")
        made = try members.readable("made", \.made, "Made here.")
        providers = try members.optional("providers", { $0.providers.map { ReadableItems($0) } }, "Their order.")?.items
        jwts = try members.value("jwts", { JSONMap($0.jwts) }, "JWTs by registrar.", or: JSONMap()).dictionary
        cleared = try members.value("cleared", { JSONMap($0.cleared) }, "Removals by tag.", or: JSONMap()).dictionary
        quiet = try members.readable("quiet", \.quiet, "What stays removed.")
    }
}
