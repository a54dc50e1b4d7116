import Synchronization
import WireStore

/// The outbox's queue in a store that fails at one step the first time, and does what it is asked from then on.
final class ShakyQueue: WorkQueue {
    enum Step: String, CaseIterable, Sendable { case due, claiming, ending }

    private let inner: any WorkQueue
    private let step: Step
    private let failure: StoreFailure
    private let asked = Mutex(0)

    init(_ inner: any WorkQueue, failing step: Step, as kind: StoreFailure.Kind) {
        (self.inner, self.step) = (inner, step)
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

    func turn(_ endings: [WorkEnding], claiming wish: WorkWish?, in queue: String)
        async throws(StoreFailure) -> TurnedWork
    {
        try take(endings.isEmpty ? .claiming : .ending, in: queue)
        return try await inner.turn(endings, claiming: wish, in: queue)
    }
    func due(in queue: String) async throws(StoreFailure) {
        try take(.due, in: queue)
        try await inner.due(in: queue)
    }

    // MARK: As it is

    func add(_ item: NewWork, to queue: String, within room: WorkRoom) async throws(StoreFailure) -> AddedWork {
        try await inner.add(item, to: queue, within: room)
    }
    func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool] {
        try await inner.extend(claims, by: lease)
    }
    func remove(_ id: String, from queue: String, leaving outcome: WorkOutcome?)
        async throws(StoreFailure) -> RemovedWork?
    { try await inner.remove(id, from: queue, leaving: outcome) }
    func forget(queues prefix: String) async throws(StoreFailure) -> ForgottenWork {
        try await inner.forget(queues: prefix)
    }
    func forgetEnded(of queue: String) async throws(StoreFailure) -> Int { try await inner.forgetEnded(of: queue) }
    func hasten(_ which: WorkHaste, in queue: String) async throws(StoreFailure) -> Int {
        try await inner.hasten(which, in: queue)
    }
    func setPause(_ isPaused: Bool, of lane: String?, in queue: String) async throws(StoreFailure) -> Bool {
        try await inner.setPause(isPaused, of: lane, in: queue)
    }
    func pauses(of queue: String) throws(StoreFailure) -> WorkPauses { try inner.pauses(of: queue) }
    func list(_ queue: String, lane: String?, after: Int64?, limit: Int) throws(StoreFailure) -> [WaitingWork] {
        try inner.list(queue, lane: lane, after: after, limit: limit)
    }
    func find(_ id: String, in queue: String) throws(StoreFailure) -> (item: WaitingWork, payload: [UInt8])? {
        try inner.find(id, in: queue)
    }
    func outcome(of id: String, in queue: String) throws(StoreFailure) -> EndedWork? {
        try inner.outcome(of: id, in: queue)
    }
    func usage(ofQueue queue: String) throws(StoreFailure) -> WorkUsage { try inner.usage(ofQueue: queue) }
    func nextDue(in queue: String) throws(StoreFailure) -> Duration? { try inner.nextDue(in: queue) }
}
