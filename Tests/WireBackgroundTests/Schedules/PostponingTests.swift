import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireSQLite
import WireStore
import Workbench

@Suite("Postponed runs")
struct PostponingTests {
    private static let section = """
        tasks:
          nightly: { every: 1d, exec: [./nightly] }
          yearly: { every: 80d, exec: [./yearly] }
          upkeep: { exec: [./upkeep] }
          frugal: { every: 1d, exec: [./frugal], needs: [power] }
        """

    private static func next(_ answer: TaskBench.Told) -> Int? { answer.json["next"]?.integer }

    @Test("the next run is postponed, later runs stay on schedule")
    func period() async throws {
        let bench = try await TaskBench(Self.section)
        await bench.settle()
        let before = try #require(Self.next(try await bench.ask(.get, "/v1/tasks/nightly")))
        let answer = try await bench.ask(.post, "/v1/tasks/nightly/postpone", #"{"by":"2h"}"#)
        #expect(answer.status == 200)
        #expect(Self.next(answer) == before + 7_200_000)
        await bench.pass(.seconds(25 * 3_600))
        await bench.settle()
        #expect(bench.machine[\.programs].filter { $0.program == "./nightly" }.isEmpty)
        await bench.pass(.seconds(3_600))
        await bench.settle()
        #expect(bench.machine[\.programs].filter { $0.program == "./nightly" }.count == 1)
        await bench.end()
    }

    @Test("a postponement survives a restart, for any distance")
    func durable() async throws {
        let bench = try await TaskBench(Self.section)
        await bench.settle()
        let before = try #require(Self.next(try await bench.ask(.get, "/v1/tasks/yearly")))
        #expect(
            Self.next(try await bench.ask(.post, "/v1/tasks/yearly/postpone", #"{"by":"1d"}"#)) == before + 86_400_000
        )
        await bench.end()
        let later = try await TaskBench(Self.section, in: bench.bench.folder, clock: bench.clock)
        await later.settle()
        #expect(Self.next(try await later.ask(.get, "/v1/tasks/yearly")) == before + 86_400_000)
        await later.end()
    }

    @Test("the earliest run is postponed, and a later requested one is not")
    func asked() async throws {
        let bench = try await TaskBench(Self.section)
        await bench.settle()
        let now = Int(bench.clock.clockwork.wall())
        #expect(try await bench.ask(.post, "/v1/tasks/nightly/run", #"{"after":"10d"}"#).status == 202)
        #expect(
            Self.next(try await bench.ask(.post, "/v1/tasks/nightly/postpone", #"{"by":"20d"}"#)) == now + 864_000_000
        )
        #expect(try await bench.ask(.post, "/v1/tasks/upkeep/run", #"{"after":"1h"}"#).status == 202)
        #expect(Self.next(try await bench.ask(.post, "/v1/tasks/upkeep/postpone", #"{"by":"1h"}"#)) == now + 7_200_000)
        await bench.end()
    }

    @Test("a run that is due is postponed, and starts when the postponement is cancelled")
    func overdue() async throws {
        let bench = try await TaskBench(Self.section)
        bench.machine[\.hasPower] = false
        await bench.settle()
        await bench.pass(.seconds(25 * 3_600))
        #expect(try await bench.ask(.post, "/v1/tasks/frugal/run").status == 202)
        #expect(try await bench.state("frugal") == "waiting")
        #expect(try await bench.ask(.post, "/v1/tasks/frugal/postpone", #"{"by":"2h"}"#).status == 200)
        bench.machine[\.hasPower] = true
        await bench.settle()
        #expect(bench.machine[\.programs].filter { $0.program == "./frugal" }.isEmpty)
        await bench.pass(.seconds(7_201))
        await bench.settle()
        #expect(bench.machine[\.programs].filter { $0.program == "./frugal" }.count == 1)
        let next = try #require(Self.next(try await bench.ask(.get, "/v1/tasks/frugal")))
        for (delay, more) in [("3d", 259_200_000), ("0s", 0)] {
            let answer = try await bench.ask(.post, "/v1/tasks/frugal/postpone", "{\"by\":\"\(delay)\"}")
            #expect(Self.next(answer) == next + more)
        }
        await bench.end()
    }

    @Test("a postponed run that starts, by either clock, is no longer postponed")
    func clockSetBack() async throws {
        let bench = try await TaskBench(Self.section)
        await bench.settle()
        #expect(try await bench.ask(.post, "/v1/tasks/nightly/postpone", #"{"by":"1h"}"#).status == 200)
        await bench.settle()
        bench.clock.jump(to: bench.clock.clockwork.wall() - 10 * 86_400_000)
        await bench.pass(.seconds(25 * 3_600 + 60))
        await bench.settle()
        #expect(bench.machine[\.programs].filter { $0.program == "./nightly" }.count == 1)
        await bench.pass(.seconds(25 * 3_600))
        await bench.settle()
        #expect(bench.machine[\.programs].filter { $0.program == "./nightly" }.count == 2)
        await bench.end()
    }

    @Test("a run of a dead process is detected at once, whatever the next run's postponement")
    func orphan() async throws {
        let clock = HandClock()
        let wall = clock.clockwork.wall()
        let workbench = try Workbench(clock: clock)
        let record = """
            {"version":1,"anchor":\(wall),"begun":\(wall),"runs":1,"failures":0,"served":0,"postponed":\(wall + 864_000_000)}
            """
        _ = try await workbench.store.put(
            NewValue(Array(record.utf8), type: "application/json"),
            under: "/nightly",
            in: "corewire/tasks",
            if: .absent
        )
        let bench = try await TaskBench(Self.section, in: workbench.folder, clock: clock)
        await bench.settle()
        let told = try await bench.ask(.get, "/v1/tasks/nightly").json
        #expect(told["last"]?["outcome"]?.string == "interrupted")
        #expect(told["next"]?.integer == Int(wall) + 864_000_000)
        await bench.end()
    }

    @Test(
        "an impossible postponement is rejected",
        arguments: [
            ("upkeep", #"{"by":"1h"}"#, 409, "nothing-to-postpone"), ("none", #"{"by":"40d"}"#, 404, "no-such-task"),
            ("nightly", #"{"by":"40d"}"#, 422, "bad-delay"), ("nightly", "{}", 400, "invalid-body"),
        ]
    )
    func refused(task: String, body: String, status: Int, kind: String) async throws {
        let bench = try await TaskBench(Self.section)
        let answer = try await bench.ask(.post, "/v1/tasks/\(task)/postpone", body)
        #expect(answer.status == status)
        #expect(answer.json["type"]?.string == "urn:corewire:problem:\(kind)")
        await bench.end()
    }
}
