import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("Declared tasks and requested runs")
struct TaskAskingTests {
    private static let section = """
        tasks:
          upkeep: { exec: [./upkeep, --full], timeLimit: 1m, needs: [power] }
          report: { request: { url: "https://api.example.com/report", body: { reason: test } } }
          code: { code: true }
          nightly: { every: 1d, exec: [./nightly] }
        """

    @Test("a requested task runs its program, and reports the result")
    func exec() async throws {
        let bench = try await TaskBench(Self.section)
        #expect(try await bench.state("upkeep") == "onRequest")
        let answer = try await bench.ask(.post, "/v1/tasks/upkeep/run?wait")
        #expect(answer.status == 200)
        #expect(answer.json["last"]?["outcome"]?.string == "succeeded")
        let call = try #require(bench.machine[\.programs].first)
        #expect(call.program == "./upkeep")
        #expect(call.arguments == ["--full"])
        #expect(call.environment["COREWIRE_TASK"] == "upkeep")
        #expect(call.timeLimit == .seconds(60))
        await bench.end()
    }

    @Test("a non-zero exit status fails the run, with the last line of output as reason")
    func execFails() async throws {
        let bench = try await TaskBench(Self.section)
        bench.machine[\.exitStatus] = 3
        let answer = try await bench.ask(.post, "/v1/tasks/upkeep/run?wait")
        #expect(answer.json["last"]?["outcome"]?.string == "failed")
        #expect(answer.json["last"]?["reason"]?.string == "'./upkeep' exited with 3: no room")
        #expect(answer.json["config"]?["place"]?.string == "file.yaml:5:5")
        await bench.end()
    }

