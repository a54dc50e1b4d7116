import Synchronization
import WireBase

/// How long operations wait for the database: less once the runner is about to end.
final class StorePatience: Sendable {
    private let usual: Duration
    /// When operations end that have begun before; of the monotonic clock.
    private let end = Mutex(Monotonic.never)

    /// What an operation has in any case, as a database in order needs less.
    private static let least = Duration.seconds(1)

    init(_ usual: Duration) { self.usual = usual }

    func shorten(to end: UInt64) { self.end.withLock { $0 = end } }

    /// When an operation that begins now has to be over: later where it carries much.
    func due(for size: Int = 0) -> UInt64 {
        Monotonic.after(left(until: Monotonic.after(usual + .seconds(size >> 20))))
    }

    /// The time for the next attempt of an operation.
    func left(until due: UInt64) -> Duration {
        let (now, end) = (Monotonic.now, end.withLock { $0 })
        let left = Duration.nanoseconds(Int64(clamping: min(due, end) - min(due, end, now)))
        return end == Monotonic.never ? left : max(left, Self.least)
    }

    /// Whether an operation may not be attempted again.
    func isOver(_ due: UInt64) -> Bool { Monotonic.now >= min(due, end.withLock { $0 }) }
}
