import Synchronization
import WireAddonContract
import WireAuthContract
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore
import WireTelemetry

/// The server and the client of the sessions, with the connection to the server.
struct ServerLink: Sendable {
    /// Identifies the server and the client; tokens are sent only to the pair that they belong to.
    let name: String
    /// The embedded issuer, in environments that have one; its address is known once it has started.
    let embedded: (@Sendable () -> ServerSettings.Embedded)?

    init(name: String) {
        self.name = name
        embedded = nil
    }

    /// Finds the server of the environment, and registers the client of the file at an embedded server.
    init(_ settings: AuthSection, _ host: AuthHost) throws {
        // An embedded environment may still name a server of its own on this machine.
        guard host.facts.backend == .embedded, settings.url?.isStoodInFor ?? true else {
            embedded = nil
            let server = try Self.settings(settings, host, nil)
            name = "\(server.issuer) \(server.clientID)"
            return
        }
        guard let issuing = host.uses.issuer else {
            throw MissingCapability("this program has no embedded identity server")
        }
        let realm = settings.realm?.plain ?? host.app?.id.text ?? "app"
        let client = settings.clientID ?? host.facts.name.flatMap { settings.clientIDs?[$0] }
        let id = client?.text ?? host.app?.id.text ?? "app"
        issuing.admit(
            EmbeddedClient(
                id: id,
                secret: settings.clientSecret,
                redirectURIs: [settings.redirectURI.description],
                postLogoutRedirectURIs: settings.postLogoutRedirectURI.map { [$0.description] } ?? [],
                allowsPasswords: settings.flow.takesPasswords
            ),
            realm: realm
        )
        // HALO's users sign in at the API server, which contains the issuer.
        let servers = settings.provider == .halo ? host.uses.servers : nil
        embedded = {
            let issuer = issuing.issuer(realm: realm)
            let api = servers?.baseURL.resolving("/api")?.description
            return ServerSettings.Embedded(issuer: api ?? issuer, clientID: id)
        }
        // The port may change with each start.
        name = "embedded \(realm) \(id)"
    }

    static func settings(_ settings: AuthSection, _ host: AuthHost, _ embedded: ServerSettings.Embedded?) throws
        -> ServerSettings
    {
        try declared(settings, host) { () throws(SignInFailure) in
            try ServerSettings(
                settings,
                environment: host.facts.name,
                baseURL: host.facts.baseURL,
                embedded: embedded
            )
        }
    }

    /// Reads a server from the file; a fault names the setting at fault.
    static func declared<Server>(
        _ settings: AuthSection,
        _ host: AuthHost,
        _ read: () throws(SignInFailure) -> Server
    ) throws(Fault) -> Server {
        do throws(SignInFailure) { return try read() } catch {
            throw Fault(error.detail, origin: error.setting.flatMap { SessionSettings.origin(of: $0, settings, host) })
        }
    }
}

/// The parts that a session manager is made of.
struct SessionDependencies {
    let settings: AuthSection
    let host: AuthHost
    let server: any IdentityServer
    let link: ServerLink
    let secrecy: any CryptoProvider
    let addons: SignInAddons?
    let shared: SharedPresent

    func manager(_ mode: TokenMode, _ outlet: SessionOutlet) -> SessionManager {
        let repository = SessionRepository(host.stores, environment: host.environmentScope, mode: mode.rawValue)
        let random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        let shared = shared
        let revocations = Revocations(
            repository,
            of: link.name,
            server,
            clock: host.clock,
            random: random,
            tell: { $0.tell(shared.host, mode) }
        )
        return SessionManager(
            mode: mode,
            repository: repository,
            source: source(mode),
            revocations: revocations,
            settings: SessionSettings(settings, host, isApp: mode == .app),
            clock: host.clock,
            random: random,
            outlet: outlet
        )
    }

    private func source(_ mode: TokenMode) -> GrantSource {
        let (server, secrecy, settings) = (server, secrecy, settings)
        var byItself: (@Sendable () async throws(SignInFailure) -> Grant?)?
        if mode == .app {
            byItself = { () async throws(SignInFailure) in try await server.signInApp() }
        } else if settings.flow == .password, let name = settings.username, let password = settings.password {
            byItself = { () async throws(SignInFailure) in try await server.signIn(name: name, password: password) }
        } else if settings.flow == .addon, let addons {
            byItself = { () async throws(SignInFailure) in
                guard let credentials = try await addons.credentials() else { return nil }
                return try await server.signIn(by: credentials)
            }
        }
        return GrantSource(
            server: link.name,
            automaticSignIn: byItself,
            refresh: { (grant) async throws(SignInFailure) in try await server.refresh(grant) },
            newSession: { Self.name(secrecy) },
            meters: AuthMeters(host.metrics, mode)
        )
    }