    @Test("a request is sent with its body, and succeeds with 2xx")
    func request() async throws {
        let bench = try await TaskBench(Self.section)
        var answer = try await bench.ask(.post, "/v1/tasks/report/run?wait")
        #expect(answer.json["last"]?["outcome"]?.string == "succeeded")
        let call = try #require(bench.machine[\.requests].first)
        #expect(call.method == .post)
        #expect(call.fields["Content-Type"] == "application/json")
        guard case .bytes(let bytes) = call.body else { throw StrangeBody() }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"reason":"test"}"#)
        bench.machine[\.status] = 299
        answer = try await bench.ask(.post, "/v1/tasks/report/run?wait")
        #expect(answer.json["last"]?["outcome"]?.string == "succeeded")
        for status in [300, 503] {
            bench.machine[\.status] = status
            answer = try await bench.ask(.post, "/v1/tasks/report/run?wait")
            #expect(answer.json["last"]?["outcome"]?.string == "failed")
            #expect(answer.json["last"]?["reason"]?.string == "the server responded with status \(status)")
        }
        await bench.end()
    }

    @Test("an unknown task is rejected with the nearest name")
    func undeclared() async throws {
        let bench = try await TaskBench(Self.section)
        for (method, path) in [(Method.get, "/v1/tasks/upkep"), (.post, "/v1/tasks/upkep/run")] {
            let answer = try await bench.ask(method, path)
            #expect(answer.status == 404)
            #expect(answer.json["detail"]?.string?.contains("did you mean 'upkeep'?") == true)
        }
        await bench.end()
    }

    @Test("a delayed request waits; a repeated one joins it or replaces it")
    func existing() async throws {
        let bench = try await TaskBench(Self.section)
        let path = "/v1/tasks/nightly/run"
        #expect(try await bench.ask(.post, path, #"{"after":"1h"}"#).status == 202)
        #expect(try await bench.ask(.post, path, #"{"after":"2h"}"#).status == 202)
        await bench.pass(.seconds(3_599))
        await bench.settle()
        #expect(bench.machine[\.programs].isEmpty)
        await bench.pass(.seconds(1))
        await bench.settle()
        #expect(bench.machine[\.programs].count == 1)
        await bench.pass(.seconds(3_700))
        await bench.settle()
        #expect(bench.machine[\.programs].count == 1)
        #expect(try await bench.ask(.post, path, #"{"after":"1h"}"#).status == 202)
        #expect(try await bench.ask(.post, path, #"{"after":"2h","existing":"replace"}"#).status == 202)
        await bench.pass(.seconds(3_700))
        await bench.settle()
        #expect(bench.machine[\.programs].count == 1)
        await bench.pass(.seconds(3_700))
        await bench.settle()
        #expect(bench.machine[\.programs].count == 2)
        #expect(try await bench.ask(.post, path, #"{"after":"2592001s"}"#).status == 422)
        #expect(try await bench.ask(.post, path, #"{"after":"soon"}"#).status == 400)
        #expect(try await bench.ask(.post, path, #"{"after":"30d"}"#).status == 202)
        await bench.end()
    }

    @Test("a requested run survives the runner")
    func durable() async throws {
        let bench = try await TaskBench(Self.section)
        bench.machine[\.hasPower] = false
        #expect(try await bench.ask(.post, "/v1/tasks/upkeep/run").status == 202)
        await bench.end()
        let later = try await TaskBench(Self.section, in: bench.bench.folder, clock: bench.clock)
        #expect(await eventually { later.machine[\.programs].count == 1 })
        await later.end()
    }

    @Test("a forced run ignores conditions; a cancelled one does not run")
    func forceAndCancel() async throws {
        let bench = try await TaskBench(Self.section)
        bench.machine[\.hasPower] = false
        #expect(try await bench.ask(.post, "/v1/tasks/upkeep/run").status == 202)
        #expect(try await bench.state("upkeep") == "waiting")
        #expect(try await bench.ask(.delete, "/v1/tasks/upkeep/run").status == 200)
        #expect(try await bench.ask(.delete, "/v1/tasks/upkeep/run").status == 409)
        #expect(try await bench.state("upkeep") == "onRequest")
        let answer = try await bench.ask(.post, "/v1/tasks/upkeep/run?wait", #"{"force":true}"#)
        #expect(answer.json["last"]?["outcome"]?.string == "succeeded")
        // Nothing but what it lacked would hold up the one that was given up.
        bench.machine[\.hasPower] = true
        await bench.pass(.seconds(31))
        await bench.settle()
        #expect(bench.machine[\.programs].count == 1)
        await bench.end()
    }

    @Test(
        "registered code runs as declared; replaced during a run, the run is interrupted and repeated"
    )
    func code() async throws {
        let bench = try await TaskBench(Self.section)
        let (runs, barrier) = (Runs(bench.clock), OneShot())
        #expect(try await bench.state("code") == "unattended")
        #expect(try await bench.ask(.post, "/v1/tasks/code/run").status == 202)
        let ticket = bench.brought.bring("code") { try await runs.hold(barrier) }
        await bench.settle(holding: 1)
        #expect(await eventually { runs.count == 1 })
        #expect(try await bench.ask(.post, "/v1/tasks/code/run", #"{"existing":"keep"}"#).status == 202)
        #expect(try await bench.ask(.post, "/v1/tasks/code/run", #"{"existing":"replace"}"#).status == 202)
        #expect(await eventually { runs.count == 2 })
        barrier.fire()
        await bench.settle()
        #expect(runs.count == 2)
        let outcomes = bench.bench.events(named: "task.ended").compactMap { $0.data["outcome"]?.string }
        #expect(outcomes == ["cancelled", "succeeded"])
        bench.brought.remove("code", ticket)
        #expect(try await bench.state("code") == "unattended")
        await bench.end()
    }

    @Test("a service runs its own task at once, and only one at a time")
    func runNow() async throws {
        let clock = HandClock()
        let runs = Runs(clock)
        let task = ScheduledTask("content.news", every: .seconds(86_400))
        let bench = try await TaskBench(clock: clock, keeping: [Kept(task) { runs.note() }])
        let schedules = try #require(bench.schedules)
        #expect(schedules.runNow("content.news"))
        #expect(!schedules.runNow("content.olds"))
        await bench.settle()
        #expect(runs.count == 1)
        bench.registrations.end()
        #expect(!schedules.runNow("content.news"))
        await bench.end()
    }
}
