import Support
import Synchronization
import Testing
import WireBackendContract
import WireConfig
import WireHTTP
import WireMetricsContract
import WireNetworkContract
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("Metrics lifecycle")
struct MetricsLifeTests {
    private static func client(_ body: String) throws -> String? {
        try JSONValue(parsing: Array(body.utf8), named: "message")["clientId"]?.string
    }

    @Test("at start the server gets app, version and platform, without a user")
    func start() async throws {
        let bench = try await MetricsBench()
        #expect(await bench.waits(1))
        let client = try #require(try Self.client(bench.outbox.bodies[0]))
        #expect(client.utf8.count == 36)
        let expected =
            #"{"clientId":"\#(client)","timestamp":1772323199999,"type":"init","data":{"#
            + #""app":{"appId":"com.example.tasks","sdkVersion":"0.1.0","appVersion":"1.4.0","framework":"native"},"#
            + #""device":{"platform":"linux","platformVersion":"12","device":"cart"}}}"#
        #expect(bench.outbox.bodies[0] == expected)
        try await bench.outbox.deliver()
        let sent = try #require(bench.outbox.sent.first)
        #expect(sent.address == "https://metrics.example.com/metrics" && sent.method == .post)
        #expect(sent.fields["Content-Type"] == "application/json")
        #expect(sent.isOfDevice && sent.isLocal && sent.needsDelegate)
        guard case .none = sent.authorization else {
            Issue.record("it carries a token")
            return
        }
        let report = try await bench.ask(.get, "/v1/metrics").json
        #expect(report["last"]?.array?.first?["outcome"]?.string == "sent")
        #expect(bench.bench.events(named: "metrics.").map(\.name) == ["metrics.sent"])
        await bench.end()
    }

    @Test("the client id is stored, per environment, and cleared with it")
    func clientID() async throws {
        let folder = try TemporaryFolder()
        var names: [String?] = []
        for environment in ["prod", "prod", "qa"] {
            let bench = try await MetricsBench(environment: environment, in: folder)
            #expect(await bench.waits(1))
            names.append(try Self.client(bench.outbox.bodies[0]))
            await bench.end()
        }
        #expect(names[0] == names[1] && names[0] != names[2])
        let bench = try await MetricsBench(in: folder)
        #expect(await bench.waits(1))
        #expect(try await bench.bench.clear(.user)["ids of this installation at the metrics service"] == 0)
        #expect(try await bench.ask(.get, "/v1/metrics").json["clientId"]?.string == names[0])
        #expect(try await bench.bench.clear(.environment)["ids of this installation at the metrics service"] == 1)
        #expect(try await bench.ask(.get, "/v1/metrics").json["clientId"]?.string != names[0])
        #expect(try await bench.bench.clear(.all)["ids of this installation at the metrics service"] == 2)
        await bench.end()
    }

    @Test("without atStart or every nothing is sent; with 'every' periodically")
    func occasions() async throws {
        let bench = try await MetricsBench(
            #"{ url: "https://metrics.example.com/metrics", atStart: false, every: 1h }"#
        )
        #expect(await eventually { bench.schedules["metrics.init"] != nil })
        #expect(bench.outbox.posted.isEmpty)
        let task = try #require(bench.schedules["metrics.init"])
        #expect(task.task.every == .seconds(3_600))
        try await task.work()
        #expect(bench.outbox.posted.count == 1)
        await bench.end()
        try await task.work()
        #expect(bench.schedules["metrics.init"] == nil)
        #expect(bench.outbox.posted.count == 1)
    }

