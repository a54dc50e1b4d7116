import Synchronization
import WireAuthContract
import WireBase
import WireSecrets
import WireService
import WireStore

/// Why a lock was not opened, closed or changed.
enum LockFailure: Error, Sendable {
    /// The file declares none.
    case undeclared
    case signedOut
    /// No PIN was set.
    case noPIN
    case badPIN
    case notLocked
    /// The file says that it is unlocked in another way.
    case otherMethod(UnlockMethod)
    /// It is locked: only unlocking helps.
    case locked
    case wrong(UnlockMethod, left: Int, wait: Duration)
    case tooSoon(wait: Duration)
    /// Nobody can say whether it was right.
    case unjudged(because: String, wait: Duration)
    /// It was tried too often, and the session has been ended.
    case wiped(UnlockMethod)
    case store(StoreFailure)
    case hash(Fault)
}

extension LockFailure: WrappingError {
    init(_ fault: Fault) { self = .hash(fault) }
}

/// Withholding everything until whoever signed in shows that it is them.
extension SessionKeeper {
    /// Takes over how the lock is in the store.
    func adopt(lock kept: SessionVault.Kept<LockRecord>?) {
        let effects: [Gate.Effect]? = state.withLock { state in
            guard kept?.version != state.lock?.version else { return nil }
            if let kept, let known = state.lock, kept.version < known.version { return nil }
            state.lock = kept
            let now = clock.monotonic()
            if let lock = kept?.value, lock.usedMonotonic > state.used.monotonic, lock.usedMonotonic <= now {
                state.used = (lock.usedWall, lock.usedMonotonic)
            }
            return state.gate.handle(state.isLockClosed ? .lockClosed : .lockOpened)
        }
        guard let effects else { return }
        perform(effects)
        // When it closes by itself may be another moment now.
        wishes.signal()
    }

    /// Locks now; with a PIN, sets it first.
    func lock(pin: String?, _ hashing: (any SlowHashing)?) async throws(LockFailure) {
        guard let rules = state.withLock({ $0.settings.lock }) else { throw .undeclared }
        if pin != nil, rules.method != .pin { throw .otherMethod(rules.method) }
        if state.withLock({ $0.isOverdue(clock) }) { await lockIfOverdue() }
        var hash: String?
        if let pin { hash = try Self.hash(of: pin, hashing) }
        try await change { (lock: inout LockRecord) throws(LockFailure) in
            // Who is locked out must not give itself another PIN.
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

    /// Opens the lock.
    ///
    /// An attempt is written down before it is judged, so that ending the process saves nobody from having
    /// made it.
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
            // All attempts were made, and the process that should have ended the session was ended itself.
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
            // The one that is open from now on must be the one that was asked for: judging takes its time.
            try await change(of: counted.session) { (lock: inout LockRecord) throws(LockFailure) in
                lock.isLocked = false
                lock.failures = 0
                lock.unjudged = 0
                lock.note((clock.wall(), clock.monotonic()))
            }
        case .wrong:
            guard counted.failures < rules.attempts else { throw await wipe(counted, rules) }
            let judged = clock.monotonic()
            // The wait begins when the attempt has been judged: that takes as long as the first wait does.
            try? await change(of: counted.session) { (lock: inout LockRecord) throws(LockFailure) in
                if lock.isLocked, lock.failed == counted.failed { lock.failed = judged }
            }
            let wait = LockRules.wait(counted, at: counted.failed)
            throw .wrong(rules.method, left: rules.attempts - counted.failures, wait: wait)
        case .none(let reason):
            var rest = counted
            rest.takeBack()
            let judged = clock.monotonic()
            try? await change(of: counted.session) { (lock: inout LockRecord) throws(LockFailure) in
                guard lock.isLocked, lock.failed == counted.failed else { return }
                lock.takeBack()
                lock.failed = judged
            }
            throw .unjudged(because: reason, wait: LockRules.wait(rest, at: rest.failed))
        }
    }

