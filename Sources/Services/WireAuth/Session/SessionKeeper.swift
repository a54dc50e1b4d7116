import Synchronization
import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireStore
import WireTelemetry

/// Owns one session, that of the user or that of the app: restores it, renews it, hands out its tokens.
///
/// What is true is in the store; here is what was last seen there, with the gate that says what follows from it.
final class SessionKeeper: Sendable {
    let mode: TokenMode
    let vault: SessionVault
    let source: GrantSource
    let revocations: Revocations
    let renewal: Renewal
    let clock: Clockwork
    let random: @Sendable () -> Double
    /// Carries out what the gate decides beyond the session itself.
    let outlet: SessionOutlet
    let state: Mutex<State>
    /// Rings after each attempt to renew.
    let rounds = Signal()
    /// Rings when there may be something to do before its time.
    let wishes = Signal()
    /// Rings whenever who is signed in, or how, has changed.
    let changes = Signal()

    struct State: Sendable {
        var gate = Gate()
        var settings: SessionSettings
        /// The version of the session in the store that was last seen.
        var version: Int64 = -1
        var session: SessionRecord.Session?
        var snapshot: TokenSnapshot?
        var lock: SessionVault.Kept<LockRecord>?
        /// When somebody last used the session here.
        var used: (wall: Int64, monotonic: Duration) = (0, .zero)
        /// The token a server has refused, and how often that happens.
        var refusedRotation = 0
        var refusals = RefusalPace()
        /// The longest a token was wished for since the last renewal.
        var wish = Duration.zero
        /// Attempts that failed in a row, and when the next may be made.
        var failures = 0
        var notBefore = Duration.zero
        /// A part of the time before the end of a token, so that many processes do not ask at once.
        var jitter = 0.0
        /// Whether somebody signs in without anybody asking.
        var signsInByItself: Bool
        /// A refresh token was about to be used when a process ended: it is used again at once.
        var mustMend = false
        /// Whether there is somebody who renews; otherwise whoever needs it does.
        var isRunning = false
        var isRenewing = false
        /// The hash of a PIN that is set with the sign-in that is under way.
        var pin: String?
        var lastTask = 0
        /// Whether a token was refused as unavailable, and none has come since.
        var isMissed = false
    }

    init(
        mode: TokenMode,
        vault: SessionVault,
        source: GrantSource,
        revocations: Revocations,
        settings: SessionSettings,
        owner: String,
        clock: Clockwork,
        random: @escaping @Sendable () -> Double,
        outlet: SessionOutlet
    ) {
        self.mode = mode
        self.vault = vault
        self.source = source
        self.revocations = revocations
        self.clock = clock
        self.random = random
        self.outlet = outlet
        renewal = Renewal(vault, source, revocations, owner: owner, clock: clock, random: random)
        state = Mutex(State(settings: settings, signsInByItself: source.signsInByItself))
    }

    // MARK: What the store says

    /// Takes over how the session is, before anybody can ask.
    func restore() throws(StoreFailure) {
        let lock = try vault.lock()
        state.withLock { $0.lock = lock }
        adopt(try vault.session())
        state.withLock { state in
            state.lock = lock
            state.mustMend = (state.session?.uses ?? 0) > 0
            guard let lock = lock?.value, lock.session == state.session?.id else { return }
            // Whatever time has passed while nothing ran counts as well.
            state.used = (lock.usedWall, lock.usedMonotonic)
        }
    }

    /// Looks whether another process has changed something.
    func look() {
        do throws(StoreFailure) {
            adopt(try vault.session())
            adopt(lock: try vault.lock())
        } catch {
            note(SignInFailure(.offline, error.reason), kind: "store")
        }
    }

    /// Takes over what was found in the store; what is older than what is known already is not looked at.
    func adopt(
        _ kept: SessionVault.Kept<SessionRecord>?,
        as cause: (SessionFacts) -> Gate.Event? = { _ in nil },
        ended failure: SignInFailure? = nil
    ) {
        var kept = kept
        // Nothing found may be older news than what is known: it is believed when it is found again.
        if kept == nil, state.withLock({ $0.version >= 0 }) {
            do throws(StoreFailure) { kept = try vault.session() } catch { return }
        }
        let jitter = random()
        let (effects, isNews): ([Gate.Effect], Bool) = state.withLock { [kept] state in
            let (snapshot, word) = (state.snapshot, state.gate.word)
            let effects = state.adopt(kept, as: cause, ended: failure, source, mode, clock, jitter: jitter)
            return (effects, state.snapshot !== snapshot || state.gate.word != word)
        }
        perform(effects)
        // Whoever waits for new tokens may have them now, though nobody here has asked for any. Nothing new wakes nobody: they
        // would take it for an attempt that has failed.
        if isNews { rounds.signal() }
    }

