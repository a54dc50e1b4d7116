import Synchronization
import WireAuthContract
import WireBase
import WireSecrets
import WireService
import WireStore

/// Why a lock was not opened, closed or changed.
enum LockFailure: Error, Sendable {
    /// The file declares no lock.
    case undeclared
    case signedOut
    /// No PIN is set.
    case noPIN
    case badPIN
    case notLocked
    /// The file declares another unlock method.
    case otherMethod(UnlockMethod)
    /// The session is locked; unlock it first.
    case locked
    case wrong(UnlockMethod, left: Int, wait: Duration)
    case tooSoon(wait: Duration)
    /// The attempt could not be checked.
    case unjudged(because: String, wait: Duration)
    /// Too many wrong attempts have ended the session.
    case wiped(UnlockMethod)
    case store(StoreFailure)
    case hash(Fault)
}

extension LockFailure: WrappingError {
    init(_ fault: Fault) { self = .hash(fault) }
}

/// The lock of a session.
extension SessionManager {
    /// Takes over the lock record of the store.
    func adopt(lock kept: SessionRepository.Versioned<LockRecord>?) {
        let effects: [SessionStateMachine.Effect]? = state.withLock { state in
            guard kept?.version != state.lock?.version else { return nil }
            if let kept, let known = state.lock, kept.version < known.version { return nil }
            state.lock = kept
            let now = clock.monotonic()
            if let lock = kept?.value, lock.usedMonotonic > state.used.monotonic, lock.usedMonotonic <= now {
                state.used = (lock.usedWall, lock.usedMonotonic)
            }
            return state.machine.handle(state.isLockClosed ? .lockClosed : .lockOpened)
        }
        guard let effects else { return }
        perform(effects)
        // The time of the automatic lock may have changed.
        renewalRequests.signal()
    }

    /// Locks now; with a PIN, sets the PIN first.
    func lock(pin: String?, _ hashing: (any SlowHashing)?) async throws(LockFailure) {
        guard let rules = state.withLock({ $0.settings.lock }) else { throw .undeclared }
        if pin != nil, rules.method != .pin { throw .otherMethod(rules.method) }
        if state.withLock({ $0.isOverdue(clock) }) { await lockIfOverdue() }
        var hash: String?
        if let pin { hash = try Self.hash(of: pin, hashing) }
        try await change { (lock: inout LockRecord) throws(LockFailure) in
            // A locked session cannot be given another PIN.
            if lock.isLocked, hash != nil { throw .locked }
            lock.pin = hash ?? lock.pin
            guard rules.canLock(lock) else { throw .noPIN }
            lock.isLocked = true
        }
    }

    static func hash(of pin: String, _ hashing: (any SlowHashing)?) throws(LockFailure) -> String {
        guard LockRules.isPIN(pin) else { throw .badPIN }
        guard let hashing else { throw .hash(Fault("this program cannot hash a PIN")) }
        return try LockFailure.rethrowing(try hashing.slowHash(of: Array(pin.utf8)))
    }

    /// Unlocks the session.
    ///
    /// The attempt is counted in the store before it is checked, so that ending the process does not undo it.
    func unlock(_ attempt: UnlockAttempt) async throws(LockFailure) {
        guard let rules = state.withLock({ $0.settings.lock }) else { throw .undeclared }
        guard attempt.method == rules.method else { throw .otherMethod(rules.method) }
        let clock = clock
        if state.withLock({ $0.isOverdue(clock) }) { await lockIfOverdue() }
        var counted: LockRecord?
        var mustWipe = false
        try await change { (lock: inout LockRecord) throws(LockFailure) in
            guard lock.isLocked else { throw .notLocked }
            guard rules.canLock(lock) else { throw .noPIN }
            let wait = LockRules.wait(lock, clock)
            guard wait <= .zero else { throw .tooSoon(wait: wait) }
            // All attempts are used, and the process that should have ended the session was ended itself.
            mustWipe = lock.failures >= rules.attempts
            lock.failures += 1
            lock.failed = clock.monotonic()
            counted = lock
        }
        guard let counted else { throw .signedOut }
        if mustWipe { throw await wipe(counted, rules) }
        switch try await attempt.verdict(counted) {
        case .right:
            state.withLock { $0.used = (clock.wall(), clock.monotonic()) }
            // The check takes time: the session to unlock must still be the one of the attempt.
            try await change(of: counted.session) { (lock: inout LockRecord) throws(LockFailure) in
                lock.isLocked = false
                lock.failures = 0
                lock.unjudged = 0
                lock.record((clock.wall(), clock.monotonic()))
            }
        case .wrong:
            guard counted.failures < rules.attempts else { throw await wipe(counted, rules) }
            let failedAt = clock.monotonic()
            // The delay begins after the check, which takes as long as the first delay.
            try? await change(of: counted.session) { (lock: inout LockRecord) throws(LockFailure) in
                if lock.isLocked, lock.failed == counted.failed { lock.failed = failedAt }
            }
            let wait = LockRules.wait(counted, at: counted.failed)
            throw .wrong(rules.method, left: rules.attempts - counted.failures, wait: wait)
        case .none(let reason):
            var rest = counted
            rest.takeBack()
            let failedAt = clock.monotonic()
            try? await change(of: counted.session) { (lock: inout LockRecord) throws(LockFailure) in
                guard lock.isLocked, lock.failed == counted.failed else { return }
                lock.takeBack()
                lock.failed = failedAt
            }
            throw .unjudged(because: reason, wait: LockRules.wait(rest, at: rest.failed))
        }
    }

