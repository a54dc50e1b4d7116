import Synchronization
package import WireAuthContract
package import WireBase
import WireHTTP
import WireSecrets
package import WireService
import WireStore
import WireTelemetry

/// What can be asked for: by the local API, and by the program the services run in.
extension AuthService {
    /// The session of the user.
    func people() throws(AuthFailure) -> SessionKeeper {
        guard let userKeeper else { throw .noUser }
        return userKeeper
    }

    // MARK: Looking

    /// A token that is good for so long; that somebody asks for it is use of the session.
    package func token(_ mode: TokenMode?, for least: Duration) async throws(AuthFailure) -> AccessToken {
        try await keeper(asked: mode).given(for: least).token
    }

    /// The keeper of the tokens that a caller asks for.
    func keeper(asked mode: TokenMode?) throws(AuthFailure) -> SessionKeeper {
        do throws(TokenRefusal) { return try keeper(mode) } catch { throw AuthFailure(error) }
    }

    /// A token in place of one that a server has refused, which is renewed where it is still the present one.
    package func token(insteadOf refused: AccessToken, for least: Duration) async throws(AuthFailure) -> AccessToken {
        try await keeper(asked: refused.mode).token(
            insteadOf: { $0.value.reveal() == refused.value.reveal() },
            for: least
        ).token
    }

    /// The user who is signed in; that somebody asks for it is use of the session.
    package func signedInUser() throws(AuthFailure) -> SignedInUser {
        let keeper = try people()
        if case .refused(let refusal) = keeper.read(for: .zero, countsAsUse: true) {
            throw AuthFailure(refusal)
        }
        // Looked at once more: it may have been locked since.
        let (user, refusal) = keeper.state.withLock { state in
            (
                state.gate.isLocked ? nil : state.gate.facts?.user,
                state.refusal(state.gate.isLocked ? .locked : .signedOut)
            )
        }
        guard let user else { throw AuthFailure(refusal) }
        return user
    }

    // MARK: Signing in and out

    /// Begins a sign-in, or joins the one of the same flow that waits; returns what the person must do.
    package func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInTask {
        let keeper = try people()
        guard let desk else { throw .noUser }
        let usual = present.settings.flow
        var wish = SignInWish(flow: request.flow ?? usual)
        if let name = request.userName, let password = request.password?.secret {
            wish.credentials = (name, password)
        }
        switch wish.flow {
        case .browser, .device: break
        // Who says name and password needs no add-on for it.
        case .password:
            guard usual == .password || usual == .addon && wish.credentials != nil else { throw .undeclaredFlow }
        case .addon: guard usual == .addon else { throw .undeclaredFlow }
        }
        switch keeper.state.withLock({ $0.gate.state }) {
        case .locked: throw AuthFailure(keeper.state.withLock { $0.refusal(.locked) })
        case .signedIn: throw .signedIn
        case .signedOut, .signingIn, .blocked: break
        }
        if let pin = request.pin {
            guard let method = keeper.state.withLock({ $0.settings.lock?.method }) else {
                throw AuthFailure(.undeclared)
            }
            guard method == .pin else { throw AuthFailure(.otherMethod(method)) }
            wish.pinHash = try await locking { () throws(LockFailure) in
                try SessionKeeper.hash(of: pin.secret.reveal(), hashing)
            }
        }
        return try await signing(with: keeper) { () async throws(SignInFailure) in try await desk.begin(wish) }
    }

    private func signing<Answer>(
        with keeper: SessionKeeper,
        _ work: () async throws(SignInFailure) -> Answer
    ) async throws(AuthFailure) -> Answer {
        do throws(SignInFailure) { return try await work() } catch { throw keeper.failure(error) }
    }

    /// Gives up the sign-in that waits.
    package func cancelSignIn() throws(AuthFailure) {
        guard let desk, desk.cancel() else { throw .noSignIn }
    }

    /// Finishes the sign-in that waits with the address the server has sent the browser to.
    package func finishSignIn(callback url: String) async throws(AuthFailure) {
        let keeper = try people()
        guard let desk else { throw .noUser }
        var ending: OneShot?
        defer { ending?.fire() }
        try await signing(with: keeper) { () async throws(SignInFailure) in
            try await desk.finish(callback: url) { ending = $0 }
        }
    }

    /// Signs out, here and for all processes of the group.
    package func signOut() async throws(AuthFailure) -> SignedOut {
        let keeper = try people()
        desk?.cancel()
        let ended: SessionRecord.Session?
        do throws(StoreFailure) {
            ended = try await keeper.signOut(.user)
        } catch {
            throw AuthFailure(.store(error))
        }
        guard let ended else { return SignedOut(endSessionURL: nil, revocation: nil) }
        // Asked before the tokens are taken back, which the server may end the session for.
        let url = try? await server.endOfSession(ended.grant, state: keeper.source.newSession())
        return SignedOut(endSessionURL: url.flatMap { $0 }, revocation: await keeper.revocations.revoke(ended))
    }

    // MARK: Locking

    /// Withholds tokens and user until unlocked; with a PIN, sets it first.
    package func lock(pin: Secret<String>?) async throws(AuthFailure) {
        let keeper = try people()
        try await locking { () async throws(LockFailure) in try await keeper.lock(pin: pin?.reveal(), hashing) }
    }

    private func locking<Answer>(
        _ work: () async throws(LockFailure) -> Answer
    ) async throws(AuthFailure) -> Answer {
        do throws(LockFailure) { return try await work() } catch { throw AuthFailure(error) }
    }

    /// Opens the lock by its PIN.
    package func unlock(pin: Secret<String>) async throws(AuthFailure) {
        guard let hashing else { throw AuthFailure(.hash(Fault("this program cannot hash a PIN"))) }
        try await unlock(.pin(pin, hashing))
    }

    /// Opens the lock by the password of the account the program runs as.
    package func unlock(password: Secret<String>) async throws(AuthFailure) {
        guard let accounts else { throw AuthFailure(.otherMethod(.pin)) }
        try await unlock(.password(password, accounts))
    }

    private func unlock(_ attempt: UnlockAttempt) async throws(AuthFailure) {
        let keeper = try people()
        do throws(LockFailure) {
            try await keeper.unlock(attempt)
        } catch {
            if case .unjudged(let reason, _) = error {
                present.host.log.warning("a password could not be checked", ["reason": .text(reason)])
            }
            throw AuthFailure(error)
        }
    }
}

extension SessionKeeper {
    fileprivate func failure(_ failure: SignInFailure) -> AuthFailure {
        AuthFailure(failure, state.withLock { $0.settings.trouble(failure) })
    }
}
