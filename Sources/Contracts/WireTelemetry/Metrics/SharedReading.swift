import Synchronization
package import WireBase

/// What several metrics read from one look, which holds for a while: a page of metrics costs one look at most.
package final class SharedReading<Value: Sendable>: Sendable {
    private let lasting: Duration
    private let clock: Clockwork
    private let look: @Sendable () -> Value
    private let last = Mutex<(at: Duration, value: Value)?>(nil)

    package init(for lasting: Duration, by clock: Clockwork, _ look: @escaping @Sendable () -> Value) {
        (self.lasting, self.clock, self.look) = (lasting, clock, look)
    }

    package var value: Value {
        let now = clock.monotonic()
        if let last = last.withLock({ $0 }), now - last.at < lasting { return last.value }
        let value = look()
        last.withLock { $0 = (now, value) }
        return value
    }

    /// What is looked at has changed: the next one who asks looks again.
    package func forget() { last.withLock { $0 = nil } }
}
