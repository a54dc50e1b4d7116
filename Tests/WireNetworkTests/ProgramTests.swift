import Support
import Testing
import WireBase
import WireHTTP

@Suite("The network proxy of the built program")
struct ProgramTests {
    private func runner(_ server: ScriptedServer, _ section: String = "{}") async throws -> RunningRunner {
        try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            baseUrl: "\(server.url)/base"
            network: \(section)
            api: { socket: auto }
            """
        )
    }

    @Test("bodies of any size pass in both directions, and response fields report the attempts")
    func bothWays() async throws {
        let server = try ScriptedServer { _, request in
            Response(.ok, fields: ["X-Method": request.method.name], body: .bytes(request.body))
        }
        let runner = try await runner(server)
        for size in [0, 1, 65_536, 65_537, 3_000_000] {
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let answer = try await runner.ask("PUT", "/v1/network/a%20b?c=%2F", body: body)
            #expect(answer.status == 200 && answer.body == body, "\(size)")
            #expect(answer["Corewire-Attempts"] == "1" && answer["X-Method"] == "PUT")
        }
        #expect(server.paths.allSatisfy { $0 == "/base/a%20b?c=%2F" })
        try await runner.stop()
    }

    @Test("a response of unknown length is streamed")
    func streams() async throws {
        let barrier = OneShot()
        let server = try ScriptedServer { _, _ in
            Response(
                .ok,
                body: .stream { writer in
                    try await writer.write(Array("first".utf8))
                    await barrier.wait()
                    try await writer.write(Array("second".utf8))
                }
            )
        }
        let runner = try await runner(server)
        let client = try await runner.connect(sending: "GET /v1/network/s HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try await client.head().status == 200)
        barrier.fire()
        try await client.close()
        let whole = try await runner.ask("GET", "/v1/network/s")
        #expect(whole.text == "firstsecond")
        try await runner.stop()
    }

    @Test("a Content-Length is forwarded, with and without a body")
    func lengths() async throws {
        let server = try ScriptedServer { _, _ in
            Response(
                .ok,
                fields: ["Content-Length": "100000"],
                body: .stream { writer in
                    try await writer.write([UInt8](repeating: 1, count: 100_000))
                }
            )
        }
        let runner = try await runner(server)
        let whole = try await runner.ask("GET", "/v1/network/a")
        #expect(whole["Content-Length"] == "100000" && whole["Transfer-Encoding"] == nil && whole.body.count == 100_000)
        let head = try await runner.ask("HEAD", "/v1/network/a")
        #expect(head.status == 200 && head["Content-Length"] == "100000")
        try await runner.stop()
    }

    @Test("subscribers of request events get each request, without its query")
    func watched() async throws {
        let server = try ScriptedServer { _, _ in .text("x", 404) }
        let runner = try await runner(server)
        _ = try await runner.ask("GET", "/v1/network/early")
        let events = try await runner.watch("/v1/events?name=network.request")
        _ = try await runner.ask("GET", "/v1/network/a?secret=s3cret")
        let event = try #require(try await events.next())
        #expect(event.event == "network.request" && event.data.contains("/base/a\""))
        #expect(event.data.contains(#""status":404"#) && event.data.contains(#""attempts":1"#))
        #expect(!event.data.contains("s3cret") && event.data.contains(#""for":"app""#))
        try await events.close()
        try await runner.stop()
    }

    @Test("a failure is a problem with the place in the file, without the query")
    func problem() async throws {
        let server = try ScriptedServer { _, _ in .text("no", 500) }
        let runner = try await runner(server, "{ circuit: { failures: 1, pause: 60s } }")
        #expect(try await runner.ask("GET", "/v1/network/a?secret=s3cret").status == 500)
        let answer = try await runner.ask("GET", "/v1/network/a?secret=s3cret")
        #expect(answer.status == 503 && answer["Content-Type"] == "application/problem+json")
        #expect(answer.text.contains("com.example.tasks.yaml:4:") && answer.text.contains("network.circuit"))
        #expect(!answer.text.contains("s3cret") && !runner.log.contains("s3cret"))
        #expect(try await runner.ask("GET", "/v1/status").text.contains("pause after repeated failures"))
        await server.stop()
        try await runner.stop()
    }
}