    /// Ends the session with too many wrong attempts, and no other.
    private func wipe(_ lock: LockRecord, _ rules: LockRules) async -> LockFailure {
        do throws(StoreFailure) {
            if let session = try await signOut(.wiped, only: lock.session) { await revocations.revoke(session) }
            return .wiped(rules.method)
        } catch {
            return .store(error)
        }
    }

    /// Changes the lock record, safe against concurrent changes.
    private func change(
        of wanted: String? = nil,
        _ change: (inout LockRecord) throws(LockFailure) -> Void
    ) async throws(LockFailure) {
        while true {
            guard let session = state.withLock(\.session), wanted ?? session.id == session.id else { throw .signedOut }
            let kept = try stored { () throws(StoreFailure) in try repository.lock() }
            var lock = session.lock(clock)
            if let kept, kept.value.session == session.id {
                lock = kept.value
            } else if kept != nil {
                // Another process may have begun another session, whose lock must stay.
                let present = try stored { () throws(StoreFailure) in try repository.session() }
                guard present?.value.session?.id == session.id else {
                    reload()
                    throw .signedOut
                }
            }
            // After a restart of the machine the delay begins again, which is stored first.
            if let rebased = LockRules.rebased(lock, clock) {
                _ = try await put(rebased, after: kept?.version)
                continue
            }
            try change(&lock)
            if try await put(lock, after: kept?.version) { return }
        }
    }

    /// Stores a lock record; false after a concurrent change.
    private func put(_ lock: LockRecord, after version: Int64?) async throws(LockFailure) -> Bool {
        do throws(StoreFailure) {
            let version = try await repository.put(lock, after: version)
            adopt(lock: SessionRepository.Versioned(value: lock, version: version))
            return true
        } catch {
            guard error.kind == .conflict else { throw .store(error) }
            return false
        }
    }

    private func stored<Value>(_ ask: () throws(StoreFailure) -> Value) throws(LockFailure) -> Value {
        do throws(StoreFailure) { return try ask() } catch { throw .store(error) }
    }

    // MARK: Automatic lock

    /// Locks the session after the idle time, and stores its uses; returns when the task is cancelled.
    func keepLocking() async {
        let (clock, wishes, changes) = (clock, renewalRequests, changes)
        while !Task.isCancelled {
            let (heard, change) = (wishes.count, changes.count)
            await lockIfOverdue()
            await noteUse()
            let pause: Duration? = state.withLock { state in
                guard let rules = state.settings.lock, case .signedIn = state.machine.state,
                    var lock = state.presentLock(clock)
                else { return nil }
                lock.record(state.used)
                return rules.untilLocked(lock, clock).map { min($0, rules.usePulse) }
            }
            var works: [@Sendable () async -> Void] = [
                { await wishes.wait(after: heard) }, { await changes.wait(after: change) },
            ]
            if let pause { works.append { try? await clock.sleep(max(pause, .milliseconds(100))) } }
            await firstOf(works)
        }
    }

    /// Stores the lock where the idle time is over.
    func lockIfOverdue() async {
        // Another process may have stored a later use.
        if state.withLock({ $0.isOverdue(clock) }) { reload() }
        guard state.withLock({ $0.isOverdue(clock) }) else { return }
        // If the store fails, the session is still withheld: readers check the idle time.
        try? await change { (lock: inout LockRecord) throws(LockFailure) in lock.isLocked = true }
    }

    /// Stores the time of the last use, if it has changed enough.
    func noteUse(always: Bool = false) async {
        let used: (wall: Int64, monotonic: Duration)? = state.withLock { state in
            guard let rules = state.settings.lock, case .signedIn = state.machine.state,
                let lock = state.presentLock(clock), rules.canLock(lock), !lock.isLocked
            else { return nil }
            // Without a stored time, the idle time would begin again in the next process.
            guard state.lock?.value.session == lock.session else { return state.used }
            let unsaved = state.used.monotonic - lock.usedMonotonic
            return unsaved >= (always ? .milliseconds(1) : rules.usePulse) || unsaved < .zero ? state.used : nil
        }
        guard let used else { return }
        try? await change { (lock: inout LockRecord) throws(LockFailure) in
            if !lock.isLocked { lock.record(used) }
        }
    }
}
