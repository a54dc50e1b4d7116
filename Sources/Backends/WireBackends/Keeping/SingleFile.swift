import Synchronization

/// Lets one piece of work after the other through, in the order they came.
final class SingleFile: Sendable {
    private struct State {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func alone<Value>(_ work: () async throws -> Value) async throws -> Value {
        await withCheckedContinuation { turn in
            let isFree = state.withLock { state in
                if state.isBusy {
                    state.waiting.append(turn)
                    return false
                }
                state.isBusy = true
                return true
            }
            if isFree { turn.resume() }
        }
        defer {
            let next = state.withLock { state in
                if state.waiting.isEmpty {
                    state.isBusy = false
                    return CheckedContinuation<Void, Never>?.none
                }
                return state.waiting.removeFirst()
            }
            next?.resume()
        }
        return try await work()
    }
}
