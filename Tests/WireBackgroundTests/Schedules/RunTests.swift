import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("Running tasks")
struct TaskRunTests {
    private static func task(_ name: String = "test.work", _ change: (inout ScheduledTask) -> Void = { _ in })
        -> ScheduledTask
    {
        var task = ScheduledTask(name, every: .seconds(3_600))
        change(&task)
        return task
    }

    // MARK: Needs

    @Test(
        "a task waits for its conditions, and reports them",
        arguments: [("network", ScheduledTask.Constraints.network), ("idle", .idle), ("power", .power)]
    )
    func waits(word: String, constraint: ScheduledTask.Constraints) async throws {
        let clock = HandClock()
        let (runs, machine) = (Runs(clock), Machine())
        (machine[\.isIdle], machine[\.hasPower]) = (false, false)
        machine.become(online: false)
        let task = Self.task { $0.constraints = constraint }
        let bench = try await TaskBench(clock: clock, machine: machine, keeping: [Kept(task) { runs.note() }])
        await bench.pass(.seconds(3_700))
        await bench.settle()
        #expect(runs.count == 0)
        let told = try await bench.task("test.work")
        #expect(told["state"]?.string == "waiting")
        #expect(told["waitingFor"]?.array?.compactMap(\.string) == [word])
        (machine[\.isIdle], machine[\.hasPower]) = (true, true)
        machine.become(online: true)
        await bench.pass(.seconds(31))
        #expect(await eventually { runs.count == 1 })
        await bench.end()
    }

    @Test("a condition that the machine does not report counts as met")
    func untold() async throws {
        let clock = HandClock()
        let (runs, machine) = (Runs(clock), Machine())
        (machine[\.isIdle], machine[\.hasPower]) = (nil, nil)
        let task = Self.task { $0.constraints = [.idle, .power] }
        let bench = try await TaskBench(clock: clock, machine: machine, keeping: [Kept(task) { runs.note() }])
        await bench.pass(.seconds(3_700))
        #expect(await eventually { runs.count == 1 })
        let conditions = try await bench.ask(.get, "/v1/tasks").json["conditions"]
        #expect(conditions?["power"] == nil)
        #expect(conditions?["network"]?.boolean == true)
        await bench.end()
    }

    @Test("a lost network interrupts a run, which is repeated; lost idleness does not")
    func losesNetwork() async throws {
        let clock = HandClock()
        let (runs, machine, barrier) = (Runs(clock), Machine(), OneShot())
        let task = Self.task { $0.constraints = [.network, .idle] }
        let bench = try await TaskBench(
            clock: clock,
            machine: machine,
            keeping: [Kept(task) { try await runs.hold(barrier) }]
        )
        await bench.pass(.seconds(3_600))
        #expect(await eventually { runs.count == 1 })
        machine[\.isIdle] = false
        await bench.pass(.seconds(120), step: .seconds(10), holding: 1)
        await bench.settle(holding: 1)
        #expect(try await bench.state("test.work") == "running")
        machine[\.isIdle] = true
        machine.become(online: false)
        #expect(try await bench.task("test.work") { $0["last"]?["outcome"]?.string == "interrupted" })
        await bench.pass(.seconds(60), step: .seconds(10))
        await bench.settle()
        #expect(runs.count == 1)
        barrier.fire()
        machine.become(online: true)
        #expect(await eventually { runs.count == 2 })
        #expect(try await bench.task("test.work") { $0["last"]?["outcome"]?.string == "succeeded" })
        await bench.end()
    }

    // MARK: One at a time

    @Test("tasks of one group run one at a time, other groups in parallel")
    func groups() async throws {
        let clock = HandClock()
        let (runs, other, barrier) = (Runs(clock), Runs(clock), OneShot())
        let kept = ["test.a", "test.b", "test.c"].map { name in
            Kept(Self.task(name) { $0.group = "shared" }) { try await runs.hold(barrier) }
        }
        let bench = try await TaskBench(
            clock: clock,
            keeping: kept + [Kept(Self.task("test.other")) { other.note() }]
        )
        await bench.pass(.seconds(3_600))
        #expect(await eventually { runs.count == 1 })
        #expect(await eventually { other.count == 1 })
        await bench.settle(holding: 1)
        #expect(runs.count == 1)
        let tasks = try await bench.ask(.get, "/v1/tasks").json["tasks"]?.array ?? []
        let waiting = tasks.filter { task in task["waitingFor"]?.array?.first?.string == "group" }
        #expect(waiting.count == 2)
        barrier.fire()
        #expect(await eventually { runs.count == 3 })
        #expect(runs.together == 1)
        await bench.end()
    }

