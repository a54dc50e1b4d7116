import Synchronization
import Testing
import WireBase
import WireHost
import WireSQLite
import WireStore
import Workbench

@testable import WireBackground

@Suite("Turns of the outbox's workers")
struct TurnTests {
    private static let queue = "outbox/q"
    private static let lease = Duration.seconds(20)

    /// Claims four of eight requests, and ends them: the first, and the others while the first is being written.
    private static func end(
        _ held: HeldTurns,
        _ workbench: Workbench,
        before: ([ClaimedWork]) async throws -> Void = { _ in },
        takesMore: @escaping @Sendable (ClaimedWork) -> Bool = { $0.id != "1" }
    ) async throws -> [Result<OutboxTurns.Outcome, StoreFailure>] {
        for number in 0..<8 {
            try await workbench.store.add(NewWork(id: "\(number)", lane: "\(number)", payload: []), to: queue)
        }
        let request = ClaimRequest(for: lease, upTo: 4)
        let claims = try await workbench.store.complete([], claiming: request, in: queue).claims
        try await before(claims)
        let turns = OutboxTurns(lease: lease)
        var ended: [Task<Result<OutboxTurns.Outcome, StoreFailure>, Never>] = []
        for claim in claims {
            ended.append(
                Task.immediate {
                    do throws(StoreFailure) {
                        let ending = WorkEnding(claim, .done(nil))
                        return .success(
                            try await turns.take(ending, takesMore: { takesMore(claim) }, in: held, .host)
                        )
                    } catch {
                        return .failure(error)
                    }
                }
            )
            await held.asked.wait()
        }
        held.gate.fire()
        var outcomes: [Result<OutboxTurns.Outcome, StoreFailure>] = []
        for task in ended { outcomes.append(await task.value) }
        return outcomes
    }

    @Test("those that end during a write share the next one; each hears of its own claim, and has another next one")
    func shared() async throws {
        let workbench = try Workbench()
        let held = HeldTurns(workbench.store)
        let outcomes = try await Self.end(held, workbench) { claims in
            // Another worker had this one.
            _ = try await workbench.store.complete(claims[2])
        }
        #expect(held.sizes == [1, 3])
        #expect(try outcomes.map { try $0.get().isOwned } == [true, true, false, true])
        let next = try outcomes.map { try $0.get().next?.claim.id }
        #expect(next[1] == nil && Set(next.compactMap(\.self)) == ["4", "5", "6"])
        let left = try await workbench.store.claim(from: Self.queue, for: Self.lease)
        #expect(left?.id == "7")
        await workbench.store.close()
    }

    @Test("what is not wanted any more when its write begins is not claimed")
    func drained() async throws {
        let workbench = try Workbench()
        let held = HeldTurns(workbench.store)
        let outcomes = try await Self.end(held, workbench, takesMore: { _ in !held.gate.hasFired })
        #expect(held.sizes == [1, 3])
        #expect(try outcomes.map { try $0.get().next?.claim.id } == ["4", nil, nil, nil])
        await workbench.store.close()
    }

    @Test("one that the store rejects keeps no other")
    func rejected() async throws {
        let workbench = try Workbench()
        let held = HeldTurns(workbench.store, rejecting: "2")
        let outcomes = try await Self.end(held, workbench)
        #expect(held.sizes == [1, 3, 1, 1, 1])
        #expect(outcomes.map { (try? $0.get().isOwned) ?? false } == [true, true, false, true])
        await workbench.store.close()
    }
}

/// A queue that holds the first turn, and rejects one ending.
private final class HeldTurns: QueueAround {
    let queue: any WorkQueue
    let (asked, gate) = (OneShot(), OneShot())
    private let rejected: String?
    private let state = Mutex<[Int]>([])

    init(_ queue: any WorkQueue, rejecting rejected: String? = nil) { (self.queue, self.rejected) = (queue, rejected) }

    /// How many claims ended in each turn.
    var sizes: [Int] { state.withLock { $0 } }

    func complete(_ endings: [WorkEnding], claiming request: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult
    {
        state.withLock { $0.append(endings.count) }
        asked.fire()
        await gate.wait()
        if endings.contains(where: { $0.claim.id == rejected }) { throw StoreFailure(.refused, "it is rejected") }
        return try await self.queue.complete(endings, claiming: request, in: queue)
    }
}
