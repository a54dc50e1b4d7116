import Foundation
import Support
import Testing
import WireConfig

/// The built runner reads streams from a server that speaks over real connections; BY-13: failures have a line of the file.
@Suite("Silent or rejecting event streams")
struct DeadStreamTests {
    private static func file(_ server: RecordingServer, _ settings: String = "") -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { baseUrl: "\(server.url)" } }
        network: {}
        notifications:
          permission: granted
          handlers: { show: { on: presentable, present: [list] } }
          streams:
            tasks: { url: stream\(settings) }
        api: {}

        """
    }

    private static func titles(_ runner: RunningRunner) async throws -> Set<String> {
        let answer = try await runner.ask("GET", "/v1/notifications")
        let list = try JSONValue(parsing: answer.body, named: "notifications")["notifications"]?.array ?? []
        return Set(list.compactMap { $0["title"]?.string })
    }

    @Test("a connection that stalls inside an event is dropped, and resumed after the last complete event")
    func silent() async throws {
        let events = [
            """
            event: open\ndata: {"title":"opened"}\n\n: hello\n\nevent: keepalive\ndata: {"title":"alive"}\n
            id: 7\nevent: task\ndata: {"title":"one"}\n\nid: 8\nevent: task\ndata: {"title":"tw
            """,
            "id: 8\nevent: task\ndata: {\"title\":\"two\"}\n\n",
        ]
        let server = try RecordingServer(holding: true) { number, _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            return head + (number <= events.count ? events[number - 1] : ": nothing\n\n")
        }
        let runner = try await RunningRunner(Self.file(server, ", events: [task], idleLimit: 5s"))
        var titles: Set<String> = []
        let isThere = try await eventually {
            titles = try await Self.titles(runner)
            return titles.contains("two")
        }
        try #require(isThere && titles == ["one", "two"], "\(titles) \(runner.log.suffix(2_000))")
        #expect(server.asked.prefix(2) == ["GET /stream", "GET /stream"])
        #expect(!server.requests[0].contains("Last-Event-ID"))
        #expect(server.requests[1].contains("\r\nLast-Event-ID: 7\r\n"), "\(server.requests[1])")
        #expect(await eventually { server.abandoned >= 1 })
        #expect(runner.log.contains("no data for 5s"))
        let status = try runner.corewire(["status"])
        #expect(!status.output.contains("degraded"), "\(status.everything)")
        #expect(try await runner.stop() == 0)
    }

    /// A rejected source of notifications, of each kind.
    struct Rejected: Sendable, CustomTestStringConvertible {
        let kind: String
        /// The settings before and behind the URL, and the scheme and path of that.
        var settings = "", more = ""
        var scheme = "http", path = "/stream"
        /// What to change in the file.
        var help = ""

        var testDescription: String { kind }

        /// The name of the source in outputs, and the path of its URL in the file.
        var name: String { kind == "webPush" ? "push.webPush" : "tasks" }
        var urlPath: String { kind == "webPush" ? "push.tokens.webPush.url" : "notifications.streams.tasks.url" }

        func file(_ server: RecordingServer) -> String {
            let url = "\"\(scheme)://127.0.0.1:\(server.port)\(path)\""
            let source = "{ \(settings)url: \(url)\(more) }"
            let push = """
                push:
                  providers: [webPush]
                  tokens: { webPush: \(source) }
                  registrars: { ups: { type: unifiedPush, url: "https://push.example.com", variantId: v, variantSecret: s } }
                notifications: {}
                """
            let streams = """
                notifications:
                  streams: { tasks: \(source) }
                """
            return """
                version: 1
                app: { id: com.example.tasks }
                \(kind == "webPush" ? push : streams)
                """
        }

        static let all = [
            Rejected(kind: "sse"), Rejected(kind: "jsonLines", settings: "type: jsonLines, "),
            Rejected(kind: "webSocket", settings: "type: webSocket, ", scheme: "ws"),
            Rejected(
                kind: "ntfy",
                settings: "type: ntfy, ",
                more: ", topics: [k3Jq8Zr2k3Jq8Zr2]",
                path: "",
                help: "; reading the topics requires 'token'"
            ),
            Rejected(
                kind: "gotify",
                settings: "type: gotify, ",
                more: ", token: CkT4_wq.81bLpZr",
                path: "",
                help: "; check 'token'"
            ),
            Rejected(
                kind: "mqtt",
                settings: "type: mqtt, ",
                more: ", topics: [a]",
                scheme: "ws",
                path: "/mqtt",
                help: "; the broker requires 'username' and 'password'"
            ),
            Rejected(kind: "webPush", settings: "type: autopush, ", scheme: "ws"),
        ]
    }

    @Test(
        "a rejected stream degrades the service, with the line of the file, an event and a metric",
        arguments: Rejected.all
    )
    func refused(_ source: Rejected) async throws {
        let server = try RecordingServer { _, _ in RecordingServer.answer("{}", "401 Unauthorized") }
        let file = source.file(server)
        let runner = try await RunningRunner(file)
        var status = ""
        let isTold = try await eventually {
            status = try runner.corewire(["status"]).output
            return status.contains("degraded")
        }
        #expect(isTold && status.contains("the stream '\(source.name)' is not read: "), "\(status)")
        #expect(status.contains("401") && (source.help.isEmpty || status.contains(source.help)), "\(status)")
        let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.contains("127.0.0.1") })
        let column = try #require(lines[line].range(of: "\"\(source.scheme)://127"))
        let place = "\(line + 1):\(lines[line].distance(from: lines[line].startIndex, to: column.lowerBound) + 1)"
        #expect(status.contains("com.example.tasks.yaml:\(place)"), "\(place): \(status)")
        let events = try runner.corewire(["events", "--name", "notification.streamFailed", "--format", "json"]).output
        #expect(events.contains(source.urlPath) && events.contains("401"), "\(events)")
        let metrics = try await runner.ask("GET", "/metrics").text
        #expect(metrics.contains("corewire_notification_stream_connected{stream=\"\(source.name)\"} 0"))
        #expect(try await runner.stop() == 0)
        // The end of the stream is not told as a recovery.
        let ending = runner.log.split(separator: "\n").drop { !$0.contains("\"stopping\"") }
        #expect(!ending.isEmpty && !ending.contains { $0.contains("\"ready\"") }, "\(runner.log)")
    }
}
