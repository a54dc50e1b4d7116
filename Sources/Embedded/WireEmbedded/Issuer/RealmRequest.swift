import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireStore
import WireTelemetry

/// The context of one request: its realm with clients, users and keys, at the time of the request.
struct RealmRequest: Sendable {
    let settings: IssuerSettings
    let machine: SystemServices
    let records: IssuerRecords
    let keys: CurrentKeyRing
    let attempts: Attempts
    let looks: PageStyle
    let log: Log
    let registry: RealmRegistry
    let environment: String
    let realm: String
    /// The address of the server and of the realm.
    let address: String

    var issuer: String { "\(address)/realms/\(realm)" }
    /// The base URL of the protocol's endpoints.
    var endpoints: String { "\(issuer)/protocol/openid-connect" }
    var path: String { "/realms/\(realm)/" }

    func client(_ id: String) -> EmbeddedClient? {
        registry.client(id, of: realm, in: environment) ?? settings.clients.first { $0.id == id }
    }

    /// The context in another realm.
    func moved(to realm: String) -> RealmRequest {
        RealmRequest(
            settings: settings,
            machine: machine,
            records: records,
            keys: keys,
            attempts: attempts,
            looks: looks,
            log: log,
            registry: registry,
            environment: environment,
            realm: realm,
            address: address
        )
    }

    // MARK: Passwords

    enum Admission: Sendable {
        case user(IssuerSettings.User)
        case wrong
        case blocked(IssuerSettings.User)
        /// Too many wrong passwords; the seconds to wait.
        case wait(Int)
    }

    /// Checks a name and a password; only a caller with the right password learns that the account is blocked.
    func admit(_ name: String, _ password: String) throws -> Admission {
        let user = settings.user(name)
        let counted = "\(realm)/\(user?.name ?? name.prefix(100).description)"
        let wait = attempts.wait(for: counted)
        guard wait == 0 else { return .wait(wait) }
        // An unknown user takes as long as a known one.
        let expected = user.flatMap { $0.password?.reveal() }
        let isSame = try machine.isSame(expected ?? "", password)
        guard let user, expected == nil || isSame else {
            attempts.wrong(counted)
            return .wrong
        }
        attempts.right(counted)
        return user.isBlocked ? .blocked(user) : .user(user)
    }

    // MARK: Sessions

    static let sessionCookie = "corewire_session"
    static let formCookie = "corewire_form"

    /// Returns the session of the requesting browser.
    func session(of request: Request) async throws -> (id: String, record: SessionRecord)? {
        guard let cookie = request.cookie(Self.sessionCookie) else { return nil }
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let kept = try await records.find(parts[0], SessionRecord.self),
            kept.record.realm == realm, try machine.isSame(kept.record.digest, machine.digest(parts[1])),
            let user = settings.user(kept.record.user), !user.isBlocked
        else { return nil }
        return (parts[0], kept.record)
    }

    /// Begins a durable session; returns it with the cookie for the browser.
    func beginSession(_ user: IssuerSettings.User) async throws -> (id: String, record: SessionRecord, cookie: String) {
        let (id, secret) = (try machine.secret(16), try machine.secret())
        let record = SessionRecord(
            realm: realm,
            user: user.name,
            authTime: machine.seconds,
            digest: try machine.digest(secret)
        )
        try await records.put(record, id, until: sessionEnd)
        return (
            id, record, cookie(Self.sessionCookie, "\(id).\(secret)", policy: "Lax", lifetime: settings.refreshLifetime)
        )
    }

    func endSession(_ id: String) async throws {
        try await records.remove(SessionRecord.self, id)
    }

    private var sessionEnd: Int64 { machine.now + Int64(settings.refreshLifetime) * 1_000 }

    func cookie(_ name: String, _ value: String, policy: String, lifetime: Int?) -> String {
        "\(name)=\(value); Path=\(path); HttpOnly; SameSite=\(policy)" + (lifetime.map { "; Max-Age=\($0)" } ?? "")
    }

    var endOfCookie: String { cookie(Self.sessionCookie, "", policy: "Lax", lifetime: 0) }

    // MARK: Forms

    /// Returns the token of a form, bound to a cookie of the browser and to the form's subject.
    func formToken(_ cookie: String, _ subject: String) throws -> String {
        try machine.digest("\(cookie)\n\(subject)")
    }

    /// Whether a form comes from the server's own page in the same browser.
    func isOwn(_ request: Request, _ form: Parameters, _ subject: String) throws -> Bool {
        guard let cookie = request.cookie(Self.formCookie), let token = form["token"] else { return false }
        return try machine.isSame(token, formToken(cookie, subject))
    }
}

extension Request {
    /// Returns the first cookie with a name; nil for a value that the server cannot have set.
    func cookie(_ name: String) -> String? {
        for field in fields.values(of: "Cookie") {
            for pair in field.split(separator: ";") {
                let text = pair.drop { $0 == " " }
                guard text.hasPrefix("\(name)=") else { continue }
                let value = text.dropFirst(name.count + 1)
                guard (1...256).contains(value.utf8.count) else { return nil }
                return String(value)
            }
        }
        return nil
    }
}
