import Synchronization

/// Those who are told of a value whenever there is a new one; of several at once they hear the last.
package final class Listeners<Value: Sendable>: Sendable {
    private struct State {
        var last = 0
        var all: [Int: AsyncStream<Value>.Continuation] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    package init() {}

    package func listen(beginningWith value: Value) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.last += 1
            state.all[state.last] = continuation
            return state.last
        }
        continuation.yield(value)
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    private func remove(_ number: Int) { state.withLock { _ = $0.all.removeValue(forKey: number) } }

    package func tell(_ value: Value) {
        for listener in state.withLock({ Array($0.all.values) }) { listener.yield(value) }
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
