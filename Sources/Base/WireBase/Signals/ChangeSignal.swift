import Synchronization

/// Wakes all tasks that wait for a change, and counts the changes.
///
/// A waiter passes the count it has seen, so that a change between its check and its wait is not missed:
///
///     let count = changes.count
///     look()
///     await changes.wait(after: count)
package final class ChangeSignal: Sendable {
    private let state = Mutex<(count: Int, next: OneShot?)>((0, nil))

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    package func signal() {
        let waited = state.withLock { state in
            defer { state = (state.count + 1, nil) }
            return state.next
        }
        waited?.fire()
    }

    /// Returns when the count is greater, or the task is cancelled.
    package func wait(after count: Int) async {
        let next: OneShot? = state.withLock { state in
            guard state.count <= count else { return nil }
            let next = state.next ?? OneShot()
            state.next = next
            return next
        }
        await next?.wait()
    }

    /// Returns when the count is greater, or after the limit.
    package func wait(after count: Int, atMost limit: Duration?, _ clock: TimeSource) async {
        await clock.wait(atMost: limit) { await self.wait(after: count) }
    }
}
