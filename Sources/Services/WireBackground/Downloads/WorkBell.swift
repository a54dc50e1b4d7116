import Synchronization

/// Tells who plans the work that there may be some, and who waits for its end that some has ended.
final class WorkBell: Sendable {
    private struct State {
        var hasRung = false
        var planner: CheckedContinuation<Void, Never>?
        var next = 0
        var rings = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    func ring() {
        let (planner, waiters) = state.withLock { state in
            state.rings += 1
            state.hasRung = state.planner == nil
            defer { (state.planner, state.waiters) = (nil, [:]) }
            return (state.planner, state.waiters.values)
        }
        planner?.resume()
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when it has rung since the last return, or the task is cancelled; for one planner.
    func next() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.hasRung || Task.isCancelled {
                        state.hasRung = false
                        return true
                    }
                    state.planner = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.planner = nil }
                return state.planner
            }?.resume()
        }
    }

    /// How often it has rung, to look at before one looks at what it is about.
    var rings: Int { state.withLock(\.rings) }

    /// Returns when it has rung more often than that, or the task is cancelled.
    func ringing(after rings: Int) async {
        let ticket = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.rings > rings || Task.isCancelled { return true }
                    state.waiters[ticket] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
    }
}
