import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireStore

/// Identified users: those registered at the server, and those of the file (`api/segmentation/identified`).
struct HaloUsers: Sendable {
    let records: HaloRecords
    let issuer: Issuer
    private let line = AsyncMutex()

    init(_ records: HaloRecords, _ issuer: Issuer) {
        (self.records, self.issuer) = (records, issuer)
    }

    /// The credentials in a request.
    private struct Profile: Sendable {
        let network: String
        let email: String
        let password: String

        private enum Network: String, CaseIterable { case halo, facebook, google }

        init(_ members: inout JSONMembers) throws(Problem) {
            network = (try members.word("network", as: Network.self) ?? .halo).rawValue
            email = try members.textIfAny("email") ?? ""
            password = try members.textIfAny("password") ?? ""
            // The device's name and the token of a social network.
            _ = try members.textIfAny("deviceId")
            _ = try members.textIfAny("token")
            guard email.utf8.count <= 256, password.utf8.count <= 1_024 else {
                throw members.failure("expected 256 bytes at most", "email")
            }
        }

        /// The embedded server cannot verify accounts of social networks.
        func checked() throws(HaloError) -> Self {
            guard network == "halo" else { throw .invalid("network", "only 'halo' is built in") }
            guard !email.isEmpty else { throw .invalid("email", "required") }
            guard !password.isEmpty else { throw .invalid("password", "required") }
            return self
        }
    }

    private static let names = ["name", "surname", "displayName", "photoUrl"]

    // MARK: Registering

    func register(_ request: Request) async throws -> Response {
        let (profile, person) = try Self.registration(request)
        let (context, known) = (issuer.commonContext, try profile.checked())
        let key = known.email.lowercased()
        return try await line.alone {
            guard try await records.find(key, on: .users) == nil, context.settings.user(key) == nil else {
                throw HaloError(.conflict, "The user is registered already", extra: [("email", .string(known.email))])
            }
            let salt = try context.machine.secret(16)
            var members: [(key: String, value: JSONValue)] = [
                ("id", .string("identified-\(try EnvironmentContent.newID(context.machine))")),
                ("email", .string(known.email)),
            ]
            members += Self.names.map { name in (name, .string(person[name]?.string ?? "")) }
            let user = JSONValue.object(members)
            let secret = [
                ("salt", JSONValue.string(salt)),
                ("digest", .string(try context.machine.digest(salt + known.password))),
            ]
            try await records.put(.object(members + secret), key, on: .users)
            return .json(user)
        }
    }

    private static func registration(_ request: Request) throws(Problem) -> (Profile, JSONValue) {
        try request.json { members throws(Problem) in
            let profile = try members.object("auth") { auth throws(Problem) in try Profile(&auth) }
            guard let profile else { throw members.failure("'auth' is missing", "auth") }
            let person = try members.object("profile") { person throws(Problem) in
                var texts: [(key: String, value: JSONValue)] = []
                for name in ["id", "email"] + names {
                    if let text = try person.textIfAny(name) { texts.append((name, .string(text))) }
                }
                return JSONValue.object(texts)
            }
            return (profile, person ?? .object([]))
        }
    }

    // MARK: Signing in

    func login(_ request: Request) async throws -> Response {
        let profile = try request.json { members throws(Problem) in try Profile(&members) }.checked()
        let context = issuer.commonContext
        let key = profile.email.lowercased()
        guard let kept = try await records.find(key, on: .users), let salt = kept["salt"]?.string,
            let digest = kept["digest"]?.string, let id = kept["id"]?.string
        else { return try await login(profile.email, profile.password) }
        guard context.attempts.wait(for: "identified/\(key)") == 0 else {
            throw HaloError(.tooManyRequests, "Too many wrong passwords")
        }
        guard try context.machine.isSame(digest, context.machine.digest(salt + profile.password)) else {
            context.attempts.wrong("identified/\(key)")
            throw HaloError(.unauthorized, "Invalid credentials")
        }
        context.attempts.right("identified/\(key)")
        let told = (kept.members ?? []).filter { $0.key != "salt" && $0.key != "digest" }
        return .tokens(.members(["user": .object(told), "token": try await token(for: nil, client: id, context)]))
    }

    /// Signs in as a user of the file.
    private func login(_ name: String, _ password: String) async throws -> Response {
        let realm = issuer.commonContext.registry.realms(in: issuer.commonContext.environment).first(
            where: \.takesPasswords
        )
        let context = issuer.commonContext.moved(to: realm?.name ?? RealmRegistry.common)
        let user = try context.user(name, password)
        let (given, family) = user.nameParts
        let told = JSONValue.members([
            "id": .string("identified-\(try context.subject(user.name))"), "email": .string(user.email ?? user.name),
            "photoUrl": .string(""), "name": .string(given), "surname": .string(family),
            "displayName": .string(user.displayName),
        ])
        return .tokens(.members(["user": told, "token": try await token(for: user.name, client: "halo", context)]))
    }

    /// Returns a token that is never renewed; its grant is stored for the token's lifetime.
    private func token(for user: String?, client: String, _ context: RealmRequest) async throws -> JSONValue {
        let answer = RealmRequest.Answer(
            grant: GrantRecord(
                realm: context.realm,
                client: client,
                user: user,
                scopes: ["profile"],
                session: nil,
                authTime: context.machine.seconds,
                secret: try context.machine.secret()
            ),
            id: try context.machine.secret(16),
            scopes: ["profile"],
            hasRefreshToken: false
        )
        let ends = context.machine.now + Int64(context.settings.accessLifetime) * 1_000
        try await context.records.put(answer.grant, answer.id, until: ends)
        return HaloTokens.inMilliseconds(try await context.tokens(answer))
    }
}
