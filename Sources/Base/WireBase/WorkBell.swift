import Synchronization

/// Tells whoever looks after something that there may be something to do, and those who wait for it that some was done.
///
/// Unlike a stream, it can be waited for again after a wait for it was cancelled.
package final class WorkBell: Sendable {
    private struct State {
        var hasRung = false
        var keeper: CheckedContinuation<Void, Never>?
        var next = 0
        var rings = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func ring() {
        let (keeper, waiters) = state.withLock { state in
            state.rings += 1
            state.hasRung = state.keeper == nil
            defer { (state.keeper, state.waiters) = (nil, [:]) }
            return (state.keeper, state.waiters.values)
        }
        keeper?.resume()
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when it has rung since the last return, or the task is cancelled; for one task.
    package func next() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.hasRung || Task.isCancelled {
                        state.hasRung = false
                        return true
                    }
                    state.keeper = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.keeper = nil }
                return state.keeper
            }?.resume()
        }
    }

    /// How often it has rung, to look at before one looks at what it is about.
    package var rings: Int { state.withLock(\.rings) }

    /// Returns when it has rung more often than that, or the task is cancelled.
    package func ringing(after rings: Int) async {
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
