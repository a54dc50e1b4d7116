import Support
import Testing
import WireBase
import WireConfig
import WireSQLite
import WireStore
import WireWorkContract
import Workbench

@Suite("Task schedules")
struct TaskTimeTests {
    private static func daily(_ change: (inout ScheduledTask) -> Void = { _ in }) -> ScheduledTask {
        var task = ScheduledTask("test.daily", every: .seconds(86_400))
        change(&task)
        return task
    }

    @Test("a task runs once per period")
    func periods() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let bench = try await TaskBench(clock: clock, keeping: [Kept(Self.daily()) { runs.note() }])
        await bench.pass(.seconds(86_400 - 900))
        await bench.settle()
        #expect(runs.count == 0)
        #expect(try await bench.state("test.daily") == "scheduled")
        await bench.pass(.seconds(900))
        await bench.settle()
        #expect(runs.count == 1)
        await bench.pass(.seconds(86_400 * 2), step: .seconds(3_600))
        await bench.settle()
        #expect(runs.count == 3)
        let last = try await bench.task("test.daily")
        #expect(last["last"]?["outcome"]?.string == "succeeded")
        #expect(last["runs"]?.integer == 3)
        await bench.end()
    }

    @Test("a new task runs at once with atStart, and only once")
    func atStart() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let task = Self.daily { $0.runsAtStart = true }
        let bench = try await TaskBench(clock: clock, keeping: [Kept(task) { runs.note() }])
        #expect(await eventually { runs.count == 1 })
        await bench.settle()
        await bench.end()
        let later = try await TaskBench(in: bench.bench.folder, clock: clock, keeping: [Kept(task) { runs.note() }])
        await later.pass(.seconds(3_600))
        await later.settle()
        #expect(runs.count == 1)
        await later.end()
    }

    @Test("runs missed while the runner was stopped are made up once, followed by a full period")
    func down() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let bench = try await TaskBench(clock: clock, keeping: [Kept(Self.daily()) { runs.note() }])
        await bench.pass(.seconds(60))
        await bench.end()
        clock.pass(.seconds(86_400 * 10 + 80_000))
        let later = try await TaskBench(
            in: bench.bench.folder,
            clock: clock,
            keeping: [Kept(Self.daily()) { runs.note() }]
        )
        #expect(await eventually { runs.count == 1 })
        await later.pass(.seconds(86_400 - 1_800), step: .seconds(3_600))
        await later.settle()
        #expect(runs.count == 1)
        await later.pass(.seconds(3_600))
        await later.settle()
        #expect(runs.count == 2)
        await later.end()
    }

    @Test("runs missed during suspend are made up once")
    func slept() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let bench = try await TaskBench(clock: clock, keeping: [Kept(Self.daily()) { runs.note() }])
        await bench.pass(.seconds(60))
        // The clock that only grows stands still while the machine sleeps.
        clock.jump(to: clock.clockwork.wall() + 86_400_000 * 5)
        await bench.pass(.seconds(61))
        await bench.settle()
        #expect(runs.count == 1)
        await bench.pass(.seconds(80_000), step: .seconds(3_600))
        await bench.settle()
        #expect(runs.count == 1)
        await bench.end()
    }

    @Test("a clock set back delays no run by more than a period, also across a restart")
    func setBack() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let bench = try await TaskBench(clock: clock, keeping: [Kept(Self.daily()) { runs.note() }])
        await bench.pass(.seconds(3_600))
        clock.jump(to: clock.clockwork.wall() - 86_400_000 * 365)
        await bench.pass(.seconds(83_000), step: .seconds(3_600))
        await bench.settle()
        #expect(runs.count == 1)
        await bench.end()
        let later = try await TaskBench(
            in: bench.bench.folder,
            clock: clock,
            keeping: [Kept(Self.daily()) { runs.note() }]
        )
        await later.pass(.seconds(86_500), step: .seconds(3_600))
        await later.settle()
        #expect(runs.count == 2)
        await later.end()
    }

    @Test(
        "the times of a machine whose clock is slightly ahead stay as they are",
        arguments: [(Int64(10_000), true), (86_400_000, false)]
    )
    func ahead(difference: Int64, isKept: Bool) async throws {
        let clock = HandClock()
        let workbench = try Workbench(clock: clock)
        let record = #"{"version":1,"anchor":\#(clock.clockwork.wall() + difference)}"#
        let stored = try await workbench.store.put(
            NewValue(Array(record.utf8), type: "application/json"),
            under: "/test.daily",
            in: "corewire/tasks",
            if: .absent
        )
        let bench = try await TaskBench(in: workbench.folder, clock: clock, keeping: [Kept(Self.daily()) {}])
        await bench.settle()
        let found = try bench.bench.store.summary("/test.daily", in: "corewire/tasks")
        #expect((found?.version == stored.version) == isKept)
        await bench.end()
    }

    @Test("a jumping clock does not cause repeated runs")
    func jumps() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let bench = try await TaskBench(clock: clock, keeping: [Kept(Self.daily()) { runs.note() }])
        let wall = clock.clockwork.wall()
        await bench.settle()
        for _ in 0..<10 {
            clock.jump(to: wall + 86_400_000 * 30)
            await bench.pass(.seconds(61))
            clock.jump(to: wall)
            await bench.pass(.seconds(61))
        }
        #expect(runs.count == 1)
        await bench.end()
    }

    @Test("within its flex a task starts when its conditions are met, without shifting the schedule")
    func flex() async throws {
        let clock = HandClock()
        let (runs, machine) = (Runs(clock), Machine())
        machine[\.isIdle] = false
        let task = Self.daily {
            $0.flex = .seconds(7_200)
            $0.constraints = .idle
        }
        let bench = try await TaskBench(clock: clock, machine: machine, keeping: [Kept(task) { runs.note() }])
        await bench.pass(.seconds(79_000), step: .seconds(3_600))
        machine[\.isIdle] = true
        // Not before the window opens, 22 hours after it was seen first.
        await bench.pass(.seconds(180), step: .seconds(60))
        await bench.settle()
        #expect(runs.count == 0)
        await bench.pass(.seconds(120), step: .seconds(30))
        await bench.settle()
        #expect(runs.count == 1)
        // The next window opens 22 hours after the end of the first period.
        await bench.pass(.seconds(86_400 - 600), step: .seconds(3_600))
        await bench.settle()
        #expect(runs.count == 1)
        await bench.pass(.seconds(900), step: .seconds(60))
        await bench.settle()
        #expect(runs.count == 2)
        await bench.end()
    }

    @Test("a task without conditions uses its flex to run with others")
    func beside() async throws {
        let clock = HandClock()
        let (early, other) = (Runs(clock), Runs(clock))
        let task = Self.daily { $0.flex = .seconds(7_200) }
        let hourly = ScheduledTask("test.other", every: .seconds(82_800))
        let bench = try await TaskBench(
            clock: clock,
            keeping: [Kept(task) { early.note() }, Kept(hourly) { other.note() }]
        )
        await bench.pass(.seconds(82_700), step: .seconds(3_600))
        await bench.settle()
        #expect(early.count == 0)
        await bench.pass(.seconds(100))
        await bench.settle()
        #expect(other.count == 1)
        #expect(early.count == 1)
        await bench.end()
    }
}
