import WireAuthContract
import WireBase
import WireConfig
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

extension SessionRecord {
    /// The number of the written format; records of later formats are left alone.
    static let schema = 1

    var bytes: [UInt8] {
        let (state, detail): (String, JSONValue?) =
            switch content {
            case .signedOut(let reason): ("signedOut", .string(reason.rawValue))
            case .blocked(let kind): ("blocked", .string(kind))
            case .session: ("signedIn", nil)
            }
        let json = JSONValue.members([
            "schema": .integer(Self.schema), "server": .string(server), "state": .string(state),
            "reason": detail, "session": session?.json,
        ])
        return json.bytes()
    }

    init(_ bytes: [UInt8]) throws(Fault) {
        let json: JSONValue
        do throws(WireConfig.Unreadable) {
            json = try JSONValue(parsing: bytes, named: "session")
        } catch {
            // The stored value may be a token, so it is not shown.
            throw Fault("the session in the store is not JSON")
        }
        guard let schema = json["schema"]?.integer, let server = json["server"]?.string,
            let state = json["state"]?.string
        else { throw Fault("the session in the store has an unknown format") }
        guard schema <= Self.schema else {
            throw Fault("the session in the store was written by a later version")
        }
        self.server = server
        let reason = json["reason"]?.string
        switch state {
        case "signedOut": content = .signedOut(reason.flatMap(SignOutReason.init) ?? .elsewhere)
        case "blocked": content = .blocked(kind: reason ?? "blocked")
        default:
            guard let session = json["session"].flatMap(Session.init) else {
                throw Fault("the session in the store has an unknown format")
            }
            content = .session(session)
        }
    }
}

extension SessionRecord.Session {
    fileprivate var json: JSONValue {
        .members([
            "id": .string(id), "rotation": .integer(rotation), "uses": .integer(unansweredRefreshes),
            "grant": grant.json,
            "wall": .integer(Int(life.wall)),
            "monotonic": .integer(Int(life.monotonic.inMicroseconds)),
            "lifetime": life.lifetime.map { .integer(Int($0.inMicroseconds)) }, "pin": pin.map(JSONValue.string),
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let rotation = json["rotation"]?.integer,
            let grant = json["grant"].flatMap(Grant.init), let wall = json["wall"]?.integer,
            let monotonic = json["monotonic"]?.integer
        else { return nil }
        self.init(
            id: id,
            rotation: rotation,
            grant: grant,
            life: TokenLifetime(
                wall: Int64(wall),
                monotonic: .microseconds(monotonic),
                lifetime: json["lifetime"]?.integer.map { .microseconds($0) }
            ),
            unansweredRefreshes: json["uses"]?.integer ?? 0,
            pin: json["pin"]?.string
        )
    }
}

extension Grant {
    fileprivate var json: JSONValue {
        .members([
            "accessToken": .string(accessToken.reveal()), "type": .string(type),
            "expires": expires.map { .integer(Int($0)) },
            "refreshToken": refreshToken.map { .string($0.reveal()) },
            "refreshExpires": refreshExpires.map { .integer(Int($0)) },
            "idToken": idToken.map { .string($0.reveal()) }, "scopes": .array(scopes.map(JSONValue.string)),
            "user": user?.json,
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let access = json["accessToken"]?.string, let type = json["type"]?.string else { return nil }
        self.init(
            accessToken: Secret(access),
            type: type,
            expires: json["expires"]?.integer.map(Int64.init),
            refreshToken: json["refreshToken"]?.string.map { Secret($0) },
            refreshExpires: json["refreshExpires"]?.integer.map(Int64.init),
            idToken: json["idToken"]?.string.map { Secret($0) },
            scopes: json["scopes"]?.array?.compactMap(\.string) ?? [],
            user: json["user"].flatMap(GrantedUser.init)
        )
    }
}

extension GrantedUser {
    fileprivate var json: JSONValue {
        .members([
            "issuer": .string(issuer), "subject": .string(subject), "claims": claims,
            "authTime": authTime.map { .integer(Int($0)) },
        ])
    }

    fileprivate init?(_ json: JSONValue) {
        guard let issuer = json["issuer"]?.string, let subject = json["subject"]?.string else { return nil }
        self.init(
            issuer: issuer,
            subject: subject,
            claims: json["claims"] ?? .object([]),
            authTime: json["authTime"]?.integer.map(Int64.init)
        )
    }
}
