import Synchronization

/// Wakes one task, which looks after something; any number of wakes before it looks are one.
///
/// A wake stays until it is returned: a cancelled wait leaves it for the next one.
package final class Wakeup: Sendable {
    private let signal = Signal()
    private let state = Mutex((isPending: false, isFinished: false))

    package init() {}

    package func wake() {
        state.withLock { if !$0.isFinished { $0.isPending = true } }
        signal.signal()
    }

    /// Takes back the wakes so far that have not been returned.
    package func forget() {
        state.withLock { $0.isPending = false }
    }

    /// Ends the present wait and all later ones; a wake before it is returned first.
    package func finish() {
        state.withLock { $0.isFinished = true }
        signal.signal()
    }

    /// Returns when there was a wake since the last one returned; nil when the task is cancelled or this is finished.
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

    /// Returns when there was a wake since the last one returned, at the latest after the limit, where there is one.
    package func next(atMost limit: Duration?, _ clock: Clockwork) async {
        await clock.wait(atMost: limit) { await self.next() }
    }
}

/// A loop over it runs once for each `next()` that returns a wake.
extension Wakeup: AsyncSequence, AsyncIteratorProtocol {
    package typealias Failure = Never

    package func makeAsyncIterator() -> Wakeup { self }
}
