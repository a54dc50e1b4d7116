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
    /// Reads the lock record of the store.
    func reloadLock() async throws(StoreFailure) {
        let known = state.withLock { $0.lock?.version }
        adopt(lock: try await repository.lock(), over: known)
    }

    /// Takes over the lock record of the store.
    private func adopt(lock kept: Repository<LockRecord>.Stored?, over former: Int64?) {
        let kept = kept?.converted(to: clock, idle: idleOnChange)
        var isAdopted = false
        perform { state in
            // A lock that was missing when it was read may have been stored since.
            if kept == nil, state.lock?.version != former { return [] }
            guard kept?.version != state.lock?.version else { return [] }
            if let kept, let known = state.lock, kept.version < known.version { return [] }
            state.lock = kept
            isAdopted = true
            let now = clock.monotonic()
            if let lock = kept?.record, lock.usedMonotonic > state.used.monotonic, lock.usedMonotonic <= now {
                state.used = (lock.usedWall, lock.usedMonotonic)
            }
            return state.machine.handle(state.isLockClosed ? .lockClosed : .lockOpened)
        }
        // The time of the automatic lock may have changed.
        if isAdopted { renewalRequests.signal() }
    }

    /// The idle time of a session whose lock another machine has just stored; nil to go by the wall clock.
    ///
    /// A lock that is open is stored when the session is used. The clocks of machines are not compared.
    private var idleOnChange: Duration? { repository.isShared ? .zero : nil }

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
        let clock = clock
        var isChanged = false
        while !isChanged {
            let result: Result<Bool, LockFailure>
            do throws(StoreFailure) {
                let (answer, stored) = try await repository.editLock {
                    record throws(StoreFailure) -> Result<Bool, LockFailure> in
                    guard let session = state.withLock(\.session), wanted ?? session.id == session.id else {
                        return .failure(.signedOut)
                    }
                    // Another process may have begun another session, whose lock must stay.
                    if let record, record.session != session.id,
                        try await repository.session()?.record.session?.id != session.id
                    {
                        await reload()
                        return .failure(.signedOut)
                    }
                    let known = record.flatMap {
                        $0.session == session.id ? $0.converted(to: clock, idle: idleOnChange) : nil
                    }
                    var lock = known ?? session.lock(clock)
                    // After a restart of the machine the delay begins again, which is stored first.
                    let rebased = LockRules.rebased(lock, clock)
                    if rebased == nil {
                        do throws(LockFailure) { try change(&lock) } catch { return .failure(error) }
                    }
                    record = rebased ?? lock
                    return .success(rebased == nil)
                }
                if case .success = answer { adopt(lock: stored, over: nil) }
                result = answer
            } catch {
                throw .store(error)
            }
            isChanged = try result.get()
        }
    }

    // MARK: Automatic lock

    /// Locks the session after the idle time, and stores its uses; returns when the task is cancelled.
    func keepLocking() async {
        let (clock, wishes, changes) = (clock, renewalRequests, changes)
        while !Task.isCancelled {
            let (heard, change) = (wishes.count, changes.count)
            let isStored = await lockIfOverdue()
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
            if let pause {
                works.append { try? await clock.sleep(isStored ? max(pause, .milliseconds(100)) : .seconds(5)) }
            }
            await firstOf(works)
        }
    }

    /// Stores the lock where the idle time is over; false where the store fails.
    @discardableResult
    func lockIfOverdue() async -> Bool {
        // Another process may have stored a later use.
        if state.withLock({ $0.isOverdue(clock) }) { await reload() }
        guard state.withLock({ $0.isOverdue(clock) }) else { return true }
        do throws(LockFailure) {
            try await change { (lock: inout LockRecord) throws(LockFailure) in lock.isLocked = true }
        } catch {
            // The session is still withheld: readers check the idle time.
            if case .store = error { return false }
        }
        return true
    }

    /// Stores the time of the last use, if it has changed enough.
    func noteUse(always: Bool = false) async {
        let used: (wall: Int64, monotonic: Duration)? = state.withLock { state in
            guard let rules = state.settings.lock, case .signedIn = state.machine.state,
                let lock = state.presentLock(clock), rules.canLock(lock), !lock.isLocked
            else { return nil }
            // Without a stored time, the idle time would begin again in the next process.
            guard state.lock?.record.session == lock.session else { return state.used }
            let unsaved = state.used.monotonic - lock.usedMonotonic
            return unsaved >= (always ? .milliseconds(1) : rules.usePulse) || unsaved < .zero ? state.used : nil
        }
        guard let used else { return }
        try? await change { (lock: inout LockRecord) throws(LockFailure) in
            if !lock.isLocked { lock.record(used) }
        }
    }
}
