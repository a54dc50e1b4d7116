import Synchronization

/// Sends each new value to all subscribers; a busy subscriber gets only the newest one.
package final class Subscribers<Value: Sendable>: Sendable {
    private struct State {
        var last = 0
        var all: [Int: AsyncStream<Value>.Continuation] = [:]
        /// The number of values sent.
        var told = 0
        var isOver = false
    }

    private let state = Mutex(State())
    /// Held while a value is sent, so that all subscribers get values in the same order.
    ///
    /// The state's lock is not held then: sending resumes a task, which may wait for its cancellation, which waits
    /// for the state to remove the subscriber.
    private let telling = Mutex(())

    package init() {}

    /// Streams the values from now on, until the subscribing task is cancelled.
    package func listen() -> AsyncStream<Value> { listen { [] } }

    /// Streams the present value and those that follow, unless a newer one comes first.
    ///
    /// The present value is read after the subscription has begun, so that none is missed in between.
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

    /// Sends a value, which is read while no other one is being sent.
    ///
    /// For the present value of a state, the last value sent is thus the latest. The caller must not hold a lock that
    /// reading it takes.
    package func notify(_ value: @autoclosure () -> Value) {
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
