import Synchronization
import WireBase
import WireConfig
package import WireService

/// Tokens for requests of other services. Such reads do not count as use and do not delay the lock.
extension AuthService: AccessTokens {
    package func token(_ wish: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        let keeper = try keeper(wish.mode)
        return try await keeper.token(for: wish.minimumLifetime).token
    }

    package func refused(_ token: AccessToken) async {
        for keeper in [userKeeper, appKeeper] where keeper?.mode == token.mode {
            keeper?.refuse { $0.value.reveal() == token.value.reveal() }
        }
    }

    package func refusal(_ mode: TokenMode?) -> TokenRefusal? {
        do throws(TokenRefusal) {
            guard case .refused(let refusal) = try keeper(mode).read(for: .zero, countsAsUse: false) else { return nil }
            return refusal
        } catch {
            return error
        }
    }

    package func recoveries() -> AsyncStream<Void> { recovered.listen(beginningWith: ()) }

    /// The keeper for a mode; with `appPlus` the user's as soon as a user is signed in, the app's until then.
    func keeper(_ mode: TokenMode?) throws(TokenRefusal) -> SessionManager {
        if let distrust = present.host.uses.trust?.distrust { throw TokenRefusal(distrust) }
        let declared = self.mode
        switch (mode ?? declared, declared) {
        case (.user, .user), (.app, .app), (.app, .appPlus):
            if let keeper = mode ?? declared == .app ? appKeeper : userKeeper { return keeper }
        case (.user, .appPlus):
            if let userKeeper { return userKeeper }
        case (.appPlus, .appPlus):
            if let userKeeper, userKeeper.state.withLock({ $0.session != nil }) { return userKeeper }
            if let appKeeper { return appKeeper }
        default: break
        }
        let host = present.host
        throw TokenRefusal(
            .undeclared,
            guidance: "The file declares mode '\(declared.rawValue)'; there is no token of mode "
                + "'\((mode ?? declared).rawValue)'.",
            origin: host.places.origin(of: present.settings.$mode, "auth.mode")
        )
    }
}

/// The signed-in user, for services that start with a user.
extension AuthService: UserPresence {
    package var user: SignedInUser? { watch.user }

    /// With the app's own tokens, other services have work before a user signs in.
    package var allowsAnonymous: Bool { present.settings.policy == .anonymous || mode != .user }

    package var absence: MissingUser {
        let present = present
        if mode == .app { return .undeclared(present.host.places.origin(of: present.settings.$mode, "auth.mode")) }
        return watch.withheld.map(MissingUser.withheld) ?? .signedOut
    }

    package func changes() -> AsyncStream<SignedInUser?> { watch.changes() }
}

extension TokenMode {
    init(_ mode: AuthMode) {
        self =
            switch mode {
            case .app: .app
            case .appPlus: .appPlus
            case .user: .user
            }
    }
}
