import Testing
import WireConfig
import WireHTTP

@Suite("Ids of mutations", .timeLimit(.minutes(5)))
struct MutationIDTests {
    @Test(
        "an id invalid in a path or header is rejected, and nothing is queued",
        arguments: ["", "a/b", "a b", "..", ".", "a\r\nb", "ä", String(repeating: "x", count: 201)]
    )
    func unfitID(id: String) async throws {
        let bench = try await QueueBench()
        let (status, json) = try await bench.mutate(
            "CreateTask",
            input(["title": .string("milk")]),
            ["id": .string(id)]
        )
        #expect(
            status == 400 && json["detail"]?.string?.contains("expected 1 to 200 visible") ?? false,
            "\(json.text())"
        )
        #expect(bench.server.received.isEmpty)
        await bench.kill()
    }
}
