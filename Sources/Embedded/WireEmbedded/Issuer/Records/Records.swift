import WireBackends
import WireConfig

/// The session of a user in one browser or app.
struct SessionRecord: IssuerRecord {
    static let table = IssuerRecords.Table.sessions
    static let kind = "session/"

    let realm: String
    let user: String
    /// The time of sign-in, in seconds since 1970.
    let authTime: Int
    /// The digest of the browser's cookie.
    let digest: String

    init(realm: String, user: String, authTime: Int, digest: String) {
        self.realm = realm
        self.user = user
        self.authTime = authTime
        self.digest = digest
    }

    init?(_ json: JSONValue) {
        guard let realm = json["realm"]?.string, let user = json["user"]?.string,
            let authTime = json["authTime"]?.integer, let digest = json["digest"]?.string
        else { return nil }
        self.init(realm: realm, user: user, authTime: authTime, digest: digest)
    }

    var json: JSONValue {
        .members([
            "realm": .string(realm), "user": .string(user), "authTime": .integer(authTime), "digest": .string(digest),
        ])
    }
}

/// A grant to a client: the tokens of one sign-in, which end together.
struct GrantRecord: IssuerRecord {
    static let table = IssuerRecords.Table.grants
    static let kind = "grant/"

    let realm: String
    let client: String
    /// The user; nil where the client acts for itself.
    let user: String?
    let scopes: [String]
    /// The session of the sign-in; nil where there is no user.
    let session: String?
    let authTime: Int
    /// The secret that the refresh tokens derive from, base64url.
    let secret: String
    /// The number of the current refresh token.
    var number = 1
    var isRevoked = false

    /// Whether the grant outlives its session.
    var isOffline: Bool { scopes.contains("offline_access") }

    init(
        realm: String,
        client: String,
        user: String?,
        scopes: [String],
        session: String?,
        authTime: Int,
        secret: String
    ) {
        self.realm = realm
        self.client = client
        self.user = user
        self.scopes = scopes
        self.session = session
        self.authTime = authTime
        self.secret = secret
    }

    init?(_ json: JSONValue) {
        guard let realm = json["realm"]?.string, let client = json["client"]?.string,
            let scopes = json["scopes"]?.array, let authTime = json["authTime"]?.integer,
            let secret = json["secret"]?.string, let number = json["number"]?.integer,
            let isRevoked = json["revoked"]?.boolean
        else { return nil }
        self.init(
            realm: realm,
            client: client,
            user: json["user"]?.string,
            scopes: scopes.compactMap(\.string),
            session: json["session"]?.string,
            authTime: authTime,
            secret: secret
        )
        self.number = number
        self.isRevoked = isRevoked
    }

    var json: JSONValue {
        .members([
            "realm": .string(realm), "client": .string(client), "user": user.map(JSONValue.string),
            "scopes": .array(scopes.map(JSONValue.string)), "session": session.map(JSONValue.string),
            "authTime": .integer(authTime), "secret": .string(secret), "number": .integer(number),
            "revoked": .boolean(isRevoked),
        ])
    }
}

/// An authorization code, stored after its use too so that a second use is noticed.
struct CodeRecord: IssuerRecord {
    static let table = IssuerRecords.Table.pending
    static let kind = "code/"

    let realm: String
    let client: String
    let user: String
    let redirectURI: String
    let challenge: String
    let nonce: String?
    let scopes: [String]
    let session: String
    let authTime: Int
    /// The expiry in milliseconds since 1970; the record is stored for longer, see above.
    let expires: Int64
    /// The grant that the code is exchanged for.
    let grant: String
    var isUsed = false

    init(
        _ request: AuthorizationRequest,
        realm: String,
        _ session: SessionRecord,
        _ sessionID: String,
        expires: Int64,
        grant: String
    ) {
        self.realm = realm
        client = request.client
        user = session.user
        redirectURI = request.redirect.text
        challenge = request.challenge
        nonce = request.nonce
        scopes = request.scopes
        self.session = sessionID
        authTime = session.authTime
        self.expires = expires
        self.grant = grant
    }

