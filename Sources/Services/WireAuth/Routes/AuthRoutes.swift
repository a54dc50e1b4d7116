import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// The local API of who is signed in.
struct AuthRoutes: RouteGroup {
    let service: AuthService

    init(_ service: AuthService) {
        self.service = service
    }

    // MARK: Looking

    func status(_ request: Request) throws -> Response {
        .json(AuthStatus(service, isTrusted: request.mayTouchSession(service)).json)
    }

    /// Answers from the snapshot where that is good enough, and waits for a new token otherwise.
    func token(_ request: Request) throws -> Route.Handler.Quick {
        let (keeper, least) = try asked(request)
        let (rights, clock) = (request.rights, keeper.clock)
        switch keeper.read(for: least, countsAsUse: true) {
        case .token(let snapshot):
            let answer = try Self.answer(snapshot, rights, clock)
            keeper.source.meters?.gaveToken()
            return .now(answer)
        case .refused(let refusal):
            keeper.source.meters?.refusedToken(refusal)
            throw Problem(refusal)
        case .stale:
            return .later {
                let snapshot: TokenSnapshot
                do throws(TokenRefusal) {
                    snapshot = try await keeper.token(for: least, countsAsUse: true)
                } catch {
                    throw Problem(error, after: keeper.pause)
                }
                return try Self.answer(snapshot, rights, clock)
            }
        }
    }

    /// Renews a token that a server has refused.
    ///
    /// It is named by its digest: a log of request bodies then holds no token.
    func refused(_ request: Request) async throws -> Response {
        let digest = try request.json { (members) throws(Problem) in
            guard let digest = Hexadecimal.bytes(of: try members.text("sha256")).flatMap(Digest.init) else {
                throw members.failure("expected the SHA-256 of the token in 64 hexadecimal digits", "sha256")
            }
            return digest
        }
        let (keeper, least) = try asked(request)
        // Who may not have the present token does not have it renewed either.
        if case .token(let present) = keeper.read(for: .zero, countsAsUse: true) {
            try Self.check(request.rights, present)
        }
        let secrecy = service.secrecy
        let snapshot = try await done { () async throws(AuthFailure) in
            try await keeper.token(
                insteadOf: { (try? secrecy.digest(Array($0.value.reveal().utf8))) == digest },
                for: least
            )
        }
        return try Self.answer(snapshot, request.rights, keeper.clock)
    }

    /// Whose token is asked for, where the caller may have it, and for how long.
    private func asked(_ request: Request) throws(Problem) -> (SessionKeeper, for: Duration) {
        let least = try request.minimumLifetime()
        let wish: TokenMode? = try request.queryWord("mode")
        let keeper: SessionKeeper
        do throws(TokenRefusal) { keeper = try service.keeper(wish) } catch { throw Problem(error) }
        try request.rights.check(wish ?? service.mode)
        return (keeper, least)
    }

    private static let tokenFields: Fields = ["Content-Type": "application/json", "Cache-Control": "no-store"]

    private static func answer(_ snapshot: TokenSnapshot, _ rights: Rights, _ clock: Clockwork) throws(Problem)
        -> Response
    {
        try check(rights, snapshot)
        return Response(
            .ok,
            fields: tokenFields,
            body: .shared(snapshot.answer(clock))
        )
    }

    private static func check(_ rights: Rights, _ snapshot: TokenSnapshot) throws(Problem) {
        guard let scope = rights.tokens.scopeTooMany(among: snapshot.token.scopes) else { return }
        throw .forbidden("\(rights.account) may have no token with the scope \(scope.quoted); see api.apps")
    }

    func user(_ request: Request) throws -> Response {
        try request.requireSession(service)
        do throws(AuthFailure) {
            return .json(SignedInUserAnswer(user: try service.signedInUser()).json)
        } catch {
            throw Problem(error)
        }
    }

    // MARK: Signing in and out

