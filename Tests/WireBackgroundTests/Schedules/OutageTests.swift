import Support
import Synchronization
import Testing
import WireBackground
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireSQLite
import WireStore
import WireWorkContract
import Workbench

@Suite("Tasks while the store of the group is away")
struct TaskOutageTests {
    private static let section = "tasks: { work: { every: 1h, code: true } }"

    /// A bench whose task has begun its first run, which lasts until the barrier is fired.
    private static func begun(
        _ runs: Runs,
        _ barrier: OneShot,
        clock: HandClock,
        group: DataStore
    ) async throws -> TaskBench {
        let bench = try await TaskBench(section, clock: clock, group: group)
        _ = bench.brought.bring("work") { try await runs.hold(barrier) }
        await bench.pass(.seconds(3_600))
        #expect(await eventually { runs.count == 1 })
        return bench
    }

    @Test("a run begins once where the answer to its start is lost")
    func lostAnswer() async throws {
        let shared = try Workbench()
        let records = TaskRecords(shared.store)
        let bench = try await TaskBench(
            "tasks: { work: { every: 1h, exec: [./work] } }",
            group: DataStore(values: records, queue: shared.store)
        )
        await bench.settle()
        records.loseNextAnswer()
        bench.clock.pass(.seconds(3_600))
        bench.service.tasks?.look()
        #expect(await eventually { records.lost == 1 && bench.clock.wakes(in: .seconds(1)) })
        #expect(bench.machine[\.programs].isEmpty)
        bench.clock.pass(.seconds(1))
        #expect(try await bench.task("work") { $0["last"]?["outcome"]?.string == "succeeded" })
        #expect(bench.machine[\.programs].count == 1)
        #expect(try await bench.task("work")["runs"]?.integer == 1)
        await bench.end()
        await shared.store.close()
    }

