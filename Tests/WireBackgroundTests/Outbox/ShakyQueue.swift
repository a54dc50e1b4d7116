import Synchronization
import WireStore
import Workbench

/// The outbox's queue in a store that fails at one step the first time, and does what it is asked from then on.
final class ShakyQueue: QueueAround {
    enum Step: String, CaseIterable, Sendable { case due, claiming, ending, expediting }

    let queue: any WorkQueue
    private let step: Step
    private let failure: StoreFailure
    private let asked = Mutex(0)

    init(_ inner: any WorkQueue, failing step: Step, as kind: StoreFailure.Kind) {
        (queue, self.step) = (inner, step)
        failure = StoreFailure(kind, "the store is shaky")
    }

    /// How often the step was asked for.
    var count: Int { asked.withLock { $0 } }

    /// The queues of other parts are left alone.
    private func take(_ step: Step, in queue: String) throws(StoreFailure) {
        guard step == self.step, queue.hasPrefix("outbox/") else { return }
        let isFirst = asked.withLock { count in
            count += 1
            return count == 1
        }
        if isFirst { throw failure }
    }

    func complete(_ endings: [WorkEnding], claiming requestedRun: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult
    {
        try take(endings.isEmpty ? .claiming : .ending, in: queue)
        return try await self.queue.complete(endings, claiming: requestedRun, in: queue)
    }

    func expedite(_ which: WorkExpediting, in queue: String) async throws(StoreFailure) -> Int {
        try take(.expediting, in: queue)
        return try await self.queue.expedite(which, in: queue)
    }

    func waitUntilDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure) {
        try take(.due, in: queue)
        try await self.queue.waitUntilDue(in: queue, kinds: kinds)
    }
}
