import Synchronization
package import WireAuthContract
package import WireBase
import WireHTTP
import WireSecrets
package import WireService
import WireStore
import WireTelemetry

/// Requests of the local API and of the embedding program.
extension AuthService {
    /// The session manager of the user's session.
    func requireUserManager() throws(AuthFailure) -> SessionManager {
        guard let userManager else { throw .noUser }
        return userManager
    }

    // MARK: Reading

    /// A token that is valid for at least this long; the request counts as use of the session.
    package func token(_ mode: TokenMode?, for least: Duration) async throws(AuthFailure) -> AccessToken {
        try await manager(asked: mode).apiToken(for: least).token
    }

    /// The session manager of the requested tokens.
    func manager(asked mode: TokenMode?) throws(AuthFailure) -> SessionManager {
        do throws(TokenRefusal) { return try manager(mode) } catch { throw AuthFailure(error) }
    }

    /// A token that replaces a rejected one; the session is renewed where the rejected token is still the present one.
    package func token(insteadOf refused: AccessToken, for least: Duration) async throws(AuthFailure) -> AccessToken {
        try await manager(asked: refused.mode).token(
            insteadOf: { $0.value.reveal() == refused.value.reveal() },
            for: least
        ).token
    }

    /// The signed-in user; the request counts as use of the session.
    package func signedInUser() async throws(AuthFailure) -> SignedInUser {
        let manager = try requireUserManager()
        if case .refused(let refusal) = await manager.readCurrent(for: .zero, countsAsUse: true) {
            throw AuthFailure(refusal)
        }
        // Read again under the lock: the session may have been locked since.
        let (user, refusal) = manager.state.withLock { state in
            (
                state.machine.isLocked ? nil : state.machine.facts?.user,
                state.refusal(state.machine.isLocked ? .locked : .signedOut)
            )
        }
        guard let user else { throw AuthFailure(refusal) }
        return user
    }

    // MARK: Signing in and out

    /// Begins a sign-in, or joins a pending one of the same flow; returns the task for the user.
    package func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInTask {
        let manager = try requireUserManager()
        guard let coordinator else { throw .noUser }
        let usual = present.settings.flow
        var options = SignInOptions(flow: request.flow ?? usual)
        if let name = request.userName, let password = request.password?.secret {
            options.credentials = (name, password)
        }
        switch options.flow {
        case .browser, .device: break
        // With a name and a password, no add-on is needed.
        case .password:
            guard usual == .password || usual == .addon && options.credentials != nil else { throw .undeclaredFlow }
        case .addon: guard usual == .addon else { throw .undeclaredFlow }
        }
        switch manager.state.withLock({ $0.machine.state }) {
        case .locked: throw AuthFailure(manager.state.withLock { $0.refusal(.locked) })
        case .signedIn: throw .signedIn
        case .signedOut, .signingIn, .blocked: break
        }
        if let pin = request.pin {
            guard let method = manager.state.withLock({ $0.settings.lock?.method }) else {
                throw AuthFailure(.undeclared)
            }
            guard method == .pin else { throw AuthFailure(.otherMethod(method)) }
            options.pinHash = try await locking { () throws(LockFailure) in
                try SessionManager.hash(of: pin.secret.reveal(), hashing)
            }
        }
        return try await signing(with: manager) { () async throws(SignInFailure) in try await coordinator.begin(options)
        }
    }

    private func signing<Answer>(
        with manager: SessionManager,
        _ work: () async throws(SignInFailure) -> Answer
    ) async throws(AuthFailure) -> Answer {
        do throws(SignInFailure) { return try await work() } catch { throw manager.failure(error) }
    }

    /// Cancels the pending sign-in.
    package func cancelSignIn() throws(AuthFailure) {
        guard let coordinator, coordinator.cancel() else { throw .noSignIn }
    }

    /// Finishes the pending sign-in with the URL the browser was redirected to.
    package func finishSignIn(callback url: String) async throws(AuthFailure) {
        let manager = try requireUserManager()
        guard let coordinator else { throw .noUser }
        var ending: OneShot?
        defer { ending?.fire() }
        try await signing(with: manager) { () async throws(SignInFailure) in
            try await coordinator.finish(callback: url) { ending = $0 }
        }
    }

    /// Signs out for all processes of the group.
    package func signOut() async throws(AuthFailure) -> SignedOut {
        let manager = try requireUserManager()
        coordinator?.cancel()
        let ended: SessionRecord.Session?
        do throws(StoreFailure) {
            ended = try await manager.signOut(.user)
        } catch {
            throw AuthFailure(.store(error))
        }
        guard let ended else { return SignedOut(endSessionURL: nil, revocation: nil) }
        // Built before the tokens are revoked: the server may end its session with the revocation.
        let url = try? await server.endOfSession(ended.grant, state: manager.source.newSession())
        return SignedOut(endSessionURL: url.flatMap { $0 }, revocation: await manager.revocations.revoke(ended))
    }

    // MARK: Locking

    /// Locks the session; with a PIN, sets the PIN first.
    package func lock(pin: Secret<String>?) async throws(AuthFailure) {
        let manager = try requireUserManager()
        try await locking { () async throws(LockFailure) in try await manager.lock(pin: pin?.reveal(), hashing) }
    }

    private func locking<Answer>(
        _ work: () async throws(LockFailure) -> Answer
    ) async throws(AuthFailure) -> Answer {
        do throws(LockFailure) { return try await work() } catch { throw AuthFailure(error) }
    }

    /// Unlocks the session with the PIN.
    package func unlock(pin: Secret<String>) async throws(AuthFailure) {
        guard let hashing else { throw AuthFailure(.hash(Fault("this program cannot hash a PIN"))) }
        try await unlock(.pin(pin, hashing))
    }

    /// Unlocks the session with the password of the account the program runs as.
    package func unlock(password: Secret<String>) async throws(AuthFailure) {
        guard let accounts else { throw AuthFailure(.otherMethod(.pin)) }
        try await unlock(.password(password, accounts))
    }

    private func unlock(_ attempt: UnlockAttempt) async throws(AuthFailure) {
        let manager = try requireUserManager()
        do throws(LockFailure) {
            try await manager.unlock(attempt)
        } catch {
            if case .unjudged(let reason, _) = error {
                present.host.log.warning("a password could not be checked", ["reason": .text(reason)])
            }
            throw AuthFailure(error)
        }
    }
}

extension SessionManager {
    fileprivate func failure(_ failure: SignInFailure) -> AuthFailure {
        AuthFailure(failure, state.withLock { $0.settings.trouble(failure) })
    }
}
