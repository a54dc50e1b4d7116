import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireSync
import Workbench

@Suite("Large responses of the server", .timeLimit(.minutes(2)))
struct LargeAnswerTests {
    @Test("large responses are read four at a time")
    func room() async throws {
        let server = LargeServer()
        let bench = try await AskBench(requests: server)
        let asked = (0..<6).map { number in
            Task { try await bench.query("{ now(n: \(number)) }", policy: "noCache").status }
        }
        #expect(await eventually { server.sent == 6 && server.entered == 4 })
        for _ in 0..<200 { await Task.yield() }
        #expect(server.entered == 4)
        server.barrier.fire()
        for task in asked { #expect(try await task.value == 200) }
        #expect(server.entered == 6)
        await bench.end()
    }

    @Test("a large response not read within five minutes fails, and frees its slot")
    func slow() async throws {
        let server = LargeServer()
        let bench = try await AskBench(requests: server)
        let ended = ChangeSignal()
        let asked = (0..<4).map { number in
            Task {
                defer { ended.signal() }
                return try await bench.query("{ now(n: \(number)) }", policy: "noCache")
            }
        }
        #expect(await eventually { server.entered == 4 })
        // Again for those that have not begun to wait.
        let isOver = await eventually {
            bench.bench.clock.pass(.seconds(301))
            return ended.count == 4
        }
        #expect(isOver)
        for task in asked {
            let answer = try await task.value
            #expect(answer.json["type"]?.string == "urn:corewire:problem:sync-failed")
            #expect(answer.json["detail"]?.string?.contains("was not read within") == true, "\(answer.json.text())")
        }
        let next = Task { try await bench.query("{ now(n: 5) }", policy: "noCache").status }
        #expect(await eventually { server.entered == 5 })
        server.barrier.fire()
        #expect(try await next.value == 200)
        await bench.end()
    }

    @Test("the limit is higher than for other requests, and exceeding it is reported")
    func largest() async throws {
        let server = LargeServer(length: (64 << 20) + 1)
        let bench = try await AskBench(requests: server)
        let answer = try await bench.query("{ now }", policy: "noCache")
        #expect(answer.json["type"]?.string == "urn:corewire:problem:sync-too-large", "\(answer.json.text())")
        #expect(server.limit == .mebibytes(64))
        await bench.end()
    }

    @Test("a response with too many values is rejected")
    func values() async throws {
        let list = JSONValue.array([JSONValue](repeating: .integer(0), count: 500_001))
        let bench = try await AskBench(
            server: HandServer { _, _ in .members(["data": .members(["now": list])]) }
        )
        let answer = try await bench.query("{ now }", policy: "noCache")
        #expect(answer.status == 502)
        #expect(answer.json["type"]?.string == "urn:corewire:problem:sync-malformed")
        await bench.end()
    }
}

/// A server whose answers are large and come in two pieces, the second when the gate is open.
private final class LargeServer: ServerClient {
    let barrier = OneShot()
    private let length: Int?
    private let counts = Mutex((sent: 0, entered: 0, limit: nil as ByteCount?))

    /// Its answers claim a length.
    init(length: Int? = nil) { self.length = length }

    var limit: ByteCount? { counts.withLock { $0.limit } }

    var sent: Int { counts.withLock { $0.sent } }
    var entered: Int { counts.withLock { $0.entered } }

    func url(of address: Address) -> WebURL? { address.absolute }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        counts.withLock { counts in
            counts.sent += 1
            counts.limit = call.largestBody
        }
        var fields: Fields = ["Content-Type": "application/json"]
        if let length { fields["Content-Length"] = "\(length)" }
        return ServerAnswer(status: .ok, fields: fields, body: LargeBody(server: self))
    }

    private final class LargeBody: BodyReader {
        private let server: LargeServer
        private let reads = Mutex(0)

        init(server: LargeServer) { self.server = server }

        func read() async throws -> [UInt8]? {
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            switch number {
            case 1: return Array((#"{"data":{"now":["# + String(repeating: #""xxxxxxxx","#, count: 100_000)).utf8)
            case 2:
                server.counts.withLock { $0.entered += 1 }
                await server.barrier.wait()
                return Array("0]}}".utf8)
            default: return nil
            }
        }
    }
}
