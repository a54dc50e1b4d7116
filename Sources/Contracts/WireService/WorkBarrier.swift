import Synchronization
import WireBase
package import WireStore

/// Guards units of work that must be cancellable as a group and prevented from starting.
///
/// Used when clearing what the work writes: after closing, no work runs, and none starts before the gate is opened.
package final class WorkBarrier: Sendable {
    private struct State {
        /// The number of closings that are not opened again.
        var closings = 0
        /// The total number of closings.
        var times = 0
        var inside = 0
        /// Fires for running work when the gate is closed.
        var stop = OneShot()
        /// Fires when no work runs any more.
        var empty: OneShot?
        /// The held queues that could not be released.
        var unreleased: Set<String> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// The total number of closings: results of work that started before a closing must not be written after it.
    package var times: Int { state.withLock { $0.times } }

    package var isOpen: Bool { state.withLock { $0.closings == 0 } }

    /// Enters the gate; returns false where it is closed, and otherwise the caller must leave it when its work ends.
    ///
    /// With `times`, also returns false where the gate has been closed since that count.
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

    /// Runs work that is cancelled when the gate closes; returns nil where the gate is closed already.
    package func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result? {
        guard let stop = stopOfEntry() else { return nil }
        defer { leave() }
        return await withTaskGroup(of: Result?.self) { group in
            group.addTask { await work() }
            group.addTask {
                await stop.wait()
                return nil
            }
            // Waits for the work in any case, because its effects up to the cancellation remain.
            var result: Result?
            while let next = await group.next() {
                if let next { result = next }
                group.cancelAll()
            }
            return result
        }
    }

    /// Closes the gate and cancels running work; returns when all work has ended, or the task is cancelled.
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

    /// Reverts one closing.
    package func open() { state.withLock { $0.closings = max(0, $0.closings - 1) } }

    // MARK: Other processes

    /// A queue of the work.
    package typealias Queue = (work: any WorkQueue, name: String)

    /// Closes the gate, and stops the claims of its queues by all processes that use them.
    ///
    /// Returns when all such work has ended, that of the others included, or the task is cancelled. The others notice
    /// by ``follow(_:withClaims:)``.
    package func close(holding queues: [Queue]) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.close() }
            for queue in queues {
                group.addTask {
                    // Where the store fails, the removal of the data fails too, and is reported.
                    do throws(StoreFailure) {
                        try await queue.work.hold(true, queue: queue.name)
                        try await queue.work.waitUntilUnclaimed(queue.name)
                    } catch {}
                }
            }
        }
    }

    /// Reverts ``close(holding:)``; a queue that cannot be released now is released later.
    package func open(releasing queues: [Queue]) async {
        open()
        for queue in queues {
            state.withLock { _ = $0.unreleased.insert(queue.name) }
            try? await release(queue)
        }
    }

    private func release(_ queue: Queue) async throws(StoreFailure) {
        guard state.withLock({ $0.closings == 0 && $0.unreleased.contains(queue.name) }) else { return }
        try await queue.work.hold(false, queue: queue.name)
        state.withLock { _ = $0.unreleased.remove(queue.name) }
    }

    /// Cancels the running work while another process holds its queue; to be called regularly.
    package func follow(_ queue: Queue, withClaims hasClaims: Bool) async throws(StoreFailure) {
        try await release(queue)
        guard hasClaims, try await queue.work.pauses(of: queue.name).isHeld else { return }
        state.withLock { state in
            defer { state.stop = OneShot() }
            return state.stop
        }.fire()
    }
}
