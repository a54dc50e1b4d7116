import Synchronization

/// Tells everybody who waits that it is over; whoever comes later is told at once.
final class Ending: Sendable {
    private struct State {
        var isOver = false
        var waiting: [Int: AsyncStream<Never>.Continuation] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    var isOver: Bool { state.withLock { $0.isOver } }

    func fire() {
        let waiting = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waiter in waiting { waiter.finish() }
    }

    /// Returns when it is over, or the task is cancelled.
    func wait() async {
        let (stream, waiter) = AsyncStream.makeStream(of: Never.self)
        let number: Int? = state.withLock { state in
            if state.isOver { return nil }
            state.last += 1
            state.waiting[state.last] = waiter
            return state.last
        }
        guard let number else { return }
        for await _ in stream {}
        state.withLock { _ = $0.waiting.removeValue(forKey: number) }
    }
}
