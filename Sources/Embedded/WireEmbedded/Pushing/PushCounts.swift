import Synchronization

/// The counters of the UnifiedPush server since the program started, for its metrics.
final class PushCounts: Sendable {
    struct Numbers: Sendable {
        var registrations = 0
        var requests = 0
        var failures = 0
        var ios = 0
        var android = 0
    }

    private let numbers = Mutex(Numbers())

    var now: Numbers { numbers.withLock { $0 } }

    func count(_ change: (inout Numbers) -> Void) { numbers.withLock { change(&$0) } }
}
