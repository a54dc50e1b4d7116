import Synchronization

/// An event that happens once, and can be awaited before and after.
package final class OneShot: Sendable {
    private struct State {
        var hasFired = false
        var next = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func fire() {
        let waiters = state.withLock { state in
            state.hasFired = true
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume() }
    }

    package var hasFired: Bool { state.withLock { $0.hasFired } }

    /// Returns after the event, or when the task is cancelled.
    package func wait() async {
        let ticket = ticket()
        await withTaskCancellationHandler {
            // The cancellation handler may have run before there was a waiter.
            await wait(ticket) { Task.isCancelled }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: ticket) }?.resume()
        }
    }

    /// Returns after the event, even if the task is cancelled.
    package func waitIgnoringCancellation() async { await wait(ticket()) { false } }

    private func ticket() -> Int {
        state.withLock { state in
            state.next += 1
            return state.next
        }
    }

    private func wait(_ ticket: Int, unless isGivenUp: () -> Bool) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.hasFired || isGivenUp() { return true }
                state.waiters[ticket] = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }
}
