import Synchronization

/// Tells all listeners each new value; a listener that was busy meanwhile gets the newest.
package final class Listeners<Value: Sendable>: Sendable {
    private struct State {
        var last = 0
        var all: [Int: AsyncStream<Value>.Continuation] = [:]
        /// How many values were told.
        var told = 0
        var isOver = false
    }

    private let state = Mutex(State())
    /// Held while a value is told, so that all listeners get the values in one order.
    ///
    /// The state is not: a value resumes a task, which waits for a cancellation of that task, which waits for the state to
    /// remove the listener.
    private let telling = Mutex(())

    package init() {}

    /// The values told from now on, until the task that listens is cancelled.
    package func listen() -> AsyncStream<Value> { listen { [] } }

    /// The same after the present value, unless a newer one is told first.
    ///
    /// The present value is read once every newer one will be told, so that none is missed in between.
    package func listen(beginningWith value: @autoclosure () -> Value) -> AsyncStream<Value> { listen { [value()] } }

    private func listen(_ first: () -> [Value]) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let (number, told) = state.withLock { state in
            state.last += 1
            if !state.isOver { state.all[state.last] = continuation }
            return (state.last, state.told)
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        let values = first()
        let isOver = state.withLock { state in
            if state.told == told { for value in values { continuation.yield(value) } }
            return state.isOver
        }
        if isOver { continuation.finish() }
        return stream
    }

    private func remove(_ number: Int) { state.withLock { _ = $0.all.removeValue(forKey: number) } }

    /// Tells a value, which is read when no other one is being told.
    ///
    /// Where it is the present value of a state, the last that is told is so never a former one. The caller must not hold a
    /// lock that reading it takes.
    package func tell(_ value: @autoclosure () -> Value) {
        telling.withLock { _ in
            let all = state.withLock { state in
                state.told += 1
                return Array(state.all.values)
            }
            let present = value()
            for listener in all { listener.yield(present) }
        }
    }

    package func finish() {
        let all = state.withLock { state in
            state.isOver = true
            defer { state.all = [:] }
            return Array(state.all.values)
        }
        for listener in all { listener.finish() }
    }
}
