import Synchronization

/// Lets those who wait for something look again.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// How often it was raised: whoever looks asks for this first, and waits for more afterwards.
    var mark: Int { state.withLock { $0.count } }

    func raise() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for turn in waiting { turn.resume() }
    }

    /// Returns when it was raised after the mark, or the task is cancelled.
    func wait(beyond mark: Int) async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { turn in
                let isOver = state.withLock { state in
                    guard state.count == mark, !Task.isCancelled else { return true }
                    state.waiting[number] = turn
                    return false
                }
                if isOver { turn.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
