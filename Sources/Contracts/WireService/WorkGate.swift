import Synchronization
import WireBase

/// What pieces of work go through that somebody must be able to end, and to keep from beginning.
///
/// For who clears what that work writes: once it is closed nobody is inside, and nobody comes in before it is open.
package final class WorkGate: Sendable {
    private struct State {
        /// How many have closed it, and not opened it again.
        var closings = 0
        /// How often it was closed.
        var times = 0
        var inside = 0
        /// Fires for those inside when it is closed.
        var stop = OneShot()
        /// Fires when nobody is inside any more.
        var empty: OneShot?
    }

    private let state = Mutex(State())

    package init() {}

    /// How often it was closed: what began before that is not to be written after it.
    package var times: Int { state.withLock { $0.times } }

    package var isOpen: Bool { state.withLock { $0.closings == 0 } }

    /// False where it is closed; whoever came in says when it is over.
    ///
    /// With how often it was closed when the work began, false as well where it was closed since.
    package func enter(since times: Int? = nil) -> Bool { stopOfEntry(since: times) != nil }

    package func leave() {
        let empty = state.withLock { state in
            state.inside -= 1
            return state.inside == 0 ? state.empty.take() : nil
        }
        empty?.fire()
    }

    private func stopOfEntry(since times: Int? = nil) -> OneShot? {
        state.withLock { state in
            guard state.closings == 0, times.map({ $0 == state.times }) ?? true else { return nil }
            state.inside += 1
            return state.stop
        }
    }

    /// Does a piece of work, which is cancelled where the gate is closed meanwhile; nil where it is closed already.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result? {
        guard let stop = stopOfEntry() else { return nil }
        defer { leave() }
        return await withTaskGroup(of: Result?.self) { group in
            group.addTask { await work() }
            group.addTask {
                await stop.wait()
                return nil
            }
            // The work ends in any case, and says how: what it has done by then is done.
            var result: Result?
            while let next = await group.next() {
                if let next { result = next }
                group.cancelAll()
            }
            return result
        }
    }

    /// Lets nobody in, and cancels who is inside; returns when all have left, or the task is cancelled.
    package func close() async {
        let (stop, empty) = state.withLock { state -> (OneShot, OneShot?) in
            state.closings += 1
            state.times += 1
            let stop = state.stop
            state.stop = OneShot()
            guard state.inside > 0 else { return (stop, nil) }
            let empty = state.empty ?? OneShot()
            state.empty = empty
            return (stop, empty)
        }
        stop.fire()
        await empty?.wait()
    }

    /// Takes one closing back.
    package func open() { state.withLock { $0.closings = max(0, $0.closings - 1) } }
}
