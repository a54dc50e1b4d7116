import Synchronization
import WireAuthContract
import WireBase
import WireConfig
package import WireHTTP
import WireSecrets
package import WireService
import WireStore
import WireTelemetry

/// The service that signs in users and the app, renews their sessions and gives out tokens.
///
/// The session is kept in the store of the group: it survives reloads, switches and restarts.
package final class AuthService: Service {
    package typealias Settings = AuthSection

    /// The present settings and sessions; replaced as a whole.
    final class Present: Sendable {
        let settings: AuthSection
        let host: AuthHost

        init(settings: AuthSection, host: AuthHost) {
            (self.settings, self.host) = (settings, host)
        }
    }

    private let state: Mutex<Present>
    /// The mode of the file, which each request for a token reads; another mode needs another service.
    let mode: TokenMode
    /// The user's session; nil where only the app signs in.
    let userManager: SessionManager?
    /// The app's own session.
    let appManager: SessionManager?
    let coordinator: SignInCoordinator?
    /// Subscribers that wait for a token after a refusal as unavailable.
    let recovered = Subscribers<Void>()
    let watch: UserWatch
    let secrecy: any CryptoProvider
    let hashing: (any SlowHashing)?
    let accounts: (any AccountChecking)?
    let server: DeferredServer

    private init(_ settings: AuthSection, _ host: AuthHost, _ server: DeferredServer, _ link: ServerLink) async throws {
        guard let secrecy = host.find(.secrecy) else {
            throw MissingCapability("this program has no store for secrets")
        }
        let (present, watch) = (Present(settings: settings, host: host), UserWatch())
        let held = SharedPresent(present)
        self.server = server
        self.watch = watch
        self.secrecy = secrecy
        mode = TokenMode(settings.mode)
        hashing = host.find(.slowHashing)
        accounts = host.find(.accountChecking)
        try Self.check(settings, hashing, accounts)
        state = Mutex(present)
        let addons = SignInAddons(host)
        let parts = SessionDependencies(
            settings: settings,
            host: host,
            server: server,
            link: link,
            secrecy: secrecy,
            addons: addons,
            shared: held
        )
        let outlet = Self.outlet(held, watch)
        shared = held
        appManager = settings.mode == .user ? nil : parts.manager(.app, outlet)
        userManager = settings.mode == .app ? nil : parts.manager(settings.mode == .user ? .user : .appPlus, outlet)
        coordinator = userManager.map {
            SignInCoordinator(
                $0,
                server,
                listenerFactory: host.find(.listenerFactory),
                addons: addons,
                redirectURI: settings.redirectURI,
                clock: host.clock
            )
        }
        held.attach(coordinator)
        for manager in [userManager, appManager] {
            do throws(StoreFailure) {
                try await manager?.restore()
            } catch {
                throw Fault("the session cannot be read: \(error.reason)", help: error.help)
            }
        }
    }

    private let shared: SharedPresent
    /// Fires when another service takes over, or this one ends.
    let leaving = OneShot()

    package static func prepare(_ settings: AuthSection, in host: AuthHost) async throws -> AuthService {
        let link = try ServerLink(settings, host)
        return try await AuthService(
            settings,
            host,
            DeferredServer { try link.server(settings, host) },
            link
        )
    }

    /// Prepares the service with a given server, for tests.
    static func prepare(_ settings: AuthSection, in host: AuthHost, server: any IdentityServer) async throws
        -> AuthService
    {
        try await AuthService(settings, host, DeferredServer { server }, ServerLink(name: "test"))
    }

    /// The effect of a changed section on a running service.
    ///
    /// Texts, lead times and the rules of the lock change in place. Another server, client or flow needs another
    /// service, which finds the session in the store.
    package static func effect(of new: AuthSection, after old: AuthSection) -> SettingsEffect {
        ServerIdentity(new) == ServerIdentity(old) ? .rebound : .restarted
    }

    package var abilities: [OfferedAbility] {
        [ServiceAbility.accessTokens.offered(by: self), ServiceAbility.userPresence.offered(by: self)]
    }

    package static let operations = AuthRoutes.operations
    package var routes: [Route] { AuthRoutes(self).routes }

    /// Only now: the address of an embedded server is known after its start.
    package func start() async throws {
        try server.find()
        warnOfLock()
    }

    package func run() async throws {
        let host = present.host
        host.find(.clearings)?.join(AuthSection.name, AuthClearing(service: self), in: host.registrations)
        let (user, app, coordinator) = (userManager, appManager, coordinator)
        await withTaskGroup { group in
            for manager in [user, app].compactMap({ $0 }) {
                group.addTask { await manager.keepRenewing() }
                group.addTask { await manager.keepWatching() }
                group.addTask { await manager.notifyRecoveries { self.recovered.notify(()) } }
                group.addTask { await manager.revocations.run() }
            }
            if let user { group.addTask { await user.keepLocking() } }
            if let coordinator { group.addTask { await coordinator.keepWaiting() } }
            if let trust = present.host.uses.trust {
                group.addTask { for await distrust in trust.changes() { self.watch.withhold(because: distrust) } }
            }
        }
    }

    package func rebind(to settings: AuthSection, in host: AuthHost) async throws {
        try Self.check(settings, hashing, accounts)
        let present = Present(settings: settings, host: host)
        state.withLock { $0 = present }
        shared.become(present)
        userManager?.rebind(SessionSettings(settings, host))
        appManager?.rebind(SessionSettings(settings, host, isApp: true))
        warnOfLock()
    }

    private static func check(
        _ settings: AuthSection,
        _ hashing: (any SlowHashing)?,
        _ accounts: (any AccountChecking)?
    ) throws {
        switch settings.lock?.method {
        case .pin where hashing == nil:
            throw MissingCapability("this program cannot hash the PIN that 'lock' needs")
        case .pam where accounts == nil:
            throw MissingCapability("this program cannot check the passwords that 'lock' needs")
        default: break
        }
    }

    /// Why a locked session could not be unlocked on this machine; nil where it can.
    var lockObstacle: String? { present.settings.lock?.method == .pam ? accounts?.obstacle : nil }

    private func warnOfLock() {
        guard let lockObstacle else { return }
        present.host.log.warning("a locked session cannot be unlocked", ["reason": .text(lockObstacle)])
    }

    /// Cancels a pending sign-in and waits for a renewal in progress.
    package func drain() async {
        leaving.fire()
        coordinator?.close()
        for manager in [userManager, appManager] { await manager?.settleDown() }
    }

    package func stop() async {
        leaving.fire()
        coordinator?.close()
        await userManager?.noteUse(always: true)
        watch.finish()
        recovered.finish()
    }

    var present: Present { state.withLock { $0 } }
}

