import Foundation
import Support
import Testing
import WireConfig

/// The built runner reads event streams from a server that speaks over real connections.
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

    @Test("a rejected stream degrades the service, with the line of the file, an event and a metric")
    func refused() async throws {
        let server = try RecordingServer { _, _ in RecordingServer.answer("{}", "401 Unauthorized") }
        let runner = try await RunningRunner(Self.file(server))
        var status = ""
        let isTold = try await eventually {
            status = try runner.corewire(["status"]).output
            return status.contains("degraded")
        }
        #expect(isTold && status.contains("the stream 'tasks' is not read") && status.contains("401"), "\(status)")
        #expect(status.contains("com.example.tasks.yaml:10:19"), "\(status)")
        let events = try runner.corewire(["events", "--name", "notification.streamFailed", "--format", "json"]).output
        #expect(events.contains("notifications.streams.tasks.url") && events.contains("401"), "\(events)")
        let metrics = try await runner.ask("GET", "/metrics").text
        #expect(metrics.contains("corewire_notification_stream_connected{stream=\"tasks\"} 0"))
        #expect(try await runner.stop() == 0)
    }
}
