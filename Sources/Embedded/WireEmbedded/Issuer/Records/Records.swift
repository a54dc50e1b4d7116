import WireBackends
import WireConfig
import WireHTTP

/// The session of a user in one browser or app.
struct SessionRecord: IssuerRecord {
    static let table = IssuerRecords.Table.sessions
    static let kind = "session/"
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredIssuerSession", "A session with its expiry.")

    let realm: String
    let user: String
    /// The time of sign-in, in seconds since 1970.
    let authTime: Int
    /// The digest of the browser's cookie.
    let digest: String
}

extension SessionRecord: JSONRecord {
    static let form = JSONForm<Self>("IssuerSession", "The session of a user.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        realm = try members.required("realm", \.realm, "The realm.")
        user = try members.required("user", \.user, "The user.")
        authTime = try members.required("authTime", \.authTime, "The time of sign-in, in seconds since 1970.")
        digest = try members.required("digest", \.digest, "The digest of the browser's cookie.")
    }
}

/// A grant to a client: the tokens of one sign-in, which end together.
struct GrantRecord: IssuerRecord {
    static let table = IssuerRecords.Table.grants
    static let kind = "grant/"
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredIssuerGrant", "A grant with its expiry.")

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
}

extension GrantRecord: JSONRecord {
    static let form = JSONForm<Self>("IssuerGrant", "A grant to a client.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        realm = try members.required("realm", \.realm, "The realm.")
        client = try members.required("client", \.client, "The client.")
        user = try members.optional("user", \.user, "The user.")
        scopes = try members.readable("scopes", \.scopes, "The scopes.")
        session = try members.optional("session", \.session, "The session of the sign-in.")
        authTime = try members.required("authTime", \.authTime, "The time of sign-in, in seconds since 1970.")
        secret = try members.required("secret", \.secret, "The secret of the refresh tokens.")
        number = try members.required("number", \.number, "The number of the current refresh token.")
        isRevoked = try members.required("revoked", \.isRevoked, "Whether the grant is revoked.")
    }
}

/// An authorization code, stored after its use too so that a second use is noticed.
struct CodeRecord: IssuerRecord {
    static let table = IssuerRecords.Table.pending
    static let kind = "code/"
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredIssuerCode", "An authorization code with its expiry.")

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
}

extension CodeRecord: JSONRecord {
    static let form = JSONForm<Self>("IssuerCode", "An authorization code.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        realm = try members.required("realm", \.realm, "The realm.")
        client = try members.required("client", \.client, "The client.")
        user = try members.required("user", \.user, "The user.")
        redirectURI = try members.required("redirect", \.redirectURI, "The redirect URI.")
        challenge = try members.required("challenge", \.challenge, "The PKCE challenge.")
        nonce = try members.optional("nonce", \.nonce, "The nonce.")
        scopes = try members.readable("scopes", \.scopes, "The scopes.")
        session = try members.required("session", \.session, "The session of the sign-in.")
        authTime = try members.required("authTime", \.authTime, "The time of sign-in, in seconds since 1970.")
        expires = try members.required("expires", \.expires, "The expiry of the code.")
        grant = try members.required("grant", \.grant, "The grant that the code is exchanged for.")
        isUsed = try members.required("used", \.isUsed, "Whether the code was used.")
    }
}

/// A sign-in on a device without a browser, waiting for its user (RFC 8628).
struct DeviceRecord: IssuerRecord {
    static let table = IssuerRecords.Table.pending
    static let kind = "device/"
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredIssuerDevice", "A sign-in on a device with its expiry.")

    enum Decision: String, JSONWord, PlainCodable { case pending, allowed, denied }

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
}

extension DeviceRecord: JSONRecord {
    static let form = JSONForm<Self>("IssuerDevice", "A sign-in on a device.")

    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        realm = try members.required("realm", \.realm, "The realm.")
        client = try members.required("client", \.client, "The client.")
        scopes = try members.readable("scopes", \.scopes, "The scopes.")
        expires = try members.required("expires", \.expires, "The expiry of the device code.")
        interval = try members.required("interval", \.interval, "The interval of polls, in seconds.")
        asked = try members.required("asked", \.asked, "The time of the last poll.")
        decision = try members.required("decision", \.decision, "The decision of the user.")
        user = try members.optional("user", \.user, "The user.")
        session = try members.optional("session", \.session, "The session of the user.")
        authTime = try members.required("authTime", \.authTime, "The time of sign-in, in seconds since 1970.")
    }
}

/// A record of one text.
protocol TextRecord: IssuerRecord, PlainText {
    var text: String { get }
    init(_ text: String)
}

extension TextRecord {
    static var schema: JSONSchema { .text }
    static var placeholder: Self { Self("") }
    static var valueName: String? { "text" }
    static func read(plain text: String) -> Self { Self(text) }
    var plain: String { text }
}

/// The code that a user types, with the device code it refers to.
struct UserCode: TextRecord {
    static let table = IssuerRecords.Table.pending
    static let kind = "user-code/"
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredUserCode", "A user code with its expiry.")
    let text: String

    init(_ text: String) { self.text = text }
}

/// An access token that was revoked before its expiry.
struct RevokedToken: TextRecord {
    static let table = IssuerRecords.Table.revoked
    static let kind = "token/"
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredRevokedToken", "A revoked access token.")
    let text: String

    init(_ text: String) { self.text = text }
}

/// A port that the system has chosen.
struct ChosenPort: TextRecord {
    static let table = IssuerRecords.Table.keys
    static let kind = "port/"
    static let stored = JSONForm<ExpiringRecord<Self>>("StoredPort", "A port with its expiry.")
    let text: String

    init(_ text: String) { self.text = text }
}
