import Foundation
import Support
import Testing

/// BY-7: what a GraphQL server answers is judged before it is told or kept.
@Suite("Misbehaving GraphQL servers", .timeLimit(.minutes(3)))
struct HostileServerTests {
    @Test(
        "a response that is not GraphQL, or too large, is rejected with its reason and not cached",
        arguments: [
            ("<html>welcome</html>", "without a GraphQL response"), ("", "without a GraphQL response"),
            ("[1]", "without a GraphQL response"), (#"{"data":[]}"#, "without a GraphQL response"),
            (#"{"data":null,"errors":5}"#, "without a GraphQL response"),
            (#"{"data":{"findTasks":{"items":[]}},"data":{"findTasks":null}}"#, "'data'"),
            (#"{"data":{"findTasks":\#(String(repeating: "[", count: 100_000))"#, "'depth'"),
            (#"{"data":{"findTasks":{"items":[\#(String(repeating: "1,", count: 600_000))1]}}}"#, "500000"),
        ]
    )
    func refused(body: String, reason: String) async throws {
        let server = try Self.server(answering: body)
        defer { withExtendedLifetime(server) {} }
        let runner = try await SyncRunner.start(server: server.url, more: "network: { retries: 0 }\napi: {}\n")
        let answer = try await runner.query("AllTasks")
        #expect(answer.status == 502)
        #expect(answer.kind == "sync-malformed")
        #expect(answer.text.contains(reason), "\(answer.text)")
        #expect(try await runner.query("AllTasks", #""policy":"cacheOnly""#).status == 504)
        // The next answer of the server is as good as any.
        #expect(try await runner.query("AllTasks").text.contains(#""data":{"findTasks":{"items":[],"count":0}}"#))
    }

    @Test(
        "a response of an unexpected shape is returned unchanged, and not cached",
        arguments: [
            #"{"findTasks":{"items":[{"id":"1","title":{"a":1}}]}}"#, #"{"findTasks":{"items":"none"}}"#,
            #"{"findTasks":{"items":[{"id":"1","title":null}]}}"#, #"{"findTasks":{"items":[{"title":"x"}]}}"#,
            #"{"findTasks":5}"#,
            #"{"findTasks":{"items":[\#((0..<60_000).map { #"{"id":"\#($0)"}"# }.joined(separator: ","))],"count":1}}"#,
        ]
    )
    func misshapen(data: String) async throws {
        let server = try Self.server(answering: #"{"data":\#(data)}"#)
        defer { withExtendedLifetime(server) {} }
        let runner = try await SyncRunner.start(server: server.url, more: "network: { retries: 0 }\napi: {}\n")
        let answer = try await runner.query("AllTasks")
        #expect(answer.status == 200)
        #expect(answer.text.hasPrefix(#"{"data":{"findTasks":"#), "\(answer.text.prefix(400))")
        #expect(try await runner.query("AllTasks", #""policy":"cacheOnly""#).status == 504)
        #expect(try await runner.query("AllTasks").text.contains(#""items":[],"count":0"#))
    }

    /// A server that answers the first request with a text, and the others with an empty list.
    private static func server(answering body: String) throws -> RecordingServer {
        try RecordingServer { number, _ in
            RecordingServer.answer(number == 1 ? body : #"{"data":{"findTasks":{"items":[],"count":0}}}"#)
        }
    }
}