    func perform(_ effects: [Gate.Effect]) {
        guard !effects.isEmpty else { return }
        let (gate, settings) = state.withLock { ($0.gate, $0.settings) }
        outlet.perform(effects, gate, mode, settings)
        changes.signal()
    }

    func handle(_ event: Gate.Event) { perform(state.withLock { $0.gate.handle(event) }) }

    /// Something failed that does not end the session.
    func note(_ failure: SignInFailure, kind: String? = nil) {
        let effects = state.withLock { state in
            state.gate.handle(.renewalFailed(state.settings.trouble(failure, kind: kind)))
        }
        perform(effects)
    }

    func rebind(_ settings: SessionSettings) {
        let effects = state.withLock { state in
            state.settings = settings
            // A lock the file no longer declares could not be opened any more.
            return state.gate.handle(state.isLockClosed ? .lockClosed : .lockOpened)
        }
        perform(effects)
        wishes.signal()
    }
}

extension SessionKeeper.State {
    /// Takes over what was found in the store, and says what follows from it.
    fileprivate mutating func adopt(
        _ kept: SessionVault.Kept<SessionRecord>?,
        as cause: (SessionFacts) -> Gate.Event?,
        ended failure: SignInFailure?,
        _ source: GrantSource,
        _ mode: TokenMode,
        _ clock: Clockwork,
        jitter: Double
    ) -> [Gate.Effect] {
        guard let kept else {
            version = -1
            forgetSession()
            return gate.handle(.found(.signedOut(nil)))
        }
        // Why a session ended is known to who ended it alone, and whoever watches the store may have been quicker.
        guard kept.version > version || failure != nil && kept.version == version else { return [] }
        version = kept.version
        guard kept.value.server == source.server else {
            forgetSession()
            return gate.handle(.found(.signedOut(.otherServer)))
        }
        switch kept.value.content {
        case .signedOut(let reason):
            let trouble = failure.map { settings.trouble($0) }
            // Whoever was signed out stays so, until somebody asks for it or the program starts again.
            if session != nil, failure == nil { signsInByItself = false }
            forgetSession()
            return gate.handle(failure == nil ? .found(.signedOut(reason)) : .ended(reason, trouble))
        case .blocked(let kind):
            forgetSession()
            let reason = failure ?? SignInFailure(SignInFailure.Kind(rawValue: kind) ?? .blocked, "the account")
            return gate.handle(.found(.blocked(settings.trouble(reason))))
        case .session(let new):
            if snapshot?.rotation != new.rotation || session?.id != new.id {
                snapshot = TokenSnapshot(new, mode: mode)
                self.jitter = jitter
                wish = .zero
            }
            if session?.id != new.id { begin(clock) }
            session = new
            let isLocked = isLockClosed
            let effects = gate.handle(cause(new.facts) ?? .found(.session(new.facts, isLocked: isLocked)))
            // Whatever has brought the session here, one that is locked elsewhere is locked here.
            return isLocked ? effects + gate.handle(.lockClosed) : effects
        }
    }

    fileprivate mutating func forgetSession() {
        session = nil
        snapshot = nil
        mustMend = false
    }

    /// A session begins: whatever was of another one is forgotten.
    fileprivate mutating func begin(_ clock: Clockwork) {
        used = (clock.wall(), clock.monotonic())
        refusedRotation = 0
        refusals = RefusalPace()
        failures = 0
        notBefore = .zero
    }

    /// Whether the lock of this session is closed.
    var isLockClosed: Bool {
        guard settings.lock != nil, let lock = lock?.value, lock.session == session?.id else { return false }
        return lock.isLocked
    }
}

/// What of the file a session depends on, which may change while it goes on.
struct SessionSettings: Sendable {
    var renewBefore: Duration
    var lock: LockRules?
    var guidance: Guidance
    /// Finds the place of a setting in the file.
    var origin: @Sendable (SignInFailure.Setting) -> ValueOrigin?

    func trouble(_ failure: SignInFailure, kind: String? = nil) -> Trouble {
        Trouble(
            kind: kind ?? failure.kind.rawValue,
            guidance: kind == nil ? guidance.text(for: failure) : "The session cannot be kept: \(failure.detail)",
            detail: failure.detail,
            origin: failure.setting.flatMap(origin),
            isTransient: failure.helpsToRetry
        )
    }
}

/// Carries out what a gate decides beyond its session.
struct SessionOutlet: Sendable {
    let perform: @Sendable ([Gate.Effect], Gate, TokenMode, SessionSettings) -> Void

    init(_ perform: @escaping @Sendable ([Gate.Effect], Gate, TokenMode, SessionSettings) -> Void) {
        self.perform = perform
    }
}
