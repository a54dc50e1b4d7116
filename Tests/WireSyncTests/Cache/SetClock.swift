import Synchronization

/// The time in milliseconds, as a test sets it.
final class SetClock: Sendable {
    private let time = Atomic<Int64>(1_000)

    func set(_ milliseconds: Int64) { time.store(milliseconds, ordering: .sequentiallyConsistent) }

    var now: @Sendable () -> Int64 { { [self] in time.load(ordering: .sequentiallyConsistent) } }
}
