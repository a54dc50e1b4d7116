import Synchronization
import WireBase

/// Limits password guessing: after five wrong passwords each further one lengthens the wait.
final class Attempts: Sendable {
    private struct Record {
        var wrong = 0
        /// The end of the wait, on the monotonic clock.
        var until = Duration.zero
        var last = Duration.zero
    }

    private let clock: TimeSource
    private let records = Mutex<[String: Record]>([:])
    private static let free = 5
    private static let longest = Duration.seconds(60)
    /// The largest number of names; beyond it the least recently tried name is removed.
    private static let limit = 1_000

    init(_ clock: TimeSource) { self.clock = clock }

    /// Returns the seconds to wait before the next attempt; zero for none.
    func wait(for name: String) -> Int {
        let now = clock.monotonic()
        return records.withLock { records in
            guard let record = records[name], record.until > now else { return 0 }
            return max(1, Int((record.until - now).inSeconds.rounded(.up)))
        }
    }

    func wrong(_ name: String) {
        let now = clock.monotonic()
        records.withLock { records in
            var record = records[name] ?? Record()
            record.wrong += 1
            record.last = now
            if record.wrong >= Self.free {
                record.until = now + min(Self.longest, .seconds(1 << min(6, record.wrong - Self.free)))
            }
            records[name] = record
            if records.count > Self.limit, let oldest = records.min(by: { $0.value.last < $1.value.last }) {
                records[oldest.key] = nil
            }
        }
    }

    func right(_ name: String) { records.withLock { $0[name] = nil } }
}
