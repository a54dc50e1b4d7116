import Synchronization
import WireBase
package import WireSecrets
package import WireStore

/// Why a lock was not opened, closed or changed.
package enum LockFailure: Error, Sendable {
    /// The file declares none.
    case undeclared
    case signedOut
    /// No PIN was set.
    case noPIN
    case badPIN
    /// It is locked: only unlocking helps.
    case locked
    case wrongPIN(left: Int, wait: Duration)
    case tooSoon(wait: Duration)
    /// It was tried too often, and the session has been ended.
    case wiped
    case store(StoreFailure)
    case hash(SecrecyFailure)
}

/// Withholding everything until whoever signed in shows that it is them.
extension SessionKeeper {
    /// Takes over how the lock is in the store.
    func adopt(lock kept: SessionVault.Kept<LockRecord>?) {
        let effects: [Gate.Effect] = state.withLock { state in
            guard kept?.version != state.lock?.version else { return [] }
            if let kept, let known = state.lock, kept.version < known.version { return [] }
            state.lock = kept
            let now = clock.monotonic()
            if let lock = kept?.value, lock.usedMonotonic > state.used.monotonic, lock.usedMonotonic <= now {
                state.used = (lock.usedWall, lock.usedMonotonic)
            }
            return state.gate.handle(state.isLockClosed ? .lockClosed : .lockOpened)
        }
        perform(effects)
    }

    /// Locks now; with a PIN, sets it first.
    func lock(pin: String?, _ hashing: (any SlowHashing)?) async throws(LockFailure) {
        guard state.withLock({ $0.settings.lock != nil }) else { throw .undeclared }
        if state.withLock({ $0.isOverdue(clock) }) { await lockIfOverdue() }
        var hash: String?
        if let pin { hash = try Self.hash(of: pin, hashing) }
        try await change { (lock: inout LockRecord) throws(LockFailure) in
            // Who is locked out must not give itself another PIN.
            if lock.isLocked, hash != nil { throw .locked }
            lock.pin = hash ?? lock.pin
            guard lock.pin != nil else { throw .noPIN }
            lock.isLocked = true
        }
    }

    static func hash(of pin: String, _ hashing: (any SlowHashing)?) throws(LockFailure) -> String {
        guard LockRules.isPIN(pin) else { throw .badPIN }
        guard let hashing else { throw .hash(SecrecyFailure("this program cannot hash a PIN")) }
        do throws(SecrecyFailure) { return try hashing.slowHash(of: Array(pin.utf8)) } catch { throw .hash(error) }
    }

    /// Opens the lock.
    ///
    /// An attempt is written down before it is judged, so that ending the process saves nobody from having
    /// made it.
    func unlock(pin: String, _ hashing: (any SlowHashing)?) async throws(LockFailure) {
        guard let rules = state.withLock({ $0.settings.lock }) else { throw .undeclared }
        guard let hashing else { throw .hash(SecrecyFailure("this program cannot hash a PIN")) }
        let clock = clock
        if state.withLock({ $0.isOverdue(clock) }) { await lockIfOverdue() }
        var hash = ""
        var failures = 0
        var mustWipe = false
        try await change { (lock: inout LockRecord) throws(LockFailure) in
            guard let pin = lock.pin, lock.isLocked else { throw .noPIN }
            let wait = LockRules.wait(lock, clock)
            guard wait <= .zero else { throw .tooSoon(wait: wait) }
            // All attempts were made, and the process that should have ended the session was ended itself.
            mustWipe = lock.failures >= rules.attempts
            hash = pin
            lock.failures += 1
            lock.failed = clock.monotonic()
            failures = lock.failures
        }
        if mustWipe { throw await wipe() }
        let isRight: Bool
        do throws(SecrecyFailure) {
            isRight = LockRules.isPIN(pin) ? try hashing.isSlowHash(hash, of: Array(pin.utf8)) : false
        } catch {
            throw .hash(error)
        }
        guard isRight else {
            guard failures < rules.attempts else { throw await wipe() }
            throw .wrongPIN(left: rules.attempts - failures, wait: LockRules.delay(after: failures))
        }
        state.withLock { $0.used = (clock.wall(), clock.monotonic()) }
        try await change { (lock: inout LockRecord) throws(LockFailure) in
            lock.isLocked = false
            lock.failures = 0
            lock.note((clock.wall(), clock.monotonic()))
        }
    }

    private func wipe() async -> LockFailure {
        do throws(StoreFailure) {
            if let grant = try await signOut(.wiped) { await source.revoke(grant) }
            return .wiped
        } catch {
            return .store(error)
        }
    }

    /// Keeps a PIN for a session that has just begun.
    func set(pin hash: String) async throws(LockFailure) {
        try await change { (lock: inout LockRecord) throws(LockFailure) in lock.pin = hash }
    }

    /// Changes what is kept of the lock, whoever else does at the same time.
    private func change(_ change: (inout LockRecord) throws(LockFailure) -> Void) async throws(LockFailure) {
        while true {
            guard let session = state.withLock({ $0.session?.id }) else { throw .signedOut }
            let kept = try stored { () throws(StoreFailure) in try vault.lock() }
            var lock = LockRecord(session: session, clock)
            if let kept, kept.value.session == session { lock = kept.value }
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
            let heard = wishes.count
            await lockIfOverdue()
            await noteUse()
            let pause: Duration? = state.withLock { state in
                guard let rules = state.settings.lock, case .signedIn = state.gate.state, var lock = state.lock?.value
                else { return nil }
                lock.note(state.used)
                return rules.untilLocked(lock, clock).map { min($0, rules.usePulse) }
            }
            let change = changes.count
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
            guard let rules = state.settings.lock, case .signedIn = state.gate.state, let lock = state.lock?.value,
                lock.session == state.session?.id, lock.pin != nil, !lock.isLocked
            else { return nil }
            let news = state.used.monotonic - lock.usedMonotonic
            return news >= (always ? .milliseconds(1) : rules.usePulse) || news < .zero ? state.used : nil
        }
        guard let used else { return }
        try? await change { (lock: inout LockRecord) throws(LockFailure) in
            if !lock.isLocked { lock.note(used) }
        }
    }
}
