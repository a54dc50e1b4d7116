/// A durable queue of work with at-least-once delivery.
///
/// Items of one lane are processed in order: an item that is returned blocks those behind it. Lanes are independent. A
/// claim holds a lease and a fencing number that increases with each claim. When the lease expires, another worker can
/// claim the item; the former claim is then lost and cannot extend, complete or return the item. Changes of the system
/// clock do not end a lease early. The end of a process ends its claims: at once where the store can prove it, as after
/// a reboot, and with the lease otherwise; an item that was claimed many times keeps its lease.
package protocol WorkQueue: Sendable {
    /// Adds an item; no effect where one with this id exists or has ended recently.
    ///
    /// Items removed to make room are ended in the same transaction.
    func add(_ item: NewWork, to queue: String, within quota: QueueQuota) async throws(StoreFailure) -> AddedWork

    /// Ends claims and makes new ones in one transaction.
    ///
    /// Items due longest come first, each from a lane that is neither claimed nor paused. An item that no available key
    /// opens is skipped, and reported only where there is no other.
    func complete(_ endings: [WorkEnding], claiming request: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult

    /// Extends claims; returns for each, in order, whether it was still held.
    func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool]

    /// Ends an item, even a claimed one; nil where there is none. Its id is forgotten where no outcome is recorded.
    func remove(_ id: String, from queue: String, leaving outcome: WorkOutcome?)
        async throws(StoreFailure) -> RemovedWork?

    /// Removes all data of the queues whose names have a prefix: items, claimed ones included, outcomes, ids and
    /// pauses.
    func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork

    /// What ``forget(queues:)`` would remove.
    func counts(ofQueues prefix: String) async throws(StoreFailure) -> ForgottenWork

    /// Removes the outcomes of ended items with their ids; returns their number.
    func forgetEnded(of queue: String) async throws(StoreFailure) -> Int

    /// The number of ids that ``forgetEnded(of:)`` would remove.
    func endedCount(of queue: String) async throws(StoreFailure) -> Int

    /// Makes delayed items due now; returns their number.
    func expedite(_ which: WorkExpediting, in queue: String) async throws(StoreFailure) -> Int

    /// Moves a queued item to the end of another lane; nil where there is no such item.
    func move(_ id: String, to lane: String, in queue: String) async throws(StoreFailure) -> MovedWork?

    /// Pauses or resumes claims of a lane or of the queue; false where the state is the same already.
    func setPause(_ isPaused: Bool, of lane: String?, in queue: String) async throws(StoreFailure) -> Bool

    /// Stops the claims of a queue by all processes until this one allows them again, or has ended; no effect where the
    /// state is the same already. ``forget(queues:)`` does not change it.
    ///
    /// The claims that are held stay: ``waitUntilUnclaimed(_:)`` returns when they have ended. A file of this machine
    /// that other processes use notices the end of a process after a minute, which is then also the longest stop.
    func hold(_ isHeld: Bool, queue: String) async throws(StoreFailure)

    /// The current pauses.
    func pauses(of queue: String) async throws(StoreFailure) -> WorkPauses

    /// The items of a queue or a lane, oldest first.
    func list(_ queue: String, lane: String?, after: Int64?, limit: Int) async throws(StoreFailure) -> [WaitingWork]

    /// An item with its payload; nil where there is no such item.
    func find(_ id: String, in queue: String) async throws(StoreFailure) -> (item: WaitingWork, payload: [UInt8])?

    /// The outcome of an ended item; nil where it is unknown.
    func outcome(of id: String, in queue: String) async throws(StoreFailure) -> EndedWork?

    /// The size of a queue.
    func usage(ofQueue queue: String) async throws(StoreFailure) -> WorkUsage

    /// Returns when no item of a queue is claimed, by whatever process.
    func waitUntilUnclaimed(_ queue: String) async throws(StoreFailure)

    /// The time until an item of some kinds, or of any, is due; nil where no such item waits that is not paused.
    func nextDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure) -> Duration?

    /// Returns when an item of some kinds, or of any, may be claimed, because an item was added, ended or became due.
    ///
    /// Another worker may claim the item first.
    func waitUntilDue(in queue: String, kinds: Set<String>?) async throws(StoreFailure)
}

// MARK: Single items

extension WorkQueue {
    /// Adds an item; returns false, without effect, where one with this id exists or has ended recently.
    @discardableResult
    package func add(_ item: NewWork, to queue: String) async throws(StoreFailure) -> Bool {
        try await add(item, to: queue, within: QueueQuota()).isNew
    }

    /// Claims the item that is due longest, from a lane without a claim.
    package func claim(from queue: String, for lease: Duration)
        async throws(StoreFailure) -> ClaimedWork?
    {
        try await complete([], claiming: ClaimRequest(for: lease), in: queue).claims.first
    }

    /// Extends a claim; false where it is lost.
    package func extend(_ claim: ClaimedWork, by lease: Duration) async throws(StoreFailure) -> Bool {
        try await extend([claim], by: lease) == [true]
    }

    /// Completes an item; false, without effect, where the claim is lost.
    package func complete(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool {
        try await complete([WorkEnding(claim, .done(nil))], claiming: nil, in: claim.queue).isOwned == [true]
    }

    /// Returns an item for a retry after a delay; false where the claim is lost.
    package func requeue(_ claim: ClaimedWork, after delay: Duration, because reason: String)
        async throws(StoreFailure) -> Bool
    {
        let ending = WorkEnding(claim, .later(WorkDelay(delay, because: reason)))
        return try await complete([ending], claiming: nil, in: claim.queue).isOwned == [true]
    }

    /// Removes an item, even a claimed one, and forgets its id; false where there is none.
    package func drop(_ id: String, from queue: String) async throws(StoreFailure) -> Bool {
        try await remove(id, from: queue, leaving: nil) != nil
    }

    /// The time until any item is due.
    package func nextDue(in queue: String) async throws(StoreFailure) -> Duration? {
        try await nextDue(in: queue, kinds: nil)
    }

    /// Returns when any item may be claimed.
    package func waitUntilDue(in queue: String) async throws(StoreFailure) {
        try await waitUntilDue(in: queue, kinds: nil)
    }

    /// The queued items, oldest first.
    package func list(_ queue: String, after: Int64?, limit: Int) async throws(StoreFailure) -> [WaitingWork] {
        try await list(queue, lane: nil, after: after, limit: limit)
    }
}