/// The present settings and sessions for the outlet, replaced when settings change.
final class SharedPresent: Sendable {
    private struct State {
        var present: AuthService.Present
        /// Weak, since the service owns the coordinator, and the coordinator's sessions own the outlet.
        weak var coordinator: SignInCoordinator?
        var appTrouble: Trouble?
        var userTrouble: Trouble?
    }

    private let state: Mutex<State>

    init(_ present: AuthService.Present) { state = Mutex(State(present: present)) }

    /// Stores the trouble of one session, and returns the most important one; the user's comes first.
    func worst(_ trouble: Trouble?, of mode: TokenMode) -> Trouble? {
        state.withLock { state in
            if mode == .app { state.appTrouble = trouble } else { state.userTrouble = trouble }
            return state.userTrouble ?? state.appTrouble
        }
    }

    func attach(_ coordinator: SignInCoordinator?) { state.withLock { $0.coordinator = coordinator } }
    func become(_ present: AuthService.Present) { state.withLock { $0.present = present } }

    var host: AuthHost { state.withLock { $0.present.host } }
    var settings: AuthSection { state.withLock { $0.present.settings } }
    var coordinator: SignInCoordinator? { state.withLock { $0.coordinator } }
}

/// The settings that need another server or client when they change; compared at a reload.
struct ServerIdentity: Equatable {
    private let texts: [String?]

    init(_ settings: AuthSection) {
        texts = [
            settings.provider.rawValue, settings.url?.text, settings.realm?.text, settings.policy.rawValue,
            settings.mode.rawValue, settings.flow.rawValue, settings.audience, settings.redirectURI.description,
            settings.postLogoutRedirectURI?.description, settings.clientID?.text, settings.clientSecret?.reveal(),
            settings.username, settings.password?.reveal(), "\(settings.leeway)", "\(settings.keysMaxAge)",
            settings.scopes.map(\.text).joined(separator: " "), settings.audiences.joined(separator: "\n"),
            settings.clientIDs?.items.map { "\($0.name)=\($0.value.text)" }.joined(separator: " "),
            settings.parameters.items.map { "\($0.name)=\($0.value)" }.joined(separator: "\n"),
        ]
    }
}