    /// A unique name for this process.
    private static func name(_ secrecy: any CryptoProvider) -> String {
        let bytes = (try? secrecy.random(16)) ?? (0..<16).map { _ in UInt8.random(in: 0...255) }
        return bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension SessionSettings {
    init(_ settings: AuthSection, _ host: AuthHost, isApp: Bool = false) {
        self.init(
            renewBefore: settings.renewBefore,
            lock: isApp
                ? nil : settings.lock.map { LockRules($0, host.places.origin(of: settings.$lock, "auth.lock")) },
            guidance: settings.guidance,
            origin: { Self.origin(of: $0, settings, host) }
        )
    }

    /// The place of a setting in the file.
    static func origin(of setting: SignInFailure.Setting, _ settings: AuthSection, _ host: AuthHost) -> ValueOrigin? {
        let (place, key): (Place, String) =
            switch setting {
            case .url: (settings.$url, "url")
            case .realm: (settings.$realm, "realm")
            case .flow: (settings.$flow, "flow")
            case .clientID:
                settings.clientIDs == nil ? (settings.$clientID, "clientId") : (settings.$clientIDs, "clientIds")
            case .clientSecret: (settings.$clientSecret, "clientSecret")
            case .redirectURI: (settings.$redirectURI, "redirectUri")
            case .scopes: (settings.$scopes, "scopes")
            case .audience: (settings.$audience, "audience")
            case .audiences: (settings.$audiences, "audiences")
            case .username: (settings.$username, "username")
            case .password: (settings.$password, "password")
            case .parameters: (settings.$parameters, "parameters")
            }
        return host.places.origin(of: place, "auth.\(key)")
    }
}

extension AuthService {
    /// Forwards changes to watchers, to waiting services and to the status of this service.
    static func outlet(_ shared: SharedPresent, _ watch: UserWatch) -> SessionOutlet {
        SessionOutlet { effects, machine, mode, _ in
            let host = shared.host
            for effect in effects {
                switch effect {
                case .emit(let notice): notice.tell(host, mode)
                case .announceUser where mode != .app: watch.update(machine.facts?.user)
                case .announceUser: break
                case .endSignIn: shared.coordinator?.end()
                case .report: host.report { shared.report(machine.trouble, of: mode) }
                }
            }
        }
    }
}

extension SharedPresent {
    /// The status of the service over all sessions, after a change of one of them.
    fileprivate func report(_ trouble: Trouble?, of mode: TokenMode) -> ServiceReport {
        guard let trouble = worst(trouble, of: mode) else { return .well }
        return .degraded(Fault("\(trouble.kind): \(trouble.detail)", help: trouble.guidance, origin: trouble.origin))
    }
}

extension Revocations.Outcome {
    fileprivate func tell(_ host: AuthHost, _ mode: TokenMode) {
        switch self {
        case .postponed(let failure):
            host.log.warning(
                "the tokens could not be revoked; the revocation is retried",
                ["kind": .text(failure.kind.rawValue), "reason": .text(failure.detail)]
            )
        case .arrived(let revocation):
            host.log.notice("tokens of an ended session", ["revocation": .text(revocation.rawValue)])
            var event = AuthEvent(mode.rawValue)
            event.revocation = revocation.rawValue
            host.emit(AuthEvents.revoked, event)
        case .ended: host.log.warning("tokens expired before they could be revoked")
        }
    }
}

extension SessionStateMachine.Notice {
    fileprivate func tell(_ host: AuthHost, _ mode: TokenMode) {
        tellAddons(host.find(.addonHooks), mode)
        var event = AuthEvent(mode.rawValue)
        switch self {
        case .signedIn(let facts):
            host.log.notice("signed in", ["mode": .text(event.mode)])
            event.session = facts.session
            // Hidden from the same callers as in the status.
            host.emit(AuthEvents.signedIn, event, confined: ConfinedMembers(["session"], toSessionOf: event.mode))
        case .signedOut(let reason):
            host.log.notice("signed out", ["reason": .text(reason.rawValue)])
            event.reason = reason.rawValue
            host.emit(AuthEvents.signedOut, event)
        case .locked: host.emit(AuthEvents.locked, event)
        case .unlocked: host.emit(AuthEvents.unlocked, event)
        case .refreshed: host.emit(AuthEvents.refreshed, event)
        case .failed(let trouble):
            host.log.warning(
                trouble.detail,
                ["kind": .text(trouble.kind), "at": trouble.origin.map { .text("\($0.path) (\($0.place))") }]
            )
            (event.kind, event.guidance) = (trouble.kind, trouble.guidance)
            (event.isTransient, event.origin) = (trouble.isTransient, trouble.origin)
            host.emit(AuthEvents.failed, event)
        }
    }

    private func tellAddons(_ addons: AddonHooks?, _ mode: TokenMode) {
        switch self {
        case .signedIn(let facts):
            addons?.notify(.signedIn, .signedIn(mode: mode.rawValue, mode == .app ? nil : facts.user))
        case .signedOut(let reason):
            addons?.notify(.signedOut, .signedOut(mode: mode.rawValue, reason: reason.rawValue))
        case .locked, .unlocked, .refreshed, .failed: break
        }
    }
}
