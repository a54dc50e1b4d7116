import Synchronization
import WireBase
import WireConfig
package import WireService

/// Tokens for requests of other services. Such reads do not count as use and do not delay the lock.
extension AuthService: AccessTokens {
    package func token(_ query: TokenQuery) async throws(TokenRefusal) -> AccessToken {
        let manager = try manager(query.mode)
        return try await manager.token(for: query.minimumLifetime).token
    }

    package func refused(_ token: AccessToken) async {
        for manager in [userManager, appManager] where manager?.mode == token.mode {
            manager?.refuse { $0.value.reveal() == token.value.reveal() }
        }
    }

    package func refusal(_ mode: TokenMode?) -> TokenRefusal? {
        do throws(TokenRefusal) {
            guard case .refused(let refusal) = try manager(mode).read(for: .zero, countsAsUse: false) else {
                return nil
            }
            return refusal
        } catch {
            return error
        }
    }

    package func recoveries() -> AsyncStream<Void> { recovered.listen(beginningWith: ()) }

    /// The session manager for a mode; with `appPlus` the user's as soon as a user is signed in, the app's until then.
    func manager(_ mode: TokenMode?) throws(TokenRefusal) -> SessionManager {
        if let distrust = present.host.uses.trust?.distrust { throw TokenRefusal(distrust) }
        let declared = self.mode
        switch (mode ?? declared, declared) {
        case (.user, .user), (.app, .app), (.app, .appPlus):
            if let manager = mode ?? declared == .app ? appManager : userManager { return manager }
        case (.user, .appPlus):
            if let userManager { return userManager }
        case (.appPlus, .appPlus):
            if let userManager, userManager.state.withLock({ $0.session != nil }) { return userManager }
            if let appManager { return appManager }
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
