import Synchronization
package import WireBase

/// Caches a measurement for several metrics, so that one page of metrics measures once.
///
/// A measurement that takes long does not delay the page: the former value stands in for it.
package final class SharedReading<Value: Sendable>: Sendable {
    private let lasting: Duration
    private let clock: TimeSource
    private let look: @Sendable () async -> Value?
    private let last = Mutex(State())

    private struct State {
        var value: Value?
        var until: Duration?
        /// How often the value was forgotten: a measurement that began before does not last.
        var forgotten = 0
    }

    /// How long a page of metrics waits for one measurement.
    private static var patience: Duration { .seconds(1) }

    package init(for lasting: Duration, by clock: TimeSource, _ look: @escaping @Sendable () async -> Value?) {
        (self.lasting, self.clock, self.look) = (lasting, clock, look)
    }

    /// The present value; nil where there is none.
    package var value: Value? {
        get async {
            let known = last.withLock { $0 }
            if let until = known.until, clock.monotonic() < until { return known.value }
            let value = await measured() ?? known.value
            last.withLock { last in
                last.value = value
                if last.forgotten == known.forgotten, !Task.isCancelled { last.until = clock.monotonic() + lasting }
            }
            return value
        }
    }

    private func measured() async -> Value? {
        let (look, sleep) = (look, clock.sleep)
        return await withTaskGroup(of: Value?.self) { race in
            race.addTask { await look() }
            race.addTask {
                try? await sleep(Self.patience)
                return nil
            }
            defer { race.cancelAll() }
            return await race.next() ?? nil
        }
    }

    /// Invalidates the cache, so that the next reader measures again.
    package func forget() {
        last.withLock { last in
            last.until = nil
            last.forgotten += 1
        }
    }
}
