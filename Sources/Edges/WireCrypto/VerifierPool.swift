import Synchronization

/// Prepared public keys that are not in use, the most recently used last.
///
/// Importing a key costs more than verifying a signature with it. Threads that use the same key at the same time have
/// one each.
final class VerifierPool: Sendable {
    private let capacity: Int
    private let idle = Mutex<[Verifier]>([])

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Removes a prepared key, which the caller owns until it is returned.
    func checkOut(_ use: Verifier.Use) -> Verifier? {
        idle.withLock { idle in
            idle.lastIndex { $0.use == use }.map { idle.remove(at: $0) }
        }
    }

    func giveBack(_ verifier: Verifier) {
        // Released after the lock.
        let dropped = idle.withLock { idle in
            idle.append(verifier)
            return idle.count > capacity ? idle.removeFirst() : nil
        }
        _ = dropped
    }

    /// The number of keys in the pool.
    var count: Int { idle.withLock(\.count) }
}
