import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireSQLite
import WireService
import WireStore
import WireWorkContract
import Workbench

@Suite("What tasks came to is cleared")
struct TaskClearingTests {
    @Test("a run that is under way ends, no run that was asked for is left, and nothing tells of former ones")
    func cleared() async throws {
        let bench = try await TaskBench("tasks: { code: { code: true }, upkeep: { exec: [./upkeep] } }")
        bench.machine[\.exitStatus] = 3
        _ = try await bench.ask(.post, "/v1/tasks/upkeep/run?wait")
        #expect(try await bench.task("upkeep")["last"]?["reason"]?.string?.contains("exited with 3") == true)
        let (begun, ended) = (OneShot(), OneShot())
        _ = bench.brought.bring("code") {
            begun.fire()
            await OneShot().wait()
            ended.fire()
        }
        _ = try await bench.ask(.post, "/v1/tasks/code/run")
        await begun.wait()
        let told = try await bench.bench.clear(.user, underWay: true)
        #expect(ended.hasFired, "it ended before anything was removed")
        #expect(told["results of tasks"] == 2)
        #expect(try await bench.task("upkeep")["last"]?["reason"]?.string == nil)
        #expect(try await bench.task("code")["last"]?["outcome"]?.string == nil)
        #expect(try await bench.bench.clear(.user)["results of tasks"] == 0)
        // The schedule is the file's, and goes on.
        bench.machine[\.exitStatus] = 0
        let answer = try await bench.ask(.post, "/v1/tasks/upkeep/run?wait")
        #expect(answer.json["last"]?["outcome"]?.string == "succeeded")
        await bench.end()
    }

    @Test("no record is written again while it is cleared, and schedules go on afterwards")
    func writtenAgain() async throws {
        // The outbox has a task too.
        let tasks = (0..<20).map { "t\($0): { every: 1h, exec: [./upkeep] }" }.joined(separator: ", ")
        let bench = try await TaskBench("tasks: { \(tasks) }")
        #expect(await eventually { (try? bench.records())?.count == 21 })
        for scope in [ClearingScope.environment, .all] {
            #expect(try await bench.bench.clear(scope)["results of tasks"] == 21)
            #expect(await eventually { (try? bench.records())?.count == 21 })
        }
        await bench.end()
    }

    @Test(
        "tasks of this machine are cleared while the group's store is away, and the clearing says what is left",
        arguments: ClearingScope.allCases
    )
    func away(scope: ClearingScope) async throws {
        let shared = try Workbench()
        let store = AwayStore(shared.store)
        let bench = try await TaskBench("tasks: { upkeep: { exec: [./upkeep] } }", group: store.data)
        for task in ["upkeep", "background.drain"] {
            let answer = try await bench.ask(.post, "/v1/tasks/\(task)/run?wait")
            #expect(answer.json["last"]?["outcome"]?.string == "succeeded")
        }
        await bench.settle()
        store.isAway = true
        func group() throws -> [String] {
            try shared.store.list("corewire/tasks", prefix: "", after: nil, limit: 9).map { "\($0.key) \($0.version)" }
        }
        let before = try group()
        #expect(before.count == 1)
        let eraser = Eraser(bench.bench.stores(group: store.data))
        let told = await bench.bench.clearings.clear(scope, with: eraser, bench.clock.clockwork).first
        #expect(told?.removed?.first { $0.what == "results of tasks" }?.count == 1)
        let left = "the data that the runners of the group share is left: the server cannot be reached"
        #expect(told?.reason == left)
        #expect(try group() == before)
        store.isAway = false
        #expect(try await bench.task("background.drain")["last"] == nil)
        #expect(try await bench.task("upkeep")["last"]?["outcome"]?.string == "succeeded")
        await bench.end()
        await shared.store.close()
    }
}

extension TaskBench {
    fileprivate func records() throws -> [String] {
        try bench.store.list("corewire/tasks", prefix: "", after: nil, limit: 100).map(\.key)
    }
}
