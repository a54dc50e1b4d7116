import WireBase
import WireConfig
import WireService

/// How one server knows this device, for one user of it.
struct Registration: Sendable, Equatable {
    /// What is wanted of the server.
    enum Wish: String, Sendable {
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

extension Registration {
    private static let version = 1
    /// How ids of requests are made; before the second way other installs could have the same ones.
    private static let ids = 2

    var bytes: [UInt8] {
        let json = JSONValue.members([
            "version": .integer(Self.version), "ids": .integer(Self.ids), "wish": .string(wish.rawValue),
            "revision": .integer(revision),
            "told": told.map { told in
                .members([
                    "provider": .string(told.token.provider.rawValue), "token": .string(told.token.text),
                    "server": .string(told.server), "facts": .string(told.facts),
                    "suspended": .boolean(told.isSuspended), "user": told.user.map(JSONValue.string),
                    "since": .integer(Int(told.since)),
                    "at": .integer(Int(told.at)),
                ])
            },
            "asked": asked.map { asked in
                .members([
                    "kind": .string(asked.kind.rawValue), "target": .string(asked.target), "id": .string(asked.id),
                    "wished": asked.isWished ? .boolean(true) : nil,
                ])
            },
            "refusal": refusal.map { refusal in
                .members([
                    "kind": .string(refusal.kind.rawValue), "reason": .string(refusal.reason),
                    "status": refusal.status.map(JSONValue.integer), "servers": .boolean(refusal.isServers),
                    "words": refusal.hasWords ? .boolean(true) : nil, "target": .string(refusal.target),
                    "at": .integer(Int(refusal.at)),
                ])
            },
        ])
        return json.bytes()
    }

    /// Nil for what this program has not written.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "registration"),
            json["version"]?.integer == Self.version
        else { return nil }
        self.init()
        wish = json["wish"]?.string.flatMap(Wish.init(rawValue:)) ?? .registered
        revision = json["revision"]?.integer ?? 0
        if let told = json["told"], let token = ProviderToken(told) {
            self.told = Told(
                token: token,
                server: told["server"]?.string ?? "",
                // A server that was told under an id of other installs may have taken it for theirs: it is told once more.
                facts: json["ids"]?.integer == Self.ids ? told["facts"]?.string ?? "" : "",
                isSuspended: told["suspended"]?.boolean ?? false,
                user: told["user"]?.string,
                since: Int64(told["since"]?.integer ?? 0),
                at: Int64(told["at"]?.integer ?? 0)
            )
        }
        if let asked = json["asked"], let kind = asked["kind"]?.string.flatMap(PushErrand.Kind.init(rawValue:)) {
            self.asked = Asked(
                kind: kind,
                target: asked["target"]?.string ?? "",
                id: asked["id"]?.string ?? "",
                isWished: asked["wished"]?.boolean ?? false
            )
        }
        if let refusal = json["refusal"], let reason = refusal["reason"]?.string {
            self.refusal = Refusal(
                kind: refusal["kind"]?.string.flatMap(PushErrand.Kind.init(rawValue:)) ?? .register,
                reason: reason,
                status: refusal["status"]?.integer,
                isServers: refusal["servers"]?.boolean ?? true,
                hasWords: refusal["words"]?.boolean ?? false,
                target: refusal["target"]?.string ?? "",
                at: Int64(refusal["at"]?.integer ?? 0)
            )
        }
    }
}

extension ProviderToken {
    init?(_ json: JSONValue) {
        guard let provider = json["provider"]?.string.flatMap({ PushProvider(rawValue: $0) }),
            let token = json["token"]?.string
        else { return nil }
        self.init(provider, token)
    }

    var json: JSONValue { .members(["provider": .string(provider.rawValue), "token": .string(text)]) }
}

/// What is kept of tokens in an environment.
struct KeptTokens: Sendable, Equatable {
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

    private static let version = 1

    var bytes: [UInt8] {
        let json = JSONValue.members([
            "version": .integer(Self.version), "handed": .array(handed.map(\.json)),
            "manual": manual.map(\.json), "made": .array(made.map(\.json)),
            "providers": providers.map { .array($0.map { .string($0.rawValue) }) },
            "jwts": .object(jwts.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }),
            "cleared": .object(cleared.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }),
            "quiet": .array(quiet.map(JSONValue.string)),
        ])
        return json.bytes()
    }

    init() {}

    /// Nil for what this program has not written.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, named: "tokens"), json["version"]?.integer == Self.version
        else { return nil }
        handed = (json["handed"]?.array ?? []).compactMap(ProviderToken.init)
        manual = json["manual"].flatMap(ProviderToken.init)
        made = (json["made"]?.array ?? []).compactMap(ProviderToken.init)
        providers = json["providers"]?.array?.compactMap { $0.string.flatMap { PushProvider(rawValue: $0) } }
        jwts = Dictionary(
            (json["jwts"]?.members ?? []).compactMap { name, value in value.string.map { (name, $0) } },
            uniquingKeysWith: { $1 }
        )
        cleared = Dictionary(
            (json["cleared"]?.members ?? []).compactMap { name, value in value.integer.map { (name, $0) } },
            uniquingKeysWith: { $1 }
        )
        quiet = (json["quiet"]?.array ?? []).compactMap(\.string)
    }
}
