import Synchronization
import WireBase

/// A rate limit by account: a token bucket.
///
/// A bucket is stored as the time when it will be full again, an atomic number: all threads update it with each
/// request.
final class RateLimit: Sendable {
    private final class Bucket: Sendable {
        /// In nanoseconds of the monotonic clock.
        let fullAt: Atomic<UInt64>

        init(fullAt: UInt64) {
            self.fullAt = Atomic(fullAt)
        }
    }

    private let count: Int
    /// The time to refill one token, and all of them.
    private let one: UInt64
    private let all: UInt64
    private let clock: TimeSource
    private let buckets = Mutex<[String: Bucket]>([:])

    /// Allows `count` in each `period`, with bursts of all.
    init(_ count: Int, each period: Duration, clock: TimeSource) {
        self.count = count
        one = max(1, period.nanoseconds / UInt64(max(1, count)))
        all = one * UInt64(max(0, count))
        self.clock = clock
    }

    /// Takes one; false where none is left.
    func consume(_ account: String) -> Bool {
        guard count > 0 else { return false }
        let now = clock.monotonic().nanoseconds
        let bucket = bucket(of: account, now)
        while true {
            let present = bucket.fullAt.load(ordering: .relaxed)
            let next = max(present, now) + one
            guard next <= now + all else { return false }
            if bucket.fullAt.compareExchange(expected: present, desired: next, ordering: .relaxed).exchanged {
                return true
            }
        }
    }

    private func bucket(of account: String, _ now: UInt64) -> Bucket {
        buckets.withLock { buckets in
            if let bucket = buckets[account] { return bucket }
            // There are few accounts: users of this machine, and apps. Full buckets are removed.
            if buckets.count > 1_000 {
                buckets = buckets.filter { $0.value.fullAt.load(ordering: .relaxed) > now }
            }
            let bucket = Bucket(fullAt: now)
            buckets[account] = bucket
            return bucket
        }
    }
}
