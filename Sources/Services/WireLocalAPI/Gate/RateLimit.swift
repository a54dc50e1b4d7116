import Synchronization
import WireBase

/// So many within a stretch of time, by account: a bucket that fills as time passes.
final class RateLimit: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: Duration
    }

    private let capacity: Double
    private let perSecond: Double
    private let clock: Clockwork
    private let buckets = Mutex<[String: Bucket]>([:])

    /// `count` within each `period`, all of them at once if need be.
    init(_ count: Int, each period: Duration, clock: Clockwork) {
        capacity = Double(count)
        perSecond = Double(count) / max(0.001, period.inSeconds)
        self.clock = clock
    }

    /// Takes one; false where none is left.
    func take(_ account: String) -> Bool {
        change(account) { bucket in
            guard bucket.tokens >= 1 else { return false }
            bucket.tokens -= 1
            return true
        }
    }

    func isExhausted(_ account: String) -> Bool {
        // Who has taken none yet is the rule, and asked about with every request.
        guard buckets.withLock({ $0[account] != nil }) else { return capacity < 1 }
        return change(account) { $0.tokens < 1 }
    }

    private func change(_ account: String, _ work: (inout Bucket) -> Bool) -> Bool {
        let now = clock.monotonic()
        return buckets.withLock { buckets in
            // Accounts are few: users of this machine, and the names of apps. Full buckets say nothing, and go.
            if buckets.count > 1_000 { buckets = buckets.filter { $0.value.tokens < capacity } }
            var bucket = buckets[account] ?? Bucket(tokens: capacity, filled: now)
            bucket.tokens = min(capacity, bucket.tokens + (now - bucket.filled).inSeconds * perSecond)
            bucket.filled = now
            defer { buckets[account] = bucket }
            return work(&bucket)
        }
    }
}