    @Test("the result of a run is stored once the store is back")
    func waits() async throws {
        let shared = try Workbench()
        let records = TaskRecords(shared.store)
        let clock = HandClock()
        let (runs, barrier) = (Runs(clock), OneShot())
        let group = DataStore(values: records, queue: shared.store)
        let bench = try await Self.begun(runs, barrier, clock: clock, group: group)
        records.isAway = true
        barrier.fire()
        for count in 1...20 {
            #expect(await eventually { records.refused >= count && clock.wakes(in: .seconds(2)) })
            clock.pass(.seconds(2))
        }
        records.isAway = false
        #expect(
            try await eventually {
                if clock.wakes(in: .seconds(2)) { clock.pass(.seconds(2)) }
                return try await bench.task("work")["last"]?["outcome"]?.string == "succeeded"
            }
        )
        #expect(runs.count == 1)
        await bench.end()
        await shared.store.close()
    }

    @Test("a store that is away is asked for one task, not for each, and the tasks of this machine go on")
    func askedOnce() async throws {
        let shared = try Workbench()
        let records = AwayRecords(shared.store)
        let tasks = "tasks: { a: { every: 1h, code: true }, b: { every: 1h, code: true } }"
        let bench = try await TaskBench(tasks, group: DataStore(values: records, queue: shared.store))
        let log = bench.bench.told
        #expect(await eventually { log.log.count { $0.hasPrefix("a task cannot run") } == 2 })
        #expect(Set(records.asked) == ["a"])
        let own: any KeyValueStore = bench.bench.store
        #expect(
            try await eventually { try await own.list("corewire/tasks", prefix: "", after: nil, limit: 9).count == 1 }
        )
        await bench.end()
        await shared.store.close()
    }

    @Test("a run whose claim is lost is interrupted and repeated, and uses no attempt")
    func claimLost() async throws {
        let shared = try Workbench()
        let clock = HandClock()
        let (runs, barrier) = (Runs(clock), OneShot())
        let claims = LosingClaims(shared.store)
        let group = DataStore(values: shared.store, queue: claims)
        let bench = try await Self.begun(runs, barrier, clock: clock, group: group)
        claims.lose()
        #expect(try await bench.task("work") { $0["last"]?["outcome"]?.string == "interrupted" })
        #expect(try await bench.task("work")["failures"]?.integer == 0)
        barrier.fire()
        await bench.pass(.seconds(31))
        #expect(try await bench.task("work") { $0["last"]?["outcome"]?.string == "succeeded" })
        #expect(runs.count == 2)
        #expect(runs.together == 1)
        await bench.end()
        await shared.store.close()
    }

    /// A store of a group whose leases end by the clock of a test.
    private static func shared(_ clock: HandClock) throws -> Workbench {
        let time = clock.clockwork
        let storeClock = StoreClock(
            now: { time.wall() },
            uptime: { time.uptime().inMicroseconds / 1_000 },
            boot: "server"
        )
        return try Workbench(clock: clock, storeClock: storeClock)
    }

    @Test(
        "a run goes on while the store is away, until the others may have given its runner up",
        arguments: [(20, 24), (60, 64)]
    )
    func outlasts(givesUpAfter: Int, outage: Int) async throws {
        let clock = HandClock()
        let shared = try Self.shared(clock)
        let (runs, barrier) = (Runs(clock), OneShot())
        let claims = FailingClaims(shared.store)
        let group = DataStore(values: shared.store, queue: claims, givesUpAfter: .seconds(givesUpAfter))
        let bench = try await Self.begun(runs, barrier, clock: clock, group: group)
        claims.fail(.away)
        await bench.pass(.seconds(outage), step: .seconds(1), holding: 1)
        claims.fail(nil)
        // Before the claim ends.
        await bench.pass(.seconds(2), step: .seconds(1), holding: 1)
        #expect(await eventually { claims.extensions > 0 })
        barrier.fire()
        #expect(try await bench.task("work") { $0["last"]?["outcome"]?.string == "succeeded" })
        #expect(runs.count == 1)
        await bench.end()
        await shared.store.close()
    }

    @Test("the time for which a machine was suspended counts for the claims of its runner")
    func suspended() async throws {
        let clock = HandClock()
        let shared = try Self.shared(clock)
        let (runs, barrier) = (Runs(clock), OneShot())
        let claims = FailingClaims(shared.store)
        let bench = try await Self.begun(
            runs,
            barrier,
            clock: clock,
            group: DataStore(values: shared.store, queue: claims)
        )
        claims.fail(.away)
        await bench.settle(holding: 1)
        clock.pass(.seconds(31), isSuspended: true)
        #expect(try await bench.task("work") { $0["last"]?["outcome"]?.string == "interrupted" })
        barrier.fire()
        await bench.end()
        await shared.store.close()
    }

    @Test("another runner waits 30 seconds for a claim that a runner could not give back")
    func notGivenBack() async throws {
        let clock = HandClock()
        let shared = try Self.shared(clock)
        let store = AwayStore(shared.store)
        let (runs, barrier) = (Runs(clock), OneShot())
        let group = DataStore(values: store, queue: store, givesUpAfter: .seconds(20))
        let first = try await Self.begun(runs, barrier, clock: clock, group: group)
        store.isAway = true
        await first.breakOff()
        store.isAway = false
        let second = try await TaskBench(Self.section, clock: clock, group: group)
        _ = second.brought.bring("work") { runs.note() }
        await second.pass(.seconds(25), step: .seconds(5))
        #expect(try await second.task("work")["last"] == nil)
        await second.pass(.seconds(10), step: .seconds(5))
        #expect(try await second.task("work") { $0["last"]?["outcome"]?.string == "interrupted" })
        await second.pass(.seconds(31))
        #expect(try await second.task("work") { $0["last"]?["outcome"]?.string == "succeeded" })
        #expect(runs.together == 1)
        await second.end()
        await shared.store.close()
    }

    @Test("a claim that could not be given back is given back once the store is back, before its lease is over")
    func givenBack() async throws {
        let clock = HandClock()
        let shared = try Self.shared(clock)
        let queue = AwayStore(shared.store)
        let (runs, barrier) = (Runs(clock), OneShot())
        let group = DataStore(values: shared.store, queue: queue, givesUpAfter: .seconds(20))
        let first = try await Self.begun(runs, barrier, clock: clock, group: group)
        queue.isAway = true
        barrier.fire()
        #expect(try await first.task("work") { $0["last"]?["outcome"]?.string == "succeeded" })
        #expect(await eventually { clock.wakes(in: .seconds(1)) })
        queue.isAway = false
        clock.pass(.seconds(1))
        await first.settle()
        await first.end()
        let second = try await TaskBench(Self.section, clock: clock, group: group)
        _ = second.brought.bring("work") { runs.note() }
        #expect(try await second.ask(.post, "/v1/tasks/work/run").status == 202)
        #expect(await eventually { runs.count == 2 })
        await second.end()
        await shared.store.close()
    }

    @Test("a run ends before its claim does where another process keeps the store locked")
    func locked() async throws {
        let workbench = try Workbench()
        let clock = HandClock()
        let (runs, barrier) = (Runs(clock), OneShot())
        let claims = FailingClaims(workbench.store)
        claims.fail(.busy)
        let group = DataStore(values: workbench.store, queue: claims)
        let bench = try await Self.begun(runs, barrier, clock: clock, group: group)
        await bench.pass(.seconds(20), step: .seconds(10), holding: 1)
        #expect(try await bench.task("work") { $0["last"]?["outcome"]?.string == "interrupted" })
        barrier.fire()
        await bench.end()
        await workbench.store.close()
    }
}