    func login(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let usual = service.present.settings.flow
        let wish = try request.withBody.json { (members) throws(Problem) in
            var wish = SignInRequest(try members.word("flow", as: LoginFlow.self).map(\.flow))
            let (name, password) = (try members.textIfAny("username"), try members.textIfAny("password"))
            if let name, let password {
                wish.credentials = (name, Secret(password))
            } else if name != nil || password != nil {
                throw members.failure(
                    "'username' and 'password' belong together",
                    name == nil ? "username" : "password"
                )
            }
            guard wish.flow ?? usual == .password || wish.credentials == nil else {
                throw members.failure("only flow 'password' takes a password", "password")
            }
            wish.pin = try members.textIfAny("pin")
            return wish
        }
        let task = try await done { () async throws(AuthFailure) in try await service.signIn(wish) }
        let keeper = try done { () throws(AuthFailure) in try service.people() }
        let answer = SignInAnswer(task, keeper.clock, state: keeper.state.withLock { $0.gate.name })
        if case .wait = task.ask { return .json(answer.json) }
        return .json(answer.json, status: .accepted)
    }

    func cancel(_ request: Request) throws -> Response {
        try request.requireSession(service)
        try done { () throws(AuthFailure) in try service.cancelSignIn() }
        return Response(.noContent)
    }

    func callback(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let url = try request.json { (members) throws(Problem) in try members.text("url") }
        try await done { () async throws(AuthFailure) in try await service.finishSignIn(callback: url) }
        return try status(request)
    }

    func logout(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        try request.withBody.json { _ in }
        let end = try await done { () async throws(AuthFailure) in try await service.signOut() }
        return .json(SignOutAnswer(end: end).json)
    }

    // MARK: Locking

    func lock(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let pin = try request.withBody.json { (members) throws(Problem) in try members.textIfAny("pin") }
        try await done { () async throws(AuthFailure) in try await service.lock(pin: pin) }
        return try status(request)
    }

    func unlock(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let (pin, password) = try request.json { (members) throws(Problem) in
            let (pin, password) = (try members.textIfAny("pin"), try members.textIfAny("password"))
            switch (pin, password) {
            case (nil, nil): throw members.failure("'pin' or 'password' is missing", "pin")
            case (_?, _?): throw members.failure("only one of 'pin' and 'password' may be given", "password")
            default: return (pin, password.map { Secret($0) })
            }
        }
        try await done { () async throws(AuthFailure) in
            if let pin { try await service.unlock(pin: pin) }
            if let password { try await service.unlock(password: password) }
        }
        return try status(request)
    }

    private func done<Answer>(_ work: () throws(AuthFailure) -> Answer) throws(Problem) -> Answer {
        do throws(AuthFailure) { return try work() } catch { throw Problem(error) }
    }

    private func done<Answer>(_ work: () async throws(AuthFailure) -> Answer) async throws(Problem) -> Answer {
        do throws(AuthFailure) { return try await work() } catch { throw Problem(error) }
    }
}

/// The flows as requests name them.
enum LoginFlow: String, CaseIterable {
    case browser, device, password, addon

    var flow: SignInFlow {
        switch self {
        case .browser: .browser
        case .device: .device
        case .password: .password
        case .addon: .addon
        }
    }
}

extension Request {
    /// The same, with an empty body as an object without members.
    fileprivate var withBody: Request {
        guard body.isEmpty else { return self }
        var request = self
        request.body = Array("{}".utf8)
        return request
    }

    fileprivate func mayTouchSession(_ service: AuthService) -> Bool {
        rights.tokens.allowSession(of: service.mode.rawValue)
    }

    fileprivate func requireSession(_ service: AuthService) throws(Problem) {
        guard mayTouchSession(service) else {
            throw .forbidden("\(rights.account) has nothing to do with who is signed in; see api.apps")
        }
    }

    /// How much longer the token must be good.
    fileprivate func minimumLifetime() throws(Problem) -> Duration {
        guard let text = try queryText("minTTL") else { return .seconds(30) }
        do throws(Misread) {
            let duration = try Duration(parsing: text)
            guard duration >= .zero, duration <= .seconds(7 * 86_400) else { throw Misread() }
            return duration
        } catch {
            throw Problem(
                .badRequest,
                "invalid-query",
                "the query is not as expected",
                detail: "'minTTL': found \(text.quoted), expected a duration up to 7d, such as 30s"
            )
        }
    }
}

extension Rights {
    /// Throws where the caller may not be given tokens of a mode.
    fileprivate func check(_ mode: TokenMode) throws(Problem) {
        guard tokens.allow(mode: mode.rawValue) else {
            throw .forbidden("\(account) may have no tokens of mode '\(mode.rawValue)'; see api.apps")
        }
    }
}