    @Test(
        "the drain of the outbox is a task: listed with its next time, stored, and run on request"
    )
    func drain() async throws {
        let clock = HandClock()
        let first = try await TaskBench("drainEvery: 2h", clock: clock)
        await first.settle()
        let listed = try await first.ask(.get, "/v1/tasks").json["tasks"]?.array ?? []
        #expect(listed.map { $0["name"]?.string } == ["background.drain"])
        let next = clock.clockwork.wall() + 7_200_000
        #expect(listed.first?["next"]?.integer == Int(next))
        await first.pass(.seconds(3_600))
        await first.end()
        let second = try await TaskBench("drainEvery: 2h", in: first.bench.folder, clock: clock)
        await second.settle()
        #expect(try await second.task("background.drain")["next"]?.integer == Int(next))
        #expect(try await second.ask(.post, "/v1/tasks/background.drain/run", "{}").status == 202)
        #expect(try await second.task("background.drain", becomes: { $0["last"]?["outcome"]?.string == "succeeded" }))
        await second.end()
    }

    @Test("one process of a group runs a task, and the others see the run")
    func processes() async throws {
        let clock = HandClock()
        let (runs, barrier) = (Runs(clock), OneShot())
        let first = try await TaskBench(clock: clock, keeping: [Kept(Self.task()) { try await runs.hold(barrier) }])
        let second = try await TaskBench(
            in: first.bench.folder,
            clock: clock,
            keeping: [Kept(Self.task()) { try await runs.hold(barrier) }]
        )
        await first.pass(.seconds(3_600), beside: [second])
        await first.pass(.seconds(120), step: .seconds(5), holding: 1, beside: [second])
        await first.settle(holding: 1, beside: [second])
        #expect(runs.count == 1)
        for bench in [first, second] {
            #expect(try await bench.task("test.work") { $0["state"]?.string == "running" })
        }
        barrier.fire()
        for bench in [first, second] {
            #expect(try await bench.task("test.work") { $0["last"]?["outcome"]?.string == "succeeded" })
        }
        await first.pass(.seconds(60), step: .seconds(5), beside: [second])
        await first.settle(beside: [second])
        #expect(runs.count == 1)
        await first.end()
        await second.end()
    }

