import Foundation
import Support
import Testing

@Suite("Redirects of requests that must arrive", .timeLimit(.minutes(3)))
struct RedirectTests {
    private static let json = ["Content-Type: application/json", "X-Corewire: 1"]

    private static func file(_ server: RecordingServer) -> String {
        let statuses = [301, 302, 303, 307, 308]
        let handlers = statuses.map { "h\($0): { on: any, when: { c: \"\($0)\" }, post: \($0)/hook, retries: 0 }" }
        let tasks = statuses.map { "t\($0): { attempts: 1, request: { url: \($0)/task, body: { a: 1 } } }" }
        return """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { baseUrl: "\(server.url)" } }
            network: { retries: 0, redirects: follow }
            notifications: { handlers: { \(handlers.joined(separator: ", ")) } }
            background:
              retry: { min: 100ms, max: 1s }
              tasks: { \(tasks.joined(separator: ", ")) }
            api: { socket: auto }

            """
    }

    /// A server that redirects what begins with a status by it, and takes what is left of it.
    private static func server(to other: String = "") throws -> RecordingServer {
        try RecordingServer { _, target in
            let parts = target.split(separator: "/")
            guard let status = parts.first, status.hasPrefix("30") else { return RecordingServer.answer("{}") }
            return RecordingServer.answer("", "\(status) Elsewhere", "Location: \(other)/moved-\(parts[1])")
        }
    }

    @Test("a 301, 302 or 303 is final and is not converted to GET", arguments: [301, 302, 303])
    func changing(status: Int) async throws {
        let server = try Self.server()
        let runner = try await RunningRunner(Self.file(server))
        #expect(try runner.corewire(["outbox", "post", "/\(status)/order", #"{"a":1}"#, "--id", "r1"]).status == 0)
        #expect(try await eventually { try await Self.ended(runner) })
        let shown = try await runner.ask("GET", "/v1/outbox/r1").text
        #expect(
            shown.contains(#""state":"failed""#) && shown.contains("\(status)") && shown.contains("not followed"),
            "\(shown)"
        )
        let run = try await runner.ask("POST", "/v1/tasks/t\(status)/run?wait", Self.json, text: "{}").text
        #expect(run.contains(#""failed""#) && run.contains("not followed"), "\(run)")
        let note = #"{"id":"n1","title":"t","data":{"c":"\#(status)"}}"#
        _ = try await runner.ask("POST", "/v1/notifications", Self.json, text: note)
        let isFailed = try await eventually {
            try await runner.ask("GET", "/v1/notifications/n1").text.contains("not followed")
        }
        let seen = try await runner.ask("GET", "/v1/notifications/n1").text
        #expect(isFailed, "\(seen)")
        #expect(server.asked == ["POST /\(status)/order", "POST /\(status)/task", "POST /\(status)/hook"])
        #expect(try await runner.stop() == 0)
    }

    @Test("a 307 or 308 within the server is followed with method and body", arguments: [307, 308])
    func keeping(status: Int) async throws {
        let server = try Self.server()
        let runner = try await RunningRunner(Self.file(server))
        #expect(try runner.corewire(["outbox", "post", "/\(status)/order", #"{"a":1}"#, "--id", "r1"]).status == 0)
        #expect(try await eventually { try await Self.ended(runner) })
        #expect(try await runner.ask("GET", "/v1/outbox/r1").text.contains(#""state":"sent""#))
        let run = try await runner.ask("POST", "/v1/tasks/t\(status)/run?wait", Self.json, text: "{}").text
        #expect(run.contains(#""succeeded""#), "\(run)")
        let note = #"{"id":"n1","title":"t","data":{"c":"\#(status)"}}"#
        _ = try await runner.ask("POST", "/v1/notifications", Self.json, text: note)
        #expect(await eventually { server.asked.contains("POST /moved-hook") }, "\(server.asked)")
        for (target, body) in [("/moved-order", #"{"a":1}"#), ("/moved-task", #"{"a":1}"#)] {
            #expect(server.requests(for: target).first?.hasSuffix("\r\n\r\n\(body)") == true, "\(server.requests)")
        }
        #expect(server.asked.allSatisfy { $0.hasPrefix("POST ") }, "\(server.asked)")
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "no redirect leads to another server, whatever the file allows",
        arguments: [301, 302, 303, 307, 308]
    )
    func elsewhere(status: Int) async throws {
        let other = try RecordingServer()
        let server = try Self.server(to: other.url)
        let runner = try await RunningRunner(Self.file(server))
        #expect(try runner.corewire(["outbox", "post", "/\(status)/order", #"{"a":1}"#, "--id", "r1"]).status == 0)
        #expect(try await eventually { try await Self.ended(runner) })
        #expect(try await runner.ask("GET", "/v1/outbox/r1").text.contains(#""state":"failed""#))
        let run = try await runner.ask("POST", "/v1/tasks/t\(status)/run?wait", Self.json, text: "{}").text
        #expect(run.contains(#""failed""#), "\(run)")
        #expect(other.asked.isEmpty, "\(other.requests)")
        #expect(try await runner.stop() == 0)
    }

    private static func ended(_ runner: RunningRunner) async throws -> Bool {
        let text = try await runner.ask("GET", "/v1/outbox/r1").text
        return text.contains(#""state":"failed""#) || text.contains(#""state":"sent""#)
    }
}
