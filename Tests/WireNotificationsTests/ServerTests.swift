import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService
import Workbench

@Suite("Notifications sent to and received from servers")
struct ServerTests {
    @Test("a post is signed verifiably; 204 means no new data, 4xx is not retried")
    func signed() async throws {
        let server = ScriptedRequests()
        let clock = HandClock()
        let bench = try await NotificationBench(
            """
            handlers: { hook: { on: remote, post: "https://hooks.example.com/n", sign: "s3cret-key" } }
            """,
            clock: clock,
            offering: [ServiceAbility.serverRequests.offered(by: server)]
        )
        server.answers([(204, "", ""), (404, "", "")])
        let first = try await bench.done(try await bench.send(#"{"id":"a","silent":true,"data":{"x":"ü"}}"#))
        #expect(first["result"]?.string == "noData")
        let call = try #require(server.calls.first)
        guard case .bytes(let body) = call.body else { throw Strange() }
        let signature = try #require(call.fields["Corewire-Signature"])
        let time = clock.clockwork.wall() / 1_000
        let script = """
            import hashlib, hmac, sys
            body = bytes.fromhex(sys.argv[2])
            print(hmac.new(b"s3cret-key", sys.argv[1].encode() + b"." + body, hashlib.sha256).hexdigest())
            """
        let python = try Program.run("/usr/bin/python3", ["-c", script, "\(time)", Hexadecimal.text(of: body)])
        #expect(signature == "t=\(time),v1=\(python.output.trimmingCharacters(in: .newlines))")
        #expect(call.fields["Corewire-Notification"] == "a")
        let second = try await bench.done(try await bench.send(#"{"id":"b","silent":true}"#))
        #expect(second["result"]?.string == "failed")
        #expect(second["handlers"]?.array?.first?["attempts"]?.integer == 1)
        await bench.end()
    }

    @Test("a repeated post keeps its id; another handler, notification, content or tap has another")
    func ids() async throws {
        let server = ScriptedRequests()
        let bench = try await NotificationBench(
            """
            permission: granted
            handlers:
              hook: { on: presentable, present: [list], post: "https://hooks.example.com/n" }
              other: { on: presentable, post: "https://hooks.example.com/n" }
              opened: { on: tap, post: "https://hooks.example.com/n" }
            """,
            offering: [ServiceAbility.serverRequests.offered(by: server)]
        )
        server.answers([(503, "", "")] + Array(repeating: (200, "", ""), count: 20))
        func posts(_ count: Int) async -> Bool {
            await eventually {
                if server.calls.count < count { bench.bench.clock.pass(.seconds(1)) }
                return server.calls.count >= count
            }
        }
        try await bench.send(#"{"id":"a","title":"one"}"#)
        #expect(await posts(3))
        _ = try await bench.done("a")
        try await bench.send(#"{"id":"a","title":"two"}"#)
        #expect(await posts(5))
        try await bench.send(#"{"id":"b","title":"one"}"#)
        #expect(await posts(7))
        _ = try await bench.done("b")
        for count in [8, 9] {
            #expect(try await bench.ask(.post, "/v1/notifications/b/tap").status == 202)
            #expect(await posts(count))
            bench.bench.clock.pass(.seconds(1))
        }
        let ids = server.calls.compactMap { $0.fields["Request-ID"] }
        #expect(ids.count == 9 && Set(ids).count == 8, "\(ids)")
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil }, "\(ids)")
        await bench.end()
    }

    @Test("a server stream delivers notifications, and resumes after the last stored one")
    func stream() async throws {
        let server = ScriptedRequests()
        let type = "text/event-stream"
        server.answers([
            (200, type, "id: 1\ndata: {\"kind\":\"a\"}\n\nid: 2\ndata: no json\n\n"), (503, "", ""),
            (200, type, "id: 2\ndata: {\"kind\":\"a\"}\n\nid: 3\ndata: {\"kind\":\"b\"}\n\n"),
        ])
        let bench = try await NotificationBench(
            "streams: { tasks: { url: \"https://api.example.com/stream\" } }\n\(IntakeTests.note)",
            offering: [ServiceAbility.serverRequests.offered(by: server)]
        )
        _ = try await bench.done("tasks:1")
        // However long it waits before it asks again.
        _ = await eventually {
            if server.calls.count < 3 { bench.bench.clock.pass(.seconds(400)) }
            return server.calls.count >= 3
        }
        #expect(try await bench.done("tasks:3")["way"]?.string == "tasks")
        #expect(server.calls.first?.fields["Last-Event-ID"] == nil)
        #expect(server.calls.dropFirst().first?.fields["Last-Event-ID"] == "2")
        #expect(bench.bench.told.log.contains { $0.contains("is not a notification") })
        await bench.end()
    }
}

/// Requests that are answered as a test says, and noted.
final class ScriptedRequests: ServerClient {
    private let state = Mutex<(calls: [ServerCall], answers: [(Int, String, String)])>(([], []))

    var calls: [ServerCall] { state.withLock { $0.calls } }
    func answers(_ answers: [(Int, String, String)]) { state.withLock { $0.answers = answers } }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let (status, type, body) = state.withLock { state -> (Int, String, String) in
            state.calls.append(call)
            return state.answers.isEmpty ? (503, "", "") : state.answers.removeFirst()
        }
        return ServerAnswer(
            status: Status(status),
            fields: type.isEmpty ? [:] : ["Content-Type": type],
            body: OneBody(Array(body.utf8))
        )
    }

    func url(of address: Address) -> WebURL? { nil }
}

private final class OneBody: BodyReader {
    private let rest: Mutex<[UInt8]?>
    init(_ bytes: [UInt8]) { rest = Mutex(bytes) }

    func read() async throws -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