    init?(_ json: JSONValue) {
        guard let realm = json["realm"]?.string, let client = json["client"]?.string, let user = json["user"]?.string,
            let redirectURI = json["redirect"]?.string, let challenge = json["challenge"]?.string,
            let scopes = json["scopes"]?.array, let session = json["session"]?.string,
            let authTime = json["authTime"]?.integer, let expires = json["expires"]?.integer,
            let grant = json["grant"]?.string, let isUsed = json["used"]?.boolean
        else { return nil }
        (self.realm, self.client, self.user, self.redirectURI) = (realm, client, user, redirectURI)
        (self.challenge, self.nonce, self.session) = (challenge, json["nonce"]?.string, session)
        self.scopes = scopes.compactMap(\.string)
        (self.authTime, self.expires, self.grant, self.isUsed) = (authTime, Int64(expires), grant, isUsed)
    }

    var json: JSONValue {
        .members([
            "realm": .string(realm), "client": .string(client), "user": .string(user),
            "redirect": .string(redirectURI), "challenge": .string(challenge), "nonce": nonce.map(JSONValue.string),
            "scopes": .array(scopes.map(JSONValue.string)), "session": .string(session),
            "authTime": .integer(authTime), "expires": .integer(Int(expires)), "grant": .string(grant),
            "used": .boolean(isUsed),
        ])
    }
}

/// A sign-in on a device without a browser, waiting for its user (RFC 8628).
struct DeviceRecord: IssuerRecord {
    static let table = IssuerRecords.Table.pending
    static let kind = "device/"

    enum Decision: String, Sendable { case pending, allowed, denied }

    let realm: String
    let client: String
    let scopes: [String]
    /// The expiry in milliseconds since 1970.
    let expires: Int64
    var interval = 5
    /// The time of the last poll, in milliseconds since 1970; zero for never.
    var asked: Int64 = 0
    var decision = Decision.pending
    var user: String?
    var session: String?
    var authTime = 0

    init(realm: String, client: String, scopes: [String], expires: Int64) {
        self.realm = realm
        self.client = client
        self.scopes = scopes
        self.expires = expires
    }

    init?(_ json: JSONValue) {
        guard let realm = json["realm"]?.string, let client = json["client"]?.string,
            let scopes = json["scopes"]?.array, let expires = json["expires"]?.integer,
            let interval = json["interval"]?.integer, let asked = json["asked"]?.integer,
            let decision = json["decision"]?.string.flatMap(Decision.init(rawValue:)),
            let authTime = json["authTime"]?.integer
        else { return nil }
        self.init(realm: realm, client: client, scopes: scopes.compactMap(\.string), expires: Int64(expires))
        (self.interval, self.asked, self.decision, self.authTime) = (interval, Int64(asked), decision, authTime)
        (user, session) = (json["user"]?.string, json["session"]?.string)
    }

    var json: JSONValue {
        .members([
            "realm": .string(realm), "client": .string(client), "scopes": .array(scopes.map(JSONValue.string)),
            "expires": .integer(Int(expires)), "interval": .integer(interval), "asked": .integer(Int(asked)),
            "decision": .string(decision.rawValue), "user": user.map(JSONValue.string),
            "session": session.map(JSONValue.string), "authTime": .integer(authTime),
        ])
    }
}

/// A record of one text: a user code, a revoked token, a port.
struct NoteRecord<Kind: NoteKind>: IssuerRecord {
    static var table: IssuerRecords.Table { Kind.table }
    static var kind: String { Kind.name }
    let text: String

    init(_ text: String) { self.text = text }

    init?(_ json: JSONValue) {
        guard let text = json.string else { return nil }
        self.text = text
    }

    var json: JSONValue { .string(text) }
}

protocol NoteKind: Sendable {
    static var table: IssuerRecords.Table { get }
    static var name: String { get }
}

/// The code that a user types, with the device code it refers to.
enum UserCode: NoteKind {
    static let table = IssuerRecords.Table.pending
    static let name = "user-code/"
}

/// An access token that was revoked before its expiry.
enum RevokedToken: NoteKind {
    static let table = IssuerRecords.Table.revoked
    static let name = "token/"
}

/// A port that the system has chosen.
enum ChosenPort: NoteKind {
    static let table = IssuerRecords.Table.keys
    static let name = "port/"
}
