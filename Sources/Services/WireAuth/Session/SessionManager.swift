import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireStore
import WireTelemetry

/// Owns one session, the user's or the app's: restores and renews it, and gives out its tokens.
///
/// The store has the truth. The session manager caches what it last read, with the state machine that decides what follows.
final class SessionManager: Sendable {
    let mode: TokenMode
    let repository: SessionRepository
    let source: GrantSource
    let revocations: Revocations
    let renewal: Renewal
    let clock: TimeSource
    let random: @Sendable () -> Double
    /// Executes the state machine's decisions outside the session.
    let outlet: SessionOutlet
    let state: Mutex<State>
    /// Held while a change is decided and its effects are performed, so that others are told of changes in their order.
    private let performing = Mutex(())
    /// Signals after each attempt to renew.
    let updates = ChangeSignal()
    /// Signals work that is due earlier than planned.
    let renewalRequests = ChangeSignal()
    /// Signals each change of the session's state.
    let changes = ChangeSignal()
    /// Reads of the store before a caller is told that no user is signed in.
    let storeReads = SharedWork<Void>()

    struct State: Sendable {
        var machine = SessionStateMachine()
        var settings: SessionSettings
        /// The version of the session that was last read from the store, or of the store that had none.
        var version: Int64 = -1
        var session: SessionRecord.Session?
        var snapshot: TokenSnapshot?
        var lock: Repository<LockRecord>.Stored?
        /// The last use of the session in this process.
        var used: (wall: Int64, monotonic: Duration) = (0, .zero)
        /// The number of the rejected token pair.
        var refusedRotation = 0
        var refusals = RefusalPace()
        /// The longest requested lifetime since the last renewal.
        var requestedLifetime = Duration.zero
        /// The number of failures in a row.
        var failures = 0
        var notBefore = Duration.zero
        /// A random part of the lead time, so that processes do not renew at the same moment.
        var jitter = 0.0
        /// Whether a sign-in without the user is tried.
        var signsInByItself: Bool
        /// Whether a process ended while it used the refresh token, which is therefore tried again at once.
        var needsRecovery = false
        /// Whether a task renews; otherwise callers renew themselves.
        var isRunning = false
        var isRenewing = false
        /// The hash of the PIN that the pending sign-in sets.
        var pin: String?
        var lastTask = 0
        /// Whether a token was refused as unavailable, and none has been received since.
        var isMissed = false
        /// When the store may be read again because no user is signed in.
        var nextRead = Duration.zero
    }

    init(
        mode: TokenMode,
        repository: SessionRepository,
        source: GrantSource,
        revocations: Revocations,
        settings: SessionSettings,
        clock: TimeSource,
        random: @escaping @Sendable () -> Double,
        outlet: SessionOutlet
    ) {
        self.mode = mode
        self.repository = repository
        self.source = source
        self.revocations = revocations
        self.clock = clock
        self.random = random
        self.outlet = outlet
        renewal = Renewal(repository, source, revocations, clock: clock, random: random)
        state = Mutex(State(settings: settings, signsInByItself: source.signsInByItself))
    }

    // MARK: Reading the store

    /// Restores the session before the first request.
    func restore() async throws(StoreFailure) {
        var lock = try await repository.lock()
        if let stored = lock, stored.record.boot != clock.boot {
            lock = stored.converted(to: clock, atStart: true, idle: try await repository.lockAge())
        }
        let restored = lock
        state.withLock { $0.lock = restored }
        adopt(try await repository.present())
        state.withLock { state in
            state.lock = restored
            state.needsRecovery = (state.session?.unansweredRefreshes ?? 0) > 0
            guard let lock = restored?.record, lock.session == state.session?.id else { return }
            // Time during which no process ran counts as idle.
            state.used = (lock.usedWall, lock.usedMonotonic)
        }
    }

    /// Reads the store for changes of other processes; false where that fails.
    @discardableResult
    func reload() async -> Bool {
        do throws(StoreFailure) {
            try await adoptStored()
            return true
        } catch {
            recordFailure(SignInFailure(.offline, error.reason), kind: "store")
            return false
        }
    }

    /// Adopts the session and the lock of the store.
    func adoptStored() async throws(StoreFailure) {
        let present = try await repository.present()
        // The lock first: another process may have stored a session that is locked.
        try await reloadLock()
        adopt(present)
    }

    /// Adopts a session that was read or stored, unless it is older than the known one.
    ///
    /// For one that another process may have begun, and locked, the lock must have been read before.
    func adopt(
        _ kept: Repository<SessionRecord>.Stored?,
        as cause: (SessionFacts) -> SessionStateMachine.Event? = { _ in nil },
        ended failure: SignInFailure? = nil
    ) async {
        if let kept { return adopt((kept, kept.version), as: cause, ended: failure) }
        // A missing record may be an old read.
        try? await adoptStored()
    }

    private func adopt(
        _ present: SessionRepository.Present,
        as cause: (SessionFacts) -> SessionStateMachine.Event? = { _ in nil },
        ended failure: SignInFailure? = nil
    ) {
        let jitter = random()
        var isChange = false
        perform { state in
            let (snapshot, word) = (state.snapshot, state.machine.word)
            let effects = state.adopt(present, as: cause, ended: failure, source, mode, clock, jitter: jitter)
            isChange = state.snapshot !== snapshot || state.machine.word != word
            return effects
        }
        // Wake callers that wait for tokens. Without new tokens they are not woken: they would take that for a failed
        // attempt.
        if isChange { updates.signal() }
    }

