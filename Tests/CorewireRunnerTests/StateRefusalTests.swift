import Foundation
import Support
import Testing

@Suite("Rejected writes of apps leave no trace")
struct StateRefusalTests {
    private static let long = String(repeating: "k", count: 513)

    @Test("an invalid request has its own status, a problem as body, and stores nothing")
    func wrongRequests() async throws {
        let runner = try await RunningRunner(StateTests.file)
        let before = try await runner.ask("GET", "/v1/state").text
        for (method, path, fields, status) in [
            ("POST", "/v1/state/notes/k", [], 405),
            ("PUT", "/v1/state/notes", [], 405),
            ("PATCH", "/v1/state/notes/k", [], 405),
            ("PUT", "/v1/state/notes/", [], 404),
            ("PUT", "/v1/state//k", [], 404),
            ("PUT", "/v1/state/no%20tes/k", [], 400),
            ("PUT", "/v1/state/-notes/k", [], 400),
            ("PUT", "/v1/state/\(String(repeating: "n", count: 65))/k", [], 400),
            ("PUT", "/v1/state/corewire%2Fgenerations/k", [], 400),
            ("PUT", "/v1/state/notes/../../corewire", [], 400),
            ("PUT", "/v1/state/notes/%2E%2E/k", [], 400),
            ("PUT", "/v1/state/notes/a%2F..%2Fk", [], 400),
            ("PUT", "/v1/state/notes/k%00", [], 400),
            ("PUT", "/v1/state/notes/k%0A", [], 400),
            ("PUT", "/v1/state/notes/k%7F", [], 400),
            ("PUT", "/v1/state/notes/k%C2%85", [], 400),
            ("PUT", "/v1/state/notes/k%C3%28", [], 400),
            ("PUT", "/v1/state/notes/k%", [], 400),
            ("PUT", "/v1/state/notes/\(Self.long)", [], 400),
            ("PUT", "/v1/state/notes/k?x=1", [], 400),
            ("PUT", "/v1/state/notes/k", ["Content-Type: nonsense"], 415),
            ("PUT", "/v1/state/notes/k", ["Content-Type: text/plain", "Content-Type: text/html"], 400),
            ("PUT", "/v1/state/notes/k", ["Content-Type: text/\(String(repeating: "x", count: 256))"], 415),
            ("PUT", "/v1/state/notes/k", ["Content-Encoding: gzip"], 415),
            ("PUT", "/v1/state/notes/k", ["Content-Range: bytes 0-1/4"], 400),
            ("PUT", "/v1/state/notes/k", ["Content-Length: 1"], 400),
            ("DELETE", "/v1/state/notes/k", [], 400),
        ] {
            let answer = try await runner.ask(method, path, fields, text: "xy")
            #expect(answer.status == status, "\(method) \(path) \(fields)")
            #expect(answer["Content-Type"] == "application/problem+json", "\(method) \(path) \(fields)")
        }
        #expect(try await runner.ask("GET", "/v1/state").text == before)
        // The longest key there can be is one.
        #expect(try await runner.ask("PUT", "/v1/state/notes/\(Self.long.dropLast())", text: "x").status == 201)
    }

    @Test("a truncated body is not stored")
    func truncated() async throws {
        let runner = try await RunningRunner(StateTests.file)
        for head in ["Content-Length: 100\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"] {
            let client = try await runner.connect(
                sending: "PUT /v1/state/notes/k HTTP/1.1\r\nHost: localhost\r\n\(head)"
            )
            try await client.endSending()
            #expect(try await client.waitForEnd())
            try await client.close()
        }
        #expect(try await runner.ask("GET", "/v1/state/notes/k").status == 404)
        // A body in pieces is one that may be stored.
        let client = try await runner.connect(
            sending:
                "PUT /v1/state/notes/k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        )
        #expect(try await client.answer().status == 201)
        #expect(try await runner.ask("GET", "/v1/state/notes/k").text == "abc")
    }

    @Test("a chunked body is counted while it arrives, and the limit applies")
    func countedInPieces() async throws {
        let runner = try await RunningRunner(StateTests.file)
        let piece = String(repeating: "x", count: 3_000)
        let client = try await runner.connect(
            sending: "PUT /v1/state/notes/k HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "bb8\r\n\(piece)\r\nbb8\r\n\(piece)\r\n0\r\n\r\n"
        )
        let answer = try await client.answer()
        #expect(answer.status == 413)
        #expect(answer.text.contains("persistence.maxValueSize"))
        #expect(try await runner.ask("GET", "/v1/state/notes/k").status == 404)
    }

    @Test("with onlyDeclared, an undeclared namespace is rejected with its line")
    func onlyDeclared() async throws {
        let file = StateTests.file.replacingOccurrences(
            of: "persistence:\n",
            with: "persistence:\n  onlyDeclared: true\n"
        )
        let runner = try await RunningRunner(file)
        let answer = try await runner.ask("PUT", "/v1/state/draft/k", text: "x")
        #expect(answer.status == 403)
        #expect(answer.text.contains("did you mean 'drafts'?"))
        #expect(answer.text.contains("persistence.onlyDeclared"))
        #expect(try await runner.ask("GET", "/v1/state/notes").status == 403)
        #expect(try await runner.ask("PUT", "/v1/state/drafts/k", text: "x").status == 201)
    }

    @Test("a token for some namespaces can use only these, and lists no others")
    func rights() async throws {
        let file = StateTests.file.replacingOccurrences(
            of: "api: { socket: auto }",
            with: """
                api:
                  listen: 127.0.0.1:0
                  apps: { app: { token: "0123456789abcdef0123456789abcdef", namespaces: [drafts, few], access: write } }
                """
        )
        let runner = try await RunningRunner(file)
        let link = try await runner.ask("POST", "/v1/console/link").text
        let port = try #require(Int(link.components(separatedBy: "127.0.0.1:").last?.prefix { $0.isNumber } ?? ""))
        func ask(_ method: String, _ path: String) async throws -> RawClient.Answer {
            let request =
                "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX-Corewire: 1\r\nConnection: close\r\n"
                + "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\nContent-Length: 0\r\n\r\n"
            let client = try await RawClient.connect(to: .tcp("127.0.0.1", port), sending: Array(request.utf8))
            return try await client.answer()
        }
        #expect(try await ask("PUT", "/v1/state/few/k").status == 201)
        #expect(try await ask("PUT", "/v1/state/notes/k").status == 403)
        #expect(try await ask("GET", "/v1/state/notes").status == 403)
        let all = try await ask("GET", "/v1/state").text
        #expect(all.contains("\"few\"") && all.contains("\"drafts\"") && !all.contains("\"secret\""))
    }
}
