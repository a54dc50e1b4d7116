import Synchronization
package import WireBase

/// Caches a measurement for several metrics, so that one page of metrics measures once.
package final class SharedReading<Value: Sendable>: Sendable {
    private let lasting: Duration
    private let clock: TimeSource
    private let look: @Sendable () -> Value
    private let last = Mutex<(at: Duration, value: Value)?>(nil)

    package init(for lasting: Duration, by clock: TimeSource, _ look: @escaping @Sendable () -> Value) {
        (self.lasting, self.clock, self.look) = (lasting, clock, look)
    }

    package var value: Value {
        let now = clock.monotonic()
        if let last = last.withLock({ $0 }), now - last.at < lasting { return last.value }
        let value = look()
        last.withLock { $0 = (now, value) }
        return value
    }

    /// Invalidates the cache, so that the next reader measures again.
    package func forget() { last.withLock { $0 = nil } }
}
