import CorewireCatalogue
import Foundation
import Support
import Synchronization
import WireAddonContract
import WireAuthContract
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireListener
import WireSecrets
import WireService
import WireSQLite
import WireStore
import WireTelemetry

@testable import WireAuth

/// A store for a group of processes, each of which a bench stands for.
final class SharedStore: Sendable {
    let sqlite: SQLiteStore
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        sqlite = try SQLiteStore.open(folder: folder.url.path, sealer: KeySealer(key, former: []))
    }
}

/// The service with a real store, a server that is a script, and a clock moved by hand.
final class Bench: Sendable {
    let store: SharedStore
    let clock: HandClock
    let server: ScriptedServer
    let events: EventHub
    let service: AuthService
    let host: AuthHost
    let manager: SessionManager

    static let usual = """
        url: https://sso.example.com
        clientId: tasks
        """

    init(
        _ section: String = Bench.usual,
        store: SharedStore? = nil,
        values: (any KeyValueStore)? = nil,
        clock: HandClock = HandClock(),
        server: ScriptedServer = ScriptedServer(),
        accounts: ScriptedAccounts = ScriptedAccounts(),
        listenerFactory: any ListenerFactory = TestDoors(),
        addons: AddonHooks? = nil,
        environment: String = "dev",
        group: DataStore? = nil
    ) async throws {
        let store = try store ?? SharedStore()
        (self.store, self.clock, self.server) = (store, clock, server)
        events = EventHub(keeping: 1_000, clock: clock.clockwork)
        let (settings, document) = try Self.read(section)
        let reports = Reports()
        var facts = EnvironmentFacts()
        facts.name = environment
        var offered = Abilities([
            Ability.secrecy.offered(by: OpenSSLSecrecy()), Ability.slowHashing.offered(by: QuickHashing()),
            Ability.listenerFactory.offered(by: listenerFactory), Ability.accountChecking.offered(by: accounts),
        ])
        if let addons { offered.add([Ability.addonHooks.offered(by: addons)]) }
        host = AuthHost(
            service: "auth",
            generation: 1,
            facts: facts,
            configuration: Configuration(facts: facts),
            app: nil,
            log: Log("auth", to: Silence()),
            events: events,
            metrics: Metrics(),
            stores: Stores(
                device: DataStore(values: values ?? store.sqlite, queue: store.sqlite),
                cache: store.sqlite,
                group: group,
                sharing: [.auth]
            ),
            clock: clock.clockwork,
            places: Places(document),
            folder: store.folder.url.path,
            offered: offered,
            report: { reports.add($0) }
        )
        self.told = reports
        server.clock = clock.clockwork
        service = try await AuthService.prepare(settings, in: host, server: server)
        guard let manager = service.userManager ?? service.appManager else { throw Unread() }
        self.manager = manager
        try service.server.find()
    }

    let told: Reports

    struct Unread: Error {}

    static func read(_ section: String) throws -> (settings: AuthSection, document: Document) {
        let indented = section.split(separator: "\n").map { "  \($0)\n" }.joined()
        let text = "version: 1\napp: { id: com.example.tasks }\nauth:\n\(indented)"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let settings = validation.environment(nil)?.configuration[AuthSection.self],
            let document = validation.file?.document
        else { throw Unread() }
        return (settings, document)
    }

    /// Signs a user in as if a person had.
    func signIn(lifetime: Duration = .seconds(300), refresh: Bool = true) async throws {
        try await manager.begin(server.grant(lifetime: lifetime, user: "ada", refresh: refresh))
    }

    func state() -> String { manager.state.withLock { $0.machine.word.rawValue } }

    /// The names of the events so far.
    var eventNames: [String] {
        events.kept().all.compactMap { if case .event(let event) = $0 { event.name } else { nil } }
    }

    /// Runs the service as long as something is done.
    func running<Value>(_ body: () async throws -> Value) async throws -> Value {
        let service = service
        let run = Task { try await service.run() }
        defer { run.cancel() }
        return try await body()
    }

    private struct Silence: LogSink {
        func write(_ record: LogRecord) {}
    }
}

final class Reports: Sendable {
    private let all = Mutex<[String]>([])

