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
        let least = try request.minimumLifetime()
        let wish: TokenMode? = try request.queryWord("mode")
        let keeper: SessionKeeper
        do throws(TokenRefusal) { keeper = try service.keeper(wish) } catch { throw Problem(error) }
        let rights = request.rights
        try rights.check(keeper.mode, service.present.settings.mode, asked: wish)
        let clock = keeper.clock
        switch keeper.read(for: least, countsAsUse: true) {
        case .token(let snapshot): return .now(try Self.answer(snapshot, rights, clock))
        case .refused(let refusal): throw Problem(refusal)
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

    private static func answer(_ snapshot: TokenSnapshot, _ rights: Rights, _ clock: Clockwork) throws(Problem)
        -> Response
    {
        if let scope = rights.tokens.scopeTooMany(among: snapshot.token.scopes) {
            throw .forbidden("\(rights.account) may have no token with the scope \(scope.quoted); see api.apps")
        }
        return Response(
            .ok,
            fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .shared(snapshot.answer(clock))
        )
    }

    func user(_ request: Request) throws -> Response {
        try request.requireSession(service)
        let keeper = try service.people()
        if case .refused(let refusal) = keeper.read(for: .zero, countsAsUse: true) { throw Problem(refusal) }
        // Looked at once more: it may have been locked since.
        let user: SignedInUser? = try keeper.state.withLock { (state) throws(Problem) in
            if state.gate.isLocked { throw Problem(state.refusal(.locked)) }
            return state.gate.facts?.user
        }
        guard let user else { throw Problem(keeper.state.withLock { $0.refusal(.signedOut) }) }
        return .json(SignedInUserAnswer(user: user).json)
    }

    // MARK: Signing in and out

    func login(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let keeper = try service.people()
        guard let desk = service.desk else { throw Problem.noUser }
        let usual = service.present.settings.flow
        let (wish, pin) = try request.withBody.json { (members) throws(Problem) -> (SignInWish, String?) in
            let flow = try members.word("flow", as: LoginFlow.self).map(\.flow) ?? usual
            var wish = SignInWish(flow: flow)
            let (name, password) = (try members.textIfAny("username"), try members.textIfAny("password"))
            if let name, let password {
                wish.credentials = (name, Secret(password))
            } else if name != nil || password != nil {
                throw members.failure(
                    "'username' and 'password' belong together",
                    name == nil ? "username" : "password"
                )
            }
            guard flow == .password || wish.credentials == nil else {
                throw members.failure("only flow 'password' takes a password", "password")
            }
            return (wish, try members.textIfAny("pin"))
        }
        guard wish.flow != .password || usual == .password else { throw Problem.undeclaredFlow }
        switch keeper.state.withLock({ $0.gate.state }) {
        case .locked: throw Problem(keeper.state.withLock { $0.refusal(.locked) })
        case .signedIn: throw Problem.signedInAlready
        case .signedOut, .signingIn, .blocked: break
        }
        var complete = wish
        if let pin {
            guard let method = keeper.state.withLock({ $0.settings.lock?.method }) else {
                throw Problem(LockFailure.undeclared)
            }
            guard method == .pin else { throw Problem(LockFailure.otherMethod(method)) }
            do throws(LockFailure) {
                complete.pinHash = try SessionKeeper.hash(of: pin, service.hashing)
            } catch {
                throw Problem(error)
            }
        }
        do throws(SignInFailure) {
            let task = try await desk.begin(complete)
            let answer = SignInAnswer(task, keeper.clock, state: keeper.state.withLock { $0.gate.name })
            if case .wait = task.ask { return .json(answer.json) }
            return .json(answer.json, status: .accepted)
        } catch {
            throw Problem(error, keeper)
        }
    }

    func cancel(_ request: Request) throws -> Response {
        try request.requireSession(service)
        guard let desk = service.desk, desk.cancel() else { throw Problem.noSignIn }
        return Response(.noContent)
    }

    func callback(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let keeper = try service.people()
        guard let desk = service.desk else { throw Problem.noUser }
        let url = try request.json { (members) throws(Problem) in try members.text("url") }
        var ending: Ending?
        defer { ending?.fire() }
        do throws(SignInFailure) {
            try await desk.finish(callback: url) { ending = $0 }
        } catch {
            throw Problem(error, keeper)
        }
        return try status(request)
    }

    func logout(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let keeper = try service.people()
        try request.withBody.json { _ in }
        service.desk?.cancel()
        let grant: Grant?
        do throws(StoreFailure) {
            grant = try await keeper.signOut(.user)
        } catch {
            throw Problem(LockFailure.store(error))
        }
        guard let grant else { return .json(SignOutAnswer(url: nil, isRevoked: nil).json) }
        // Asked before the tokens are taken back, which the server may end the session for.
        let server = service.server
        let url = try? await server.endOfSession(grant, state: keeper.source.newSession())
        var isRevoked = true
        do throws(SignInFailure) { try await server.revoke(grant) } catch { isRevoked = false }
        return .json(SignOutAnswer(url: url.flatMap { $0 }, isRevoked: isRevoked).json)
    }

    // MARK: Locking

    func lock(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let keeper = try service.people()
        let pin = try request.withBody.json { (members) throws(Problem) in try members.textIfAny("pin") }
        do throws(LockFailure) {
            try await keeper.lock(pin: pin, service.hashing)
        } catch {
            throw Problem(error)
        }
        return try status(request)
    }

    func unlock(_ request: Request) async throws -> Response {
        try request.requireSession(service)
        let keeper = try service.people()
        let attempt = try request.json { (members) throws(Problem) in
            let (pin, password) = (try members.textIfAny("pin"), try members.textIfAny("password"))
            switch (pin, password) {
            case (let pin?, nil): return try self.attempt(pin: pin)
            case (nil, let password?): return try self.attempt(password: password)
            case (nil, nil): throw members.failure("'pin' or 'password' is missing", "pin")
            case (_?, _?): throw members.failure("only one of 'pin' and 'password' may be given", "password")
            }
        }
        do throws(LockFailure) {
            try await keeper.unlock(attempt)
        } catch {
            if case .unjudged(let reason, _) = error {
                service.present.host.log.warning("a password could not be checked", ["reason": .text(reason)])
            }
            throw Problem(error)
        }
        return try status(request)
    }

    private func attempt(pin: String) throws(Problem) -> UnlockAttempt {
        guard let hashing = service.hashing else {
            throw Problem(LockFailure.hash(SecrecyFailure("this program cannot hash a PIN")))
        }
        return .pin(Secret(pin), hashing)
    }

    private func attempt(password: String) throws(Problem) -> UnlockAttempt {
        guard let accounts = service.accounts else { throw Problem(LockFailure.otherMethod(.pin)) }
        return .password(Secret(password), accounts)
    }
}

/// The flows as requests name them.
enum LoginFlow: String, CaseIterable {
    case browser, device, password

    var flow: SignInFlow {
        switch self {
        case .browser: .browser
        case .device: .device
        case .password: .password
        }
    }
}

extension AuthService {
    /// The session of the user; a problem where the file knows none.
    fileprivate func people() throws(Problem) -> SessionKeeper {
        guard let userKeeper else { throw .noUser }
        return userKeeper
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

    /// Whether the caller may have to do with who is signed in: whoever may be given the user's tokens.
    fileprivate func mayTouchSession(_ service: AuthService) -> Bool {
        rights.tokens.allow(mode: "user") || rights.tokens.allow(mode: service.present.settings.mode.rawValue)
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
    fileprivate func check(_ mode: TokenMode, _ declared: AuthMode, asked: TokenMode?) throws(Problem) {
        let name = (asked ?? TokenMode(declared)).rawValue
        guard tokens.allow(mode: name) else {
            throw .forbidden("\(account) may have no tokens of mode '\(name)'; see api.apps")
        }
    }
}
