import Synchronization
package import WireService
package import WireStore

/// A store that cannot be reached while a test says so.
package final class AwayStore: StoreAround, QueueAround {
    package let store: any KeyValueStore
    package let queue: any WorkQueue
    private let away = Mutex(false)

    package init(_ store: any KeyValueStore & WorkQueue) { (self.store, queue) = (store, store) }

    /// The store with its values and queues.
    package var data: DataStore { DataStore(values: self, queue: self) }

    package var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }

    private func reached() throws(StoreFailure) {
        if isAway { throw StoreFailure(.away, "the server cannot be reached") }
    }

    // MARK: Values

    package func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        try reached()
        return try await store.entry(key, in: namespace)
    }

    package func summary(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry.Summary? {
        try reached()
        return try await store.summary(key, in: namespace)
    }

    package func list(_ namespace: String, prefix: String, after: String?, limit: Int) async throws(StoreFailure)
        -> [StoredEntry.Summary]
    {
        try reached()
        return try await store.list(namespace, prefix: prefix, after: after, limit: limit)
    }

    package func namespaces() async throws(StoreFailure) -> [String] {
        try reached()
        return try await store.namespaces()
    }

    package func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        try reached()
        return try await store.put(value, under: key, in: namespace, if: condition)
    }

    package func remove(_ key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> Bool
    {
        try reached()
        return try await store.remove(key, in: namespace, if: condition)
    }

    package func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        try reached()
        return try await store.clear(namespace)
    }

    package func scrub() async throws(StoreFailure) -> Scrubbed {
        try reached()
        return try await store.scrub()
    }

    package func scrubbable() async throws(StoreFailure) -> Scrubbed {
        try reached()
        return try await store.scrubbable()
    }

    // MARK: Work

    package func add(_ item: NewWork, to queue: String, within quota: QueueQuota) async throws(StoreFailure)
        -> AddedWork
    {
        try reached()
        return try await self.queue.add(item, to: queue, within: quota)
    }

    package func complete(_ endings: [WorkEnding], claiming request: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult
    {
        try reached()
        return try await self.queue.complete(endings, claiming: request, in: queue)
    }

    package func remove(_ id: String, from queue: String, leaving outcome: WorkOutcome?)
        async throws(StoreFailure) -> RemovedWork?
    {
        try reached()
        return try await self.queue.remove(id, from: queue, leaving: outcome)
    }

    package func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try reached()
        return try await queue.forget(queues: prefix)
    }

    package func counts(ofQueues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try reached()
        return try await queue.counts(ofQueues: prefix)
    }

    package func expedite(_ which: WorkExpediting, in queue: String) async throws(StoreFailure) -> Int {
        try reached()
        return try await self.queue.expedite(which, in: queue)
    }

    package func move(_ id: String, to lane: String, in queue: String) async throws(StoreFailure) -> MovedWork? {
        try reached()
        return try await self.queue.move(id, to: lane, in: queue)
    }

    package func setPause(_ isPaused: Bool, of lane: String?, in queue: String) async throws(StoreFailure) -> Bool {
        try reached()
        return try await self.queue.setPause(isPaused, of: lane, in: queue)
    }

    package func hold(_ isHeld: Bool, queue: String) async throws(StoreFailure) {
        try reached()
        try await self.queue.hold(isHeld, queue: queue)
    }

    package func pauses(of queue: String) async throws(StoreFailure) -> WorkPauses {
        try reached()
        return try await self.queue.pauses(of: queue)
    }

    package func list(_ queue: String, lane: String?, after: Int64?, limit: Int) async throws(StoreFailure)
        -> [WaitingWork]
    {
        try reached()
        return try await self.queue.list(queue, lane: lane, after: after, limit: limit)
    }

    package func find(_ id: String, in queue: String) async throws(StoreFailure) -> (
        item: WaitingWork, payload: [UInt8]
    )? {
        try reached()
        return try await self.queue.find(id, in: queue)
    }

    package func outcome(of id: String, in queue: String) async throws(StoreFailure) -> EndedWork? {
        try reached()
        return try await self.queue.outcome(of: id, in: queue)
    }

    package func usage(ofQueue queue: String) async throws(StoreFailure) -> WorkUsage {
        try reached()
        return try await self.queue.usage(ofQueue: queue)
    }
}