    @Test("in a group a task of the file runs on one machine, a service's task and one with 'on: machine' on each")
    func machines() async throws {
        let shared = try Workbench()
        let group = DataStore(values: shared.store, queue: shared.store)
        let clock = HandClock()
        let runs = Runs(clock)
        let section = """
            tasks:
              upkeep: { every: 1h, exec: [./upkeep] }
              sweep: { every: 1h, exec: [./sweep], on: machine }
            """
        let kept = [Kept(Self.task()) { runs.note() }]
        let first = try await TaskBench(section, clock: clock, keeping: kept, group: group)
        let second = try await TaskBench(section, clock: clock, keeping: kept, group: group)
        for count in 1...3 {
            await first.pass(.seconds(3_600), beside: [second])
            await first.settle(beside: [second])
            #expect(await eventually { runs.count == 2 * count })
            let programs = { first.machine[\.programs].count + second.machine[\.programs].count }
            #expect(await eventually { programs() == 3 * count })
            for bench in [first, second] { #expect(try await bench.task("upkeep")["runs"]?.integer == count) }
        }
        await first.end()
        await second.end()
        await shared.store.close()
    }

    @Test("a run that is repeated after it has posted its request posts no second one")
    func postsOnce() async throws {
        let clock = HandClock()
        let machine = Machine()
        machine.become(online: false)
        let section = """
            tasks:
              report:
                every: 1h
                attempts: 2
                request: { url: "https://api.example.com/report", mustArrive: true }
            """
        let bench = try await TaskBench(section, clock: clock, machine: machine)
        func waiting() async throws -> [String] {
            let requests = try await bench.ask(.get, "/v1/outbox").json["requests"]?.array ?? []
            return requests.compactMap { $0["id"]?.string }
        }
        await bench.pass(.seconds(3_600))
        #expect(try await bench.task("report") { $0["last"]?["outcome"]?.string == "succeeded" })
        let first = try await waiting()
        #expect(first.count == 1)
        // As if the process had died before it could store the end.
        let stored = try #require(try bench.bench.store.entry("/report", in: "corewire/tasks"))
        let ended = try JSONValue(parsing: stored.bytes, named: "record")
        let kept = (ended.members ?? []).filter { ["version", "anchor", "runs", "occurrence"].contains($0.key) }
        let begun = JSONValue.object(kept + [("begun", .integer(Int(clock.clockwork.wall())))])
        _ = try await bench.bench.store.put(
            NewValue(begun.bytes(), type: "application/json"),
            under: "/report",
            in: "corewire/tasks",
            if: .always
        )
        #expect(try await bench.task("report") { $0["last"]?["outcome"]?.string == "interrupted" })
        await bench.pass(.seconds(31))
        #expect(try await bench.task("report") { $0["last"]?["outcome"]?.string == "succeeded" })
        #expect(try await bench.task("report")["runs"]?.integer == 2)
        #expect(try await waiting() == first)
        // The next occurrence is another one.
        await bench.pass(.seconds(3_600))
        #expect(await eventually { (try? await waiting())?.count == 2 })
        await bench.end()
    }

    @Test("a run that was given up as dead does not end the next one")
    func takenOver() async throws {
        let clock = HandClock()
        let (runs, barrier) = (Runs(clock), OneShot())
        let bench = try await TaskBench(clock: clock, keeping: [Kept(Self.task()) { try await runs.hold(barrier) }])
        await bench.pass(.seconds(3_600))
        #expect(await eventually { runs.count == 1 })
        // Another process has begun the second run.
        let wall = clock.clockwork.wall()
        let record = #"{"version":1,"anchor":\#(wall),"begun":\#(wall),"runs":2,"failures":0,"served":0}"#
        _ = try await bench.bench.store.put(
            NewValue(Array(record.utf8), type: "application/json"),
            under: "/test.work",
            in: "corewire/tasks",
            if: .always
        )
        barrier.fire()
        // That one is dead as well.
        #expect(try await bench.task("test.work") { $0["last"]?["outcome"]?.string == "interrupted" })
        let outcomes = bench.bench.events(named: "task.ended").compactMap { $0.data["outcome"]?.string }
        #expect(!outcomes.contains("succeeded"), "\(outcomes)")
        await bench.end()
    }

    @Test(
        "a run of a dead process counts as an attempt, and is repeated once even without attempts left",
        arguments: [(2, 0, true), (1, 0, true), (1, 1, false)]
    )
    func orphan(attempts: Int, failures: Int, isRepeated: Bool) async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let wall = clock.clockwork.wall()
        let workbench = try Workbench(clock: clock)
        let record = #"{"version":1,"anchor":\#(wall),"begun":\#(wall),"runs":1,"failures":\#(failures),"served":0}"#
        _ = try await workbench.store.put(
            NewValue(Array(record.utf8), type: "application/json"),
            under: "/test.work",
            in: "corewire/tasks",
            if: .absent
        )
        let task = Self.task { $0.attempts = attempts }
        let bench = try await TaskBench(in: workbench.folder, clock: clock, keeping: [Kept(task) { runs.note() }])
        await bench.settle()
        let told = try await bench.task("test.work")
        #expect(told["last"]?["outcome"]?.string == "interrupted")
        #expect(told["failures"]?.integer == failures + 1)
        #expect(runs.count == 0)
        await bench.pass(.seconds(31))
        await bench.settle()
        #expect(await eventually { runs.count == (isRepeated ? 1 : 0) })
        #expect(try await bench.task("test.work") { $0["failures"]?.integer == (isRepeated ? 0 : failures + 1) })
        await bench.end()
    }

    @Test(
        "stored times outside the supported range are rejected",
        arguments: [
            (9_007_199_254_740_992, true), (9_007_199_254_740_993, false), (-9_007_199_254_740_992, true),
            (-9_007_199_254_740_993, false),
        ]
    )
    func farMoments(moment: Int, isRead: Bool) async throws {
        let clock = HandClock()
        let workbench = try Workbench(clock: clock)
        let record = #"{"version":1,"anchor":\#(clock.clockwork.wall()),"lastSuccess":\#(moment)}"#
        _ = try await workbench.store.put(
            NewValue(Array(record.utf8), type: "application/json"),
            under: "/test.work",
            in: "corewire/tasks",
            if: .absent
        )
        let bench = try await TaskBench(in: workbench.folder, clock: clock, keeping: [Kept(Self.task()) {}])
        await bench.settle()
        let task = try await bench.task("test.work")
        #expect(task["name"]?.string == "test.work")
        #expect(task["lastSuccess"]?.integer == (isRead ? moment : nil))
        await bench.end()
    }