/// A queue whose claims cannot be extended while a test says so.
private final class FailingClaims: QueueAround {
    let queue: any WorkQueue
    private let state = Mutex((failure: StoreFailure.Kind?.none, extensions: 0))

    init(_ queue: any WorkQueue) { self.queue = queue }

    func fail(_ kind: StoreFailure.Kind?) { state.withLock { $0.failure = kind } }

    /// How often claims were extended.
    var extensions: Int { state.withLock(\.extensions) }

    func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool] {
        if let kind = state.withLock(\.failure) { throw StoreFailure(kind, "no claim can be extended") }
        state.withLock { $0.extensions += 1 }
        return try await queue.extend(claims, by: lease)
    }
}

/// A store that can be away for the records of tasks, or lose the answer to a write of one.
private final class TaskRecords: StoreAround {
    let store: any KeyValueStore
    private let state = Mutex((isAway: false, losesNext: false, refused: 0, lost: 0))

    init(_ store: any KeyValueStore) { self.store = store }

    var isAway: Bool {
        get { state.withLock(\.isAway) }
        set { state.withLock { $0.isAway = newValue } }
    }

    func loseNextAnswer() { state.withLock { $0.losesNext = true } }

    /// How often a record could not be read.
    var refused: Int { state.withLock(\.refused) }
    /// How many answers were lost.
    var lost: Int { state.withLock(\.lost) }

    private static let away = StoreFailure(.away, "the server cannot be reached")

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        let isRefused = state.withLock { state in
            if state.isAway { state.refused += 1 }
            return state.isAway
        }
        if isRefused { throw Self.away }
        return try await store.entry(key, in: namespace)
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        if isAway { throw Self.away }
        let receipt = try await store.put(value, under: key, in: namespace, if: condition)
        let isLost = state.withLock { state in
            defer { state.losesNext = false }
            if state.losesNext { state.lost += 1 }
            return state.losesNext
        }
        if isLost { throw Self.away }
        return receipt
    }
}

/// A store that is away for the records of tasks, and notes for which it was asked.
private final class AwayRecords: StoreAround {
    let store: any KeyValueStore
    private let names = Mutex<[String]>([])

    init(_ store: any KeyValueStore) { self.store = store }

    var asked: [String] { names.withLock { $0 } }

    func summary(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry.Summary? {
        names.withLock { $0.append(String(key.split(separator: "/").last ?? "")) }
        throw StoreFailure(.away, "the server cannot be reached")
    }
}

/// A queue whose claims of tasks can be lost, as those of a runner that was silent for too long.
private final class LosingClaims: QueueAround {
    let queue: any WorkQueue
    private let lost = OneShot()

    init(_ queue: any WorkQueue) { self.queue = queue }

    func lose() { lost.fire() }

    func complete(_ endings: [WorkEnding], claiming request: ClaimRequest?, in queue: String)
        async throws(StoreFailure) -> CompletionResult
    {
        let result = try await self.queue.complete(endings, claiming: request, in: queue)
        guard queue.hasPrefix("corewire/tasks"), !lost.hasFired else { return result }
        let claims = result.claims.map { claim in
            ClaimedWork(
                queue: claim.queue,
                position: claim.position,
                id: claim.id,
                lane: claim.lane,
                kind: claim.kind,
                metadata: claim.metadata,
                payload: claim.payload,
                attempts: claim.attempts,
                added: claim.added,
                age: claim.age,
                fence: claim.fence,
                owner: claim.owner,
                lost: lost
            )
        }
        return CompletionResult(isOwned: result.isOwned, claims: claims)
    }
}