    @Test(
        "the report shows whether 'init' is sent at start",
        arguments: [
            ("types: [init]", true), ("types: [init], atStart: false", false), ("types: [security]", false),
            ("types: [security], atStart: false", false),
        ]
    )
    func reportOfStart(more: String, isTold: Bool) async throws {
        let bench = try await MetricsBench(#"{ url: "https://metrics.example.com/metrics", \#(more) }"#)
        #expect(try await bench.ask(.get, "/v1/metrics").json["atStart"]?.boolean == isTold)
        await bench.end()
    }

    @Test("a message that the server would reject is not sent, with the reason", arguments: [128, 129])
    func poorName(length: Int) async throws {
        let bench = try await MetricsBench()
        #expect(await bench.waits(1))
        let (store, namespace) = (bench.bench.store, "corewire/metrics")
        let kept = try #require(try store.list(namespace, prefix: "", after: nil, limit: 1).first)
        let name = NewValue([UInt8](repeating: 0x78, count: length), type: "text/plain")
        _ = try await store.put(name, under: kept.key, in: namespace, if: .always)
        let answer = try await bench.ask(.post, "/v1/metrics/messages", #"{"type":"init"}"#)
        let last = try await bench.ask(.get, "/v1/metrics").json["last"]?.array?.first
        if length == 128 {
            #expect(answer.status == 202 && last?["outcome"]?.string == "waiting")
            #expect(bench.outbox.posted.count == 2)
        } else {
            let reason = "the metrics service would reject the message: clientId exceeded maximum length of 128"
            #expect(answer.status == 503 && answer.json["detail"]?.string == reason)
            #expect(last?["outcome"]?.string == "failed" && last?["reason"]?.string == reason)
            #expect(bench.outbox.posted.count == 1)
        }
        await bench.end()
    }

    // MARK: Rules

    @Test("results are sent after rules have run and when they change")
    func results() async throws {
        let bench = try await MetricsBench(#"{ url: "https://metrics.example.com/metrics", types: [security] }"#)
        #expect(await eventually { bench.rules.isHeard })
        let clear = [SecurityResult(id: "debugger", name: "Debugger Check", isDetected: false)]
        let found = [SecurityResult(id: "debugger", name: "Debugger Check", isDetected: true)]
        for (number, results) in [clear, found, clear].enumerated() {
            bench.rules.come(to: results)
            bench.rules.come(to: results)
            #expect(await bench.waits(number + 1))
        }
        #expect(
            bench.outbox.bodies.map { $0.contains(#""passed":true"#) } == [false, true, false]
        )
        #expect(bench.outbox.bodies.allSatisfy { $0.contains(#""type":"security""#) })
        await bench.end()
    }

    @Test("results over the limit are split into several messages")
    func many() async throws {
        let bench = try await MetricsBench(#"{ url: "https://metrics.example.com/metrics", types: [security] }"#)
        #expect(await eventually { bench.rules.isHeard })
        bench.rules.come(to: (1...31).map { SecurityResult(id: "r\($0)", name: "R", isDetected: false) })
        #expect(await bench.waits(2))
        let counts = try bench.outbox.bodies.map {
            try JSONValue(parsing: Array($0.utf8), named: "message")["data"]?["security"]?.array?.count
        }
        #expect(counts == [30, 1])
        await bench.end()
    }

    @Test("rule results are ignored if the file does not send them")
    func unheard() async throws {
        let bench = try await MetricsBench(#"{ url: "https://metrics.example.com/metrics", types: [init] }"#)
        #expect(await bench.waits(1))
        #expect(!bench.rules.isHeard)
        #expect(try await bench.ask(.post, "/v1/metrics/messages", #"{"type":"security"}"#).status == 409)
        await bench.end()
    }

    // MARK: Servers

    @Test("a status other than 204 is reported with the line of the file", arguments: [200, 400])
    func trouble(status: Int) async throws {
        let bench = try await MetricsBench(
            status: status,
            body: #"{"error":"Bad Request","message":"payload type unknown","statusCode":400}"#
        )
        try await bench.outbox.deliver()
        let words = status == 200 ? "the server responded with status 200, expected 204" : "400: payload type unknown"
        #expect(bench.bench.told.all.last?.contains(words) == true)
        let last = try await bench.ask(.get, "/v1/metrics").json["last"]?.array?.first
        #expect(last?["outcome"]?.string == "failed")
        await bench.end()
    }

    @Test("the first 200 characters of a rejection are reported", arguments: [200, 201])
    func longAnswer(length: Int) async throws {
        let said = String(repeating: "x", count: length)
        let bench = try await MetricsBench(status: 400, body: #"{"message":"\#(said)"}"#)
        try await bench.outbox.deliver()
        let last = try await bench.ask(.get, "/v1/metrics").json["last"]?.array?.first
        let shown = length == 200 ? said : "\(said.prefix(200))…"
        #expect(last?["reason"]?.string == "the server responded with status 400: \(shown)")
        await bench.end()
    }

    @Test("the embedded server replaces that of the file; until it runs messages wait")
    func embedded() async throws {
        let built = EmbeddedSecurity()
        let bench = try await MetricsBench(embedded: built)
        #expect(try await bench.outbox.deliver() == "the embedded server has not started")
        built.update(at: "http://127.0.0.1:7435")
        try await bench.outbox.deliver()
        #expect(bench.outbox.sent.first?.address == "http://127.0.0.1:7435/metrics")
        await bench.end()
    }

    @Test("a publisher of the program gets messages instead; a throwing one gets them again")
    func publisher() async throws {
        let bench = try await MetricsBench()
        let taken = Mutex<[MetricsMessage]>([])
        let fails = Mutex(true)
        struct Full: Error {}
        let ticket = bench.publisher.bring { message in
            if fails.withLock({ $0 }) { throw Full() }
            taken.withLock { $0.append(message) }
        }
        #expect(try await bench.outbox.deliver()?.contains("could not publish") == true)
        #expect(try await bench.ask(.get, "/v1/metrics").json["publisher"]?.string == "program")
        fails.withLock { $0 = false }
        #expect(try await bench.outbox.deliver() == nil)
        #expect(taken.withLock { $0.map(\.kind) } == [.initial])
        #expect(bench.outbox.sent.isEmpty && bench.outbox.waiting == 0)
        #expect(bench.bench.told.all.last == "well")
        bench.publisher.remove(ticket)
        _ = try await bench.ask(.post, "/v1/metrics/messages", "{}")
        try await bench.outbox.deliver()
        #expect(bench.outbox.sent.count == 1)
        await bench.end()
    }

    @Test("a full outbox is reported by the service and to the caller")
    func full() async throws {
        let bench = try await MetricsBench(
            #"{ url: "https://metrics.example.com/metrics", atStart: false, every: 1d }"#
        )
        bench.outbox.refuse()
        let answer = try await bench.ask(.post, "/v1/metrics/messages", #"{"type":"init"}"#)
        #expect(answer.status == 503 && answer.json["detail"]?.string?.contains("1000 requests wait") == true)
        #expect(await eventually { bench.rules.isHeard })
        bench.rules.come(to: MetricsWireTests.results)
        #expect(await eventually { bench.bench.told.all.last == "degraded: 1000 requests wait already" })
        await bench.end()
    }

    @Test("a failed init message is reported by the service")
    func fullAtStart() async throws {
        let bench = try await MetricsBench(isFull: true)
        #expect(await eventually { bench.bench.told.all.last == "degraded: 1000 requests wait already" })
        await bench.end()
    }

    // MARK: Looking

    @Test("the preview equals what is sent, and sends nothing")
    func preview() async throws {
        let bench = try await MetricsBench(
            #"{ url: "https://metrics.example.com/metrics", atStart: false, every: 1d }"#
        )
        #expect(await eventually { bench.rules.isHeard })
        bench.rules.come(to: MetricsWireTests.results)
        #expect(await bench.waits(1))
        let preview = try await bench.ask(.get, "/v1/metrics/preview").json["messages"]?.array ?? []
        #expect(preview.map { $0["type"]?.string } == ["init", "security"])
        #expect(bench.outbox.posted.count == 1)
        #expect(preview.last?.text() == bench.outbox.bodies[0])
        _ = try await bench.ask(.post, "/v1/metrics/messages", #"{"type":"init"}"#)
        #expect(bench.outbox.bodies[1] == preview[0].text())
        await bench.end()
    }
}