    func add(_ report: ServiceReport) {
        let text =
            switch report {
            case .well: "well"
            case .degraded(let fault): "degraded \(fault.origin?.place ?? "")"
            case .failed: "failed"
            case .inert: "inert"
            case .waiting: "waiting"
            }
        all.withLock { $0.append(text) }
    }

    var last: String? { all.withLock { $0.last } }
}

/// Hashes that are made quickly, for what is not about hashing.
struct QuickHashing: SlowHashing {
    func slowHash(of text: [UInt8]) -> String { "hash of \(String(decoding: text, as: UTF8.self))" }
    func isSlowHash(_ hash: String, of text: [UInt8]) -> Bool { hash == slowHash(of: text) }
}

struct TestDoors: ListenerFactory {
    func open(_ endpoint: Endpoint, limits: ListenerLimits, for responder: any Responder) throws -> any Listener {
        HTTPListener(at: endpoint, limits: limits, responder)
    }
    var inherited: [InheritedSocket] { [] }
}

/// The account of a machine, whose password is `right`, or that nobody can judge.
final class ScriptedAccounts: AccountChecking {
    struct State: Sendable {
        var obstacle: String?
        var asked = 0
        /// What comes instead of a verdict.
        var disorder: String?
        /// What a check waits for.
        var machine: OneShot?
    }

    let state = Mutex(State())

    var obstacle: String? { state.withLock(\.obstacle) }

    func check(_ password: Secret<String>) async -> AccountVerdict {
        let now = state.withLock { state in
            state.asked += 1
            return state
        }
        await now.machine?.wait()
        if let disorder = now.disorder { return .none(because: disorder) }
        return password.reveal() == "right" ? .right : .wrong
    }
}

/// An identity server that rotates refresh tokens, and ends the session of whoever uses one twice.
final class ScriptedServer: IdentityServer {
    struct State: Sendable {
        var number = 0
        /// The refresh token that is good, by family.
        var good: [String: String] = [:]
        var refreshes = 0
        var revoked: [String] = []
        /// What comes of the next revocations before one does what is asked.
        var revocations: [Result<Revocation, SignInFailure>] = []
        /// What the next refreshes do before they answer.
        var script: [Step] = []
        var lifetime = Duration.seconds(300)
        var polls: [Result<Bool, SignInFailure>] = []
        var appSignIns = 0
        var signIns = 0
        var finished: [String] = []
        var isReused = false
        var inFlight = 0
        var mostInFlight = 0
        /// Where browsers are to come back to, for each sign-in that has begun.
        var redirects: [String] = []
        /// What beginning or finishing a sign-in in a browser waits for.
        var beginGate: OneShot?
        var finishGate: OneShot?
        /// What asking whether a code was entered waits for, how often that was begun, and how often it broke off.
        var pollGate: OneShot?
        var codeLifetime = Duration.seconds(60)
        var polled = 0
        var brokenOff = 0
    }

    enum Step: Sendable {
        /// Fails before anything has happened.
        case fail(SignInFailure)
        /// Does what is asked, and loses the answer.
        case lose
        /// Waits until the state machine is opened.
        case wait(OneShot)
        /// Does what is asked, and says something of the user that cannot be believed.
        case remark(SignInFailure)
        /// Does what is asked, for another user.
        case confuse
    }

    let state = Mutex(State())
    private let clockState = Mutex<TimeSource?>(nil)

    var clock: TimeSource {
        get { clockState.withLock { $0 } ?? HandClock().clockwork }
        set { clockState.withLock { $0 = $0 ?? newValue } }
    }

    func script(_ steps: Step...) { state.withLock { $0.script += steps } }

    func grant(lifetime: Duration? = nil, user: String? = nil, refresh: Bool = true) -> Grant {
        let now = clock.wall()
        return state.withLock { state in
            state.number += 1
            let number = state.number
            if refresh { state.good["family"] = "refresh-\(number)" }
            return Grant(
                accessToken: Secret("access-\(number)"),
                type: "Bearer",
                expires: now + Int64((lifetime ?? state.lifetime) / .milliseconds(1)),
                refreshToken: refresh ? Secret("refresh-\(number)") : nil,
                refreshExpires: nil,
                idToken: nil,
                scopes: ["openid", "profile"],
                user: user.map {
                    GrantedUser(
                        issuer: "https://sso.example.com",
                        subject: $0,
                        claims: .members(["name": .string("Ada"), "sub": .string($0)])
                    )
                }
            )
        }
    }