    // MARK: Ends

    @Test("a failed run is retried with doubling pauses, then at the next period")
    func fails() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let task = Self.task { $0.attempts = 3 }
        let work: @Sendable () async throws -> Void = {
            runs.note()
            throw Fault("the disk is full")
        }
        let bench = try await TaskBench(clock: clock, keeping: [Kept(task, work)])
        await bench.pass(.seconds(3_600))
        await bench.pass(.seconds(200), step: .seconds(10))
        #expect(await eventually { runs.count == 3 })
        #expect(zip(runs.all, runs.all.dropFirst()).map { $1 - $0 } == [.seconds(30), .seconds(60)])
        await bench.pass(.seconds(3_300), step: .seconds(100))
        await bench.settle()
        #expect(runs.count == 3)
        await bench.pass(.seconds(120), step: .seconds(10))
        await bench.settle()
        #expect(runs.count == 4)
        let failed = bench.bench.events(named: "task.failed")
        #expect(failed.first?.data["reason"]?.string == "the disk is full")
        #expect(failed.prefix(3).map { $0.data["again"] != nil } == [true, true, false])
        await bench.end()
    }

    @Test("pauses between attempts double up to five hours")
    func longWaits() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let task = Self.task { ($0.every, $0.attempts) = (.seconds(86_400), 12) }
        let work: @Sendable () async throws -> Void = {
            runs.note()
            throw Fault("the disk is full")
        }
        let bench = try await TaskBench(clock: clock, keeping: [Kept(task, work)])
        await bench.pass(.seconds(86_400), step: .seconds(86_400))
        await bench.settle()
        #expect(runs.count == 1)
        let waits = [30, 60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360, 18_000]
        for (number, wait) in waits.enumerated() {
            await bench.pass(.seconds(wait - 1), step: .seconds(wait))
            await bench.settle()
            #expect(runs.count == number + 1)
            await bench.pass(.seconds(1))
            await bench.settle()
            #expect(runs.count == number + 2)
        }
        await bench.end()
    }

    @Test("a run over its time limit is ended, and fails")
    func timeLimit() async throws {
        let clock = HandClock()
        let (runs, barrier) = (Runs(clock), OneShot())
        let task = Self.task { $0.limit = .seconds(90) }
        let bench = try await TaskBench(clock: clock, keeping: [Kept(task) { try await runs.hold(barrier) }])
        await bench.pass(.seconds(3_600))
        await bench.pass(.seconds(90), step: .seconds(10), holding: 1)
        #expect(try await bench.task("test.work") { $0["last"] != nil })
        let last = try await bench.task("test.work")["last"]
        #expect(last?["outcome"]?.string == "timedOut")
        #expect(last?["reason"]?.string == "the run took longer than 1m30s")
        await bench.end()
    }

    @Test("a run interrupted by the end of the runner is repeated", arguments: [true, false])
    func cutOff(isTold: Bool) async throws {
        let clock = HandClock()
        let (runs, barrier) = (Runs(clock), OneShot())
        let work: @Sendable () async throws -> Void = {
            do {
                try await runs.hold(barrier)
            } catch {
                // Work may end later than whoever looks after its time.
                for _ in 0..<1_000 { await Task.yield() }
                throw error
            }
        }
        let bench = try await TaskBench(clock: clock, keeping: [Kept(Self.task(), work)])
        await bench.pass(.seconds(3_600))
        #expect(await eventually { runs.count == 1 })
        if isTold { await bench.end() } else { await bench.breakOff() }
        barrier.fire()
        let later = try await TaskBench(
            in: bench.bench.folder,
            clock: clock,
            keeping: [Kept(Self.task()) { try await runs.hold(barrier) }]
        )
        await later.pass(.seconds(31))
        #expect(await eventually { runs.count == 2 })
        #expect(try await later.task("test.work") { $0["last"]?["outcome"]?.string == "succeeded" })
        #expect(try await later.task("test.work")["failures"]?.integer == 0)
        await later.end()
    }
}
