import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService

/// The stored form of a session, sealed.
struct SessionRecord: Sendable {
    var content: Content
    /// The server and the client of the session; its tokens are sent to no other server.
    var server: String

    enum Content: Sendable {
        case signedOut(SignOutReason)
        /// The account was blocked; the file has the text for the user.
        case blocked(kind: String)
        case session(Session)
    }

    struct Session: Sendable {
        let id: String
        var rotation: Int
        var grant: Grant
        var life: TokenLifetime
        /// The number of uses of its refresh token without an answer.
        var unansweredRefreshes: Int
        /// The hash of the PIN that the sign-in set: stored here so that the session is never without one.
        var pin: String?
    }

    var session: Session? { if case .session(let session) = content { session } else { nil } }
}

extension SessionRecord.Session {
    /// The initial lock of the session, used until a lock record is stored.
    func lock(_ clock: TimeSource) -> LockRecord {
        var lock = LockRecord(session: id, clock)
        lock.pin = pin
        return lock
    }

    var facts: SessionFacts {
        SessionFacts(
            session: id,
            rotation: rotation,
            user: grant.user.map {
                SignedInUser(subject: $0.subject, issuer: $0.issuer, claims: $0.claims, session: id)
            }
        )
    }
}

extension SessionRecord: JSONRecord {
    static let form = JSONForm<Self>("StoredSession", "A session as it is stored.", version: 1, as: "schema")

    private enum State: String, JSONWord, PlainCodable {
        case signedOut, blocked, signedIn
    }

    private var state: State {
        switch content {
        case .signedOut: .signedOut
        case .blocked: .blocked
        case .session: .signedIn
        }
    }

    private var reason: String? {
        switch content {
        case .signedOut(let reason): reason.rawValue
        case .blocked(let kind): kind
        case .session: nil
        }
    }

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        server = try members.required("server", \.server, "The server and the client.")
        let state = try members.required("state", \.state, "The state.")
        let reason = try members.optional("reason", \.reason, "Why the session ended.")
        let session = try members.optional("session", \.session, "The session of a signed-in user.")
        switch state {
        case .signedOut: content = .signedOut(reason.flatMap(SignOutReason.init) ?? .elsewhere)
        case .blocked: content = .blocked(kind: reason ?? "blocked")
        case .signedIn:
            guard let session else { throw members.mismatch("found no session that can be read", "session") }
            content = .session(session)
        }
    }
}

extension SessionRecord.Session: JSONRecord {
    static let form = JSONForm<Self>("StoredSessionTokens", "The tokens and the user of a session.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id of the session.")
        rotation = try members.required("rotation", \.rotation, "The number of the token pair.")
        unansweredRefreshes = try members.value(
            "uses",
            \.unansweredRefreshes,
            "The number of uses of the refresh token without an answer.",
            or: 0
        )
        grant = try members.required("grant", \.grant, "The tokens.")
        life = TokenLifetime(
            wall: try members.required("wall", \.life.wall, "The wall clock when the token was received."),
            monotonic: .microseconds(
                try members.required(
                    "monotonic",
                    { $0.life.monotonic.inMicroseconds },
                    "The monotonic clock at that time, in microseconds."
                )
            ),
            boot: try members.optional("boot", \.life.boot, "The start of the monotonic clock."),
            lifetime: try members.optional(
                "lifetime",
                { $0.life.lifetime?.inMicroseconds },
                "The lifetime at that time, in microseconds."
            ).map { .microseconds($0) }
        )
        pin = try members.optional("pin", \.pin, "The hash of the PIN.")
    }
}

extension Grant: JSONRecord {
    static let form = JSONForm<Self>("StoredGrant", "The tokens of a session.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            accessToken: try members.required(
                "accessToken",
                { SecretText($0.accessToken) },
                "The access token."
            ).secret,
            type: try members.required("type", \.type, "The type of the access token."),
            expires: try members.optional("expires", \.expires, "The expiry of the access token."),
            refreshToken: try members.optional(
                "refreshToken",
                { $0.refreshToken.map(SecretText.init) },
                "The refresh token."
            )?.secret,
            refreshExpires: try members.optional(
                "refreshExpires",
                \.refreshExpires,
                "The expiry of the refresh token."
            ),
            idToken: try members.optional("idToken", { $0.idToken.map(SecretText.init) }, "The ID token.")?.secret,
            scopes: try members.readable("scopes", \.scopes, "The granted scopes."),
            user: try members.optional("user", \.user, "The signed-in user.")
        )
    }
}

extension GrantedUser: JSONRecord {
    static let form = JSONForm<Self>("StoredUser", "The user of a session.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        self.init(
            issuer: try members.required("issuer", \.issuer, "The issuer."),
            subject: try members.required("subject", \.subject, "The id of the user at the issuer."),
            claims: try members.value("claims", \.claims, "The claims.", or: .object([])),
            authTime: try members.optional("authTime", \.authTime, "When the server last authenticated the user.")
        )
    }
}