    func refresh(_ grant: Grant) async throws(SignInFailure) -> Grant {
        let step = state.withLock { state -> Step? in
            state.refreshes += 1
            state.inFlight += 1
            state.mostInFlight = max(state.mostInFlight, state.inFlight)
            return state.script.isEmpty ? nil : state.script.removeFirst()
        }
        defer { state.withLock { $0.inFlight -= 1 } }
        if case .fail(let failure) = step { throw failure }
        if case .wait(let machine) = step { await machine.wait() }
        let isGood = state.withLock { state in
            guard grant.refreshToken?.reveal() == state.good["family"] else {
                state.isReused = true
                state.good = [:]
                return false
            }
            return true
        }
        guard isGood else { throw SignInFailure(.invalidGrant, "the refresh token was used before") }
        if case .lose = step {
            // A server that forgives: the token stays good until the new one is used.
            var failure = SignInFailure(.offline, "the answer was lost")
            failure.mayHaveTakenEffect = true
            throw failure
        }
        var answer = self.grant()
        switch step {
        case .remark(let failure): answer.remark = failure
        case .confuse:
            var failure = SignInFailure(.wrongToken, "the token is for another user")
            failure.isAboutAnotherUser = true
            throw failure
        default: break
        }
        return answer
    }

    func beginAuthorization(redirectURI: String) async throws(SignInFailure) -> PendingAuthorization {
        let machine = state.withLock { state in
            state.redirects.append(redirectURI)
            return state.beginGate
        }
        await machine?.wait()
        return PendingAuthorization(
            url: "https://sso.example.com/auth?redirect_uri=\(redirectURI)",
            redirectURI: redirectURI,
            state: "state-1",
            nonce: "nonce",
            verifier: Secret("verifier"),
            issuer: "https://sso.example.com"
        )
    }

    func finish(_ pending: PendingAuthorization, callback: String) async throws(SignInFailure) -> Grant {
        let machine = state.withLock { state in
            state.finished.append(callback)
            return state.finishGate
        }
        await machine?.wait()
        if callback.contains("error=unauthorized") { throw SignInFailure(.blocked, "user is blocked") }
        return grant(user: "ada")
    }

    func beginDevice() async throws(SignInFailure) -> PendingDevice {
        PendingDevice(
            deviceCode: Secret("device"),
            userCode: "ABCD",
            verificationURI: "https://sso.example.com/device",
            completeURI: nil,
            ends: clock.monotonic() + state.withLock(\.codeLifetime),
            interval: .seconds(5)
        )
    }

    func poll(_ pending: inout PendingDevice) async throws(SignInFailure) -> Grant? {
        let machine = state.withLock { state in
            state.polled += 1
            return state.pollGate
        }
        await machine?.wait()
        if Task.isCancelled {
            state.withLock { $0.brokenOff += 1 }
            throw SignInFailure(.abandoned, "the request was cancelled")
        }
        let next = state.withLock { $0.polls.isEmpty ? .success(false) : $0.polls.removeFirst() }
        return try next.get() ? grant(user: "ada") : nil
    }

    func signIn(name: String, password: Secret<String>) async throws(SignInFailure) -> Grant {
        state.withLock { $0.signIns += 1 }
        guard password.reveal() == "right" else { throw SignInFailure(.invalidCredentials, "wrong") }
        return grant(user: name)
    }

    func signInApp() async throws(SignInFailure) -> Grant {
        state.withLock { $0.appSignIns += 1 }
        return grant(refresh: false)
    }

    func revoke(_ grant: Grant) async throws(SignInFailure) -> Revocation {
        let next = state.withLock { state in
            if !state.revocations.isEmpty { return state.revocations.removeFirst() }
            state.revoked.append(grant.accessToken.reveal())
            return .success(.revoked)
        }
        return try next.get()
    }

    func endOfSession(_ grant: Grant, state: String) async throws(SignInFailure) -> String? {
        "https://sso.example.com/logout"
    }
}

/// Waits for something that blocks, on a thread nobody else needs.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { done in
        Thread { done.resume(with: Result { try work() }) }.start()
    }
}
