package import WireStore

/// A work queue that does as another in everything that a test does not change.
package protocol QueueAround: WorkQueue {
    var queue: any WorkQueue { get }
}

extension QueueAround {
    package func add(_ item: NewWork, to queue: String, within quota: QueueQuota) async throws(StoreFailure)
        -> AddedWork
    {
        try await self.queue.add(item, to: queue, within: quota)
    }

    package func complete(_ endings: [WorkEnding], claiming wish: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult
    {
        try await self.queue.complete(endings, claiming: wish, in: queue)
    }

    package func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool] {
        try await queue.extend(claims, by: lease)
    }

    package func remove(_ id: String, from queue: String, leaving outcome: WorkOutcome?)
        async throws(StoreFailure) -> RemovedWork?
    {
        try await self.queue.remove(id, from: queue, leaving: outcome)
    }

    package func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try await queue.forget(queues: prefix)
    }

    package func forgetEnded(of queue: String) async throws(StoreFailure) -> Int {
        try await self.queue.forgetEnded(of: queue)
    }

    package func counts(ofQueues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try await queue.counts(ofQueues: prefix)
    }

    package func endedCount(of queue: String) async throws(StoreFailure) -> Int {
        try await self.queue.endedCount(of: queue)
    }

    package func expedite(_ which: WorkExpediting, in queue: String) async throws(StoreFailure) -> Int {
        try await self.queue.expedite(which, in: queue)
    }

    package func move(_ id: String, to lane: String, in queue: String) async throws(StoreFailure) -> MovedWork? {
        try await self.queue.move(id, to: lane, in: queue)
    }

    package func setPause(_ isPaused: Bool, of lane: String?, in queue: String) async throws(StoreFailure) -> Bool {
        try await self.queue.setPause(isPaused, of: lane, in: queue)
    }

    package func hold(_ isHeld: Bool, queue: String) async throws(StoreFailure) {
        try await self.queue.hold(isHeld, queue: queue)
    }

    package func waitUntilUnclaimed(_ queue: String) async throws(StoreFailure) {
        try await self.queue.waitUntilUnclaimed(queue)
    }

    package func pauses(of queue: String) async throws(StoreFailure) -> WorkPauses {
        try await self.queue.pauses(of: queue)
    }

    package func list(_ queue: String, lane: String?, after: Int64?, limit: Int) async throws(StoreFailure)
        -> [WaitingWork]
    {
        try await self.queue.list(queue, lane: lane, after: after, limit: limit)
    }

    package func find(_ id: String, in queue: String) async throws(StoreFailure) -> (
        item: WaitingWork, payload: [UInt8]
    )? {
        try await self.queue.find(id, in: queue)
    }

    package func outcome(of id: String, in queue: String) async throws(StoreFailure) -> EndedWork? {
        try await self.queue.outcome(of: id, in: queue)
    }

    package func usage(ofQueue queue: String) async throws(StoreFailure) -> WorkUsage {
        try await self.queue.usage(ofQueue: queue)
    }

    package func nextDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure) -> Duration? {
        try await self.queue.nextDue(in: queue, kinds: kinds)
    }

    package func waitUntilDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure) {
        try await self.queue.waitUntilDue(in: queue, kinds: kinds)
    }
}
