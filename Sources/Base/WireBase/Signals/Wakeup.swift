import Synchronization

/// Wakes one task; several wakes before its next wait count as one.
///
/// A wake is kept until it is returned: a cancelled wait leaves it for the next one.
package final class Wakeup: Sendable {
    private let signal = ChangeSignal()
    private let state = Mutex((isPending: false, isFinished: false))

    package init() {}

    package func wake() {
        state.withLock { if !$0.isFinished { $0.isPending = true } }
        signal.signal()
    }

    /// Clears pending wakes.
    package func forget() {
        state.withLock { $0.isPending = false }
    }

    /// Ends the present wait and all later ones, after a pending wake.
    package func finish() {
        state.withLock { $0.isFinished = true }
        signal.signal()
    }

    /// Returns after a wake since the last return; nil when the task is cancelled or this is finished.
    @discardableResult
    package func next() async -> Void? {
        while !Task.isCancelled {
            let count = signal.count
            let (isPending, isFinished) = state.withLock { state in
                defer { state.isPending = false }
                return state
            }
            if isPending { return () }
            if isFinished { return nil }
            await signal.wait(after: count)
        }
        return nil
    }

    /// Returns after a wake since the last return, or after the limit.
    package func next(atMost limit: Duration?, _ clock: TimeSource) async {
        await clock.wait(atMost: limit) { await self.next() }
    }
}

/// Iterating runs the loop once for each wake of `next()`.
extension Wakeup: AsyncSequence, AsyncIteratorProtocol {
    package typealias Failure = Never

    package func makeAsyncIterator() -> Wakeup { self }
}
