import Synchronization

/// Public keys that have been made ready and are not in use just now, those used last at the end.
///
/// Importing a key costs more than checking a signature with it. Several threads that check with one key have one each.
final class VerifierPool: Sendable {
    private let capacity: Int
    private let idle = Mutex<[Verifier]>([])

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// One for a use, for the caller alone until it is given back.
    func take(_ use: Verifier.Use) -> Verifier? {
        idle.withLock { idle in
            idle.lastIndex { $0.use == use }.map { idle.remove(at: $0) }
        }
    }

    func giveBack(_ verifier: Verifier) {
        // What has to go is freed after the lock.
        let dropped = idle.withLock { idle in
            idle.append(verifier)
            return idle.count > capacity ? idle.removeFirst() : nil
        }
        _ = dropped
    }

    /// How many are kept.
    var count: Int { idle.withLock(\.count) }
}
