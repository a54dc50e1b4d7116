import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService

/// The routes for tokens, sign-in and the lock.
struct AuthRoutes: RouteGroup {
    let service: AuthService

    init(_ service: AuthService) { self.service = service }

    static let table: [RouteEntry<AuthRoutes>] = [
        .call(AuthCalls.status, atOnce: AuthRoutes.status),
        // The response with a token is encoded once and shared by all callers.
        .init(AuthCalls.token.operation) { group in .snapshotOrWork(group.token) }.inline,
        .call(AuthCalls.refused, by: AuthRoutes.refused),
        .call(AuthCalls.user, by: AuthRoutes.user),
        .call(AuthCalls.signIn, by: AuthRoutes.signIn),
        .call(AuthCalls.cancel, by: AuthRoutes.cancel),
        .call(AuthCalls.callback, by: AuthRoutes.finish),
        .call(AuthCalls.signOut, by: AuthRoutes.signOut),
        .call(AuthCalls.lock, by: AuthRoutes.lock),
        .call(AuthCalls.unlock, by: AuthRoutes.unlock),
    ]

    private func status(_ request: APIRequest<NoInput>) throws(AuthFailure) -> APIReply<AuthReport> {
        report(request.rights)
    }

    private func report(_ rights: Rights) -> APIReply<AuthReport> {
        APIReply(service.report(isTrusted: rights.mayTouchSession(of: service)))
    }

    private func user(_ request: APIRequest<NoInput>) async throws(AuthFailure) -> APIReply<SignedInUser> {
        try request.rights.requireSession(of: service)
        return APIReply(try await service.signedInUser())
    }

    // MARK: Tokens

    /// Answers from the snapshot where its token is valid long enough, and waits for a renewal or for the store otherwise.
    private func token(_ request: Request) throws -> Route.Handler.Quick {
        let asked = request.target.query.isEmpty ? TokenRequest() : try TokenRequest(request)
        let (rights, least) = (request.rights, asked.minimumLifetime ?? Self.usualLifetime)
        let manager = try manager(asked.mode, rights)
        let clock = manager.clock
        let reading = manager.read(for: least, countsAsUse: true)
        switch reading {
        case .token(let snapshot):
            let answer = try Self.answer(snapshot, rights, clock)
            manager.source.meters?.gaveToken()
            return .now(answer)
        case .refused(let refusal) where !manager.mayBeOutdated(reading):
            manager.source.meters?.refusedToken(refusal)
            throw AuthFailure(refusal)
        case .stale, .refused:
            return .later {
                try Self.answer(try await manager.apiToken(for: least), rights, clock)
            }
        }
    }

    /// Renews a token that a server has refused.
    private func refused(_ request: APIRequest<RefusedToken>) async throws(AuthFailure) -> APIReply<TokenResponse> {
        let (rights, refused) = (request.rights, request.digest)
        let manager = try manager(request.mode, rights)
        // A caller without the right to the present token cannot have it renewed.
        if case .token(let present) = await manager.readCurrent(for: .zero, countsAsUse: true) {
            try rights.check(present)
        }
        let (secrecy, digest) = (service.secrecy, Digest(refused))
        let snapshot = try await manager.token(
            insteadOf: { (try? secrecy.digest(Array($0.value.reveal().utf8))) == digest },
            for: request.minimumLifetime ?? Self.usualLifetime
        )
        try rights.check(snapshot)
        return APIReply(snapshot.given(manager.clock))
    }

    private static let usualLifetime = Duration.seconds(30)

    /// The session manager of the requested tokens, if the caller has the right to them.
    private func manager(_ mode: TokenMode?, _ rights: Rights) throws(AuthFailure) -> SessionManager {
        let manager = try service.manager(asked: mode)
        try rights.check(mode ?? service.mode)
        return manager
    }

    private static let tokenFields: Fields = ["Content-Type": "application/json", "Cache-Control": "no-store"]

    private static func answer(
        _ snapshot: TokenSnapshot,
        _ rights: Rights,
        _ clock: TimeSource
    ) throws(AuthFailure) -> Response {
        try rights.check(snapshot)
        return Response(.ok, fields: tokenFields, body: .shared(snapshot.answer(clock)))
    }

    // MARK: Signing in and out

    private func signIn(_ request: APIRequest<SignInRequest>) async throws(AuthFailure) -> APIReply<SignInReport> {
        try request.rights.requireSession(of: service)
        guard request.password == nil || (request.flow ?? service.present.settings.flow) == .password else {
            throw .invalidBody("only the flow 'password' accepts a password")
        }
        let task = try await service.signIn(request.input)
        let manager = try service.requireUserManager()
        let report = SignInReport(task, manager.clock, manager.state.withLock { $0.machine.word })
        if case .wait = task.ask { return APIReply(report) }
        return APIReply(report, .accepted)
    }

    private func cancel(_ request: APIRequest<NoInput>) async throws(AuthFailure) -> APIReply<Nothing> {
        try request.rights.requireSession(of: service)
        try service.cancelSignIn()
        return .done
    }

    private func finish(_ request: APIRequest<SignInCallback>) async throws(AuthFailure) -> APIReply<AuthReport> {
        try request.rights.requireSession(of: service)
        try await service.finishSignIn(callback: request.url)
        return report(request.rights)
    }

    private func signOut(_ request: APIRequest<NoInput>) async throws(AuthFailure) -> APIReply<SignedOut> {
        try request.rights.requireSession(of: service)
        return APIReply(try await service.signOut())
    }

    // MARK: Locking

    private func lock(_ request: APIRequest<LockRequest>) async throws(AuthFailure) -> APIReply<AuthReport> {
        try request.rights.requireSession(of: service)
        try await service.lock(pin: request.pin?.secret)
        return report(request.rights)
    }

    private func unlock(_ request: APIRequest<UnlockRequest>) async throws(AuthFailure) -> APIReply<AuthReport> {
        try request.rights.requireSession(of: service)
        if let pin = request.pin {
            try await service.unlock(pin: pin.secret)
        } else if let password = request.password {
            try await service.unlock(password: password.secret)
        } else {
            throw .invalidBody("'pin' or 'password' is missing")
        }
        return report(request.rights)
    }
}

extension Rights {
    fileprivate func mayTouchSession(of service: AuthService) -> Bool {
        tokens.allowSession(of: service.mode.rawValue)
    }

    /// Throws if the caller has no right to the session.
    fileprivate func requireSession(of service: AuthService) throws(AuthFailure) {
        guard mayTouchSession(of: service) else {
            throw .forbidden("\(account) has no right to the session; see api.apps")
        }
    }

    /// Throws if the caller has no right to tokens of this mode.
    fileprivate func check(_ mode: TokenMode) throws(AuthFailure) {
        guard tokens.allow(mode: mode.rawValue) else {
            throw .forbidden("\(account) has no right to tokens of mode '\(mode.rawValue)'; see api.apps")
        }
    }

    /// Throws if the token has a scope that the caller has no right to.
    fileprivate func check(_ snapshot: TokenSnapshot) throws(AuthFailure) {
        guard let scope = tokens.scopeTooMany(among: snapshot.token.scopes) else { return }
        throw .forbidden("\(account) has no right to a token with the scope \(scope.quoted); see api.apps")
    }
}
