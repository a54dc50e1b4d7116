import Support
import Testing

@testable import WireNetwork

@Suite("Request slots", .timeLimit(.minutes(1)))
struct TurnTests {
    /// So many that wait for a turn, one after the other.
    private func line(of count: Int, for turns: ConcurrencyLimiter, upTo most: Int) async -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for number in 1...count {
            tasks.append(Task { try await turns.acquire(upTo: most, waiting: count) })
            #expect(await eventually { turns.counts.waiting == number })
        }
        return tasks
    }

    @Test("the longest waiting request is next, and cancelled ones leave the queue")
    func order() async throws {
        let turns = ConcurrencyLimiter()
        #expect(turns.tryAcquire(upTo: 1))
        let tasks = await line(of: 3, for: turns, upTo: 1)
        await #expect(throws: ConcurrencyLimiter.Refusal.self) { try await turns.acquire(upTo: 1, waiting: 3) }
        tasks[1].cancel()
        await #expect(throws: ConcurrencyLimiter.Refusal.self) { try await tasks[1].value }
        turns.leave(upTo: 1)
        try await tasks[0].value
        #expect(turns.counts.running == 1 && turns.counts.waiting == 1)
        turns.leave(upTo: 1)
        try await tasks[2].value
        turns.leave(upTo: 1)
        #expect(turns.counts.running == 0 && turns.counts.waiting == 0)
    }

    @Test("a released slot respects the current limit")
    func limits() async throws {
        let turns = ConcurrencyLimiter()
        #expect(turns.tryAcquire(upTo: 2) && turns.tryAcquire(upTo: 2))
        let tasks = await line(of: 3, for: turns, upTo: 2)
        // Who comes now does not overtake them.
        #expect(!turns.tryAcquire(upTo: 3))
        turns.leave(upTo: 3)
        for task in tasks.prefix(2) { try await task.value }
        #expect(turns.counts.running == 3 && turns.counts.waiting == 1)
        turns.leave(upTo: 2)
        #expect(turns.counts.running == 2 && turns.counts.waiting == 1)
        turns.leave(upTo: 2)
        try await tasks[2].value
        #expect(turns.counts.running == 2 && turns.counts.waiting == 0)
    }
}