    /// Ends the session that was tried too often, and no other.
    private func wipe(_ lock: LockRecord, _ rules: LockRules) async -> LockFailure {
        do throws(StoreFailure) {
            if let session = try await signOut(.wiped, only: lock.session) { await revocations.revoke(session) }
            return .wiped(rules.method)
        } catch {
            return .store(error)
        }
    }

    /// Changes what is kept of the lock, whoever else does at the same time.
    private func change(
        of wanted: String? = nil,
        _ change: (inout LockRecord) throws(LockFailure) -> Void
    ) async throws(LockFailure) {
        while true {
            guard let session = state.withLock(\.session), wanted ?? session.id == session.id else { throw .signedOut }
            let kept = try stored { () throws(StoreFailure) in try vault.lock() }
            var lock = session.lock(clock)
            if let kept, kept.value.session == session.id {
                lock = kept.value
            } else if kept != nil {
                // Another process may have signed somebody else in, whose lock is not to be taken off.
                let present = try stored { () throws(StoreFailure) in try vault.session() }
                guard present?.value.session?.id == session.id else {
                    look()
                    throw .signedOut
                }
            }
            // Where the machine was started since, the delay begins anew, and that is kept first.
            if let rebased = LockRules.rebased(lock, clock) {
                _ = try await put(rebased, after: kept?.version)
                continue
            }
            try change(&lock)
            if try await put(lock, after: kept?.version) { return }
        }
    }

    /// Keeps a lock; false where somebody else was quicker.
    private func put(_ lock: LockRecord, after version: Int64?) async throws(LockFailure) -> Bool {
        do throws(StoreFailure) {
            let version = try await vault.put(lock, after: version)
            adopt(lock: SessionVault.Kept(value: lock, version: version))
            return true
        } catch {
            guard error.kind == .conflict else { throw .store(error) }
            return false
        }
    }

    private func stored<Value>(_ ask: () throws(StoreFailure) -> Value) throws(LockFailure) -> Value {
        do throws(StoreFailure) { return try ask() } catch { throw .store(error) }
    }

    // MARK: By itself

    /// Locks when nobody has used the session for long enough, and writes down that it is used; returns when the task is
    /// cancelled.
    func keepLocking() async {
        let (clock, wishes, changes) = (clock, wishes, changes)
        while !Task.isCancelled {
            let (heard, change) = (wishes.count, changes.count)
            await lockIfOverdue()
            await noteUse()
            let pause: Duration? = state.withLock { state in
                guard let rules = state.settings.lock, case .signedIn = state.gate.state,
                    var lock = state.presentLock(clock)
                else { return nil }
                lock.note(state.used)
                return rules.untilLocked(lock, clock).map { min($0, rules.usePulse) }
            }
            var works: [@Sendable () async -> Void] = [
                { await wishes.wait(after: heard) }, { await changes.wait(after: change) },
            ]
            if let pause { works.append { try? await clock.sleep(max(pause, .milliseconds(100))) } }
            await firstOf(works)
        }
    }

    /// Writes down that it is locked, where it is as good as.
    func lockIfOverdue() async {
        // Another process may have seen the user more lately.
        if state.withLock({ $0.isOverdue(clock) }) { look() }
        guard state.withLock({ $0.isOverdue(clock) }) else { return }
        // Where the store takes nothing it stays withheld all the same: whoever reads looks at the time.
        try? await change { (lock: inout LockRecord) throws(LockFailure) in lock.isLocked = true }
    }

    /// Writes down when the session was used last, where that has changed enough.
    func noteUse(always: Bool = false) async {
        let used: (wall: Int64, monotonic: Duration)? = state.withLock { state in
            guard let rules = state.settings.lock, case .signedIn = state.gate.state,
                let lock = state.presentLock(clock), rules.canLock(lock), !lock.isLocked
            else { return nil }
            // What is not kept yet would begin anew with the next process.
            guard state.lock?.value.session == lock.session else { return state.used }
            let news = state.used.monotonic - lock.usedMonotonic
            return news >= (always ? .milliseconds(1) : rules.usePulse) || news < .zero ? state.used : nil
        }
        guard let used else { return }
        try? await change { (lock: inout LockRecord) throws(LockFailure) in
            if !lock.isLocked { lock.note(used) }
        }
    }
}