    /// Decides on a change and performs its effects, before the next change is decided.
    ///
    /// The caller must not hold a lock that performing an effect takes.
    func perform(_ decide: (inout State) -> [SessionStateMachine.Effect]) {
        let isChange = performing.withLock { _ in
            let (effects, machine, settings) = state.withLock { (decide(&$0), $0.machine, $0.settings) }
            if !effects.isEmpty { outlet.perform(effects, machine, mode, settings) }
            return !effects.isEmpty
        }
        if isChange { changes.signal() }
    }

    func handle(_ event: SessionStateMachine.Event) { perform { $0.machine.handle(event) } }

    /// Records a failure that does not end the session.
    func recordFailure(_ failure: SignInFailure, kind: String? = nil) {
        perform { $0.machine.handle(.renewalFailed($0.settings.trouble(failure, kind: kind))) }
    }

    func rebind(_ settings: SessionSettings) {
        perform { state in
            state.settings = settings
            // A lock that the file no longer declares could not be unlocked.
            return state.machine.handle(state.isLockClosed ? .lockClosed : .lockOpened)
        }
        renewalRequests.signal()
    }
}

extension SessionManager.State {
    /// Adopts a session from the store, and returns the effects.
    fileprivate mutating func adopt(
        _ present: SessionRepository.Present,
        as cause: (SessionFacts) -> SessionStateMachine.Event?,
        ended failure: SignInFailure?,
        _ source: GrantSource,
        _ mode: TokenMode,
        _ clock: TimeSource,
        jitter: Double
    ) -> [SessionStateMachine.Effect] {
        guard let kept = present.session else {
            // A session that was stored before, and removed since, may still be read late.
            guard present.version >= version else { return [] }
            version = present.version
            forgetSession()
            return machine.handle(.found(.signedOut(nil)))
        }
        // Only the process that ended the session knows the reason, and the store's watcher may have been faster.
        guard kept.version > version || failure != nil && kept.version == version else { return [] }
        version = kept.version
        guard kept.record.server == source.server else {
            forgetSession()
            return machine.handle(.found(.signedOut(.otherServer)))
        }
        switch kept.record.content {
        case .signedOut(let reason):
            let trouble = failure.map { settings.trouble($0) }
            // After a sign-out the app stays signed out until a sign-in is requested or the program restarts.
            if session != nil, failure == nil { signsInByItself = false }
            forgetSession()
            return machine.handle(failure == nil ? .found(.signedOut(reason)) : .ended(reason, trouble))
        case .blocked(let kind):
            forgetSession()
            let reason = failure ?? SignInFailure(SignInFailure.Kind(rawValue: kind) ?? .blocked, "the account")
            return machine.handle(.found(.blocked(settings.trouble(reason))))
        case .session(let new):
            if snapshot?.rotation != new.rotation || session?.id != new.id {
                snapshot = TokenSnapshot(new, mode: mode)
                self.jitter = jitter
                requestedLifetime = .zero
            }
            if session?.id != new.id { begin(clock) }
            session = new
            let isLocked = isLockClosed
            let effects = machine.handle(cause(new.facts) ?? .found(.session(new.facts, isLocked: isLocked)))
            // A session that is locked in another process is locked here, too.
            return isLocked ? effects + machine.handle(.lockClosed) : effects
        }
    }

    fileprivate mutating func forgetSession() {
        session = nil
        snapshot = nil
        needsRecovery = false
    }

    /// Resets the state for a new session.
    fileprivate mutating func begin(_ clock: TimeSource) {
        used = (clock.wall(), clock.monotonic())
        refusedRotation = 0
        refusals = RefusalPace()
        failures = 0
        notBefore = .zero
    }

    /// Whether the lock of this session is closed.
    var isLockClosed: Bool {
        guard settings.lock != nil, let lock = lock?.record, lock.session == session?.id else { return false }
        return lock.isLocked
    }
}

/// The settings of a session that may change while the session goes on.
struct SessionSettings: Sendable {
    var renewBefore: Duration
    var lock: LockRules?
    var guidance: Guidance
    /// The place of a setting in the file.
    var origin: @Sendable (SignInFailure.Setting) -> ValueOrigin?

    func trouble(_ failure: SignInFailure, kind: String? = nil) -> Trouble {
        Trouble(
            kind: kind ?? failure.kind.rawValue,
            guidance: kind == nil ? guidance.text(for: failure) : "The session cannot be stored: \(failure.detail)",
            detail: failure.detail,
            origin: failure.setting.flatMap(origin),
            isTransient: failure.helpsToRetry
        )
    }
}

/// Executes a state machine's decisions outside its session.
struct SessionOutlet: Sendable {
    let perform: @Sendable ([SessionStateMachine.Effect], SessionStateMachine, TokenMode, SessionSettings) -> Void

    init(
        _ perform:
            @escaping @Sendable ([SessionStateMachine.Effect], SessionStateMachine, TokenMode, SessionSettings) -> Void
    ) {
        self.perform = perform
    }
}
