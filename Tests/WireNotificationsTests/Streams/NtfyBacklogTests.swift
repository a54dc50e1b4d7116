import Foundation
import Support
import Testing
import WireConfig
import WireNotifications
import Workbench

@Suite("Missed messages of an ntfy server", .serialized, .enabled(if: ScriptedServer.hasModules("aiohttp")))
struct NtfyBacklogTests {
    private static func bench(_ server: ScriptedServer, _ topics: String) async throws -> StreamBench {
        let bench = try await StreamBench(
            "streams: { ward: { type: ntfy, url: \"http://127.0.0.1:\(server.readyWords[0])\", topics: [\(topics)] } }"
        )
        try await server.saw("stream \(topics) since=")
        return bench
    }

    private static func publish(_ text: String, to topic: String, _ server: ScriptedServer, delay: String? = nil)
        throws -> String
    {
        let fields = delay.map { ["-H", "Delay: \($0)"] } ?? []
        let url = "http://127.0.0.1:\(server.readyWords[0])/\(topic)"
        let run = try Program.run("curl", ["-sS", "-d", text] + fields + [url])
        let answer = try JSONValue(parsing: Array(run.output.utf8), named: "answer")
        return try #require(answer["id"]?.string, "\(run.everything)")
    }

    private static func noted(_ bench: StreamBench) -> [String] {
        bench.notifications.programs.calls(of: "note").compactMap(\.first)
    }

    @Test("a message with a delay arrives although the server publishes it after later ones, between two requests")
    func published() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--keepalive", "0.3"])
        let bench = try await Self.bench(server, "k3Jq8Zr2ward")
        try await server.tell("hold")
        let delayed = try Self.publish("later", to: "k3Jq8Zr2ward", server, delay: "10s")
        let first = try Self.publish("first", to: "k3Jq8Zr2ward", server)
        _ = try await bench.notifications.done("ward:\(first)")
        try await server.tell("cut after 2")
        try await server.tell("cut")
        try await server.saw("closed k3Jq8Zr2ward json")
        try await server.tell("clock 15")
        let missed = try (1...3).map { try Self.publish("missed \($0)", to: "k3Jq8Zr2ward", server) }
        // The first of them has arrived when the connection breaks.
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).contains("ward:\(missed[0])") })
        try await server.saw("cut k3Jq8Zr2ward")
        try await server.tell("release")
        try await server.saw("due k3Jq8Zr2ward \(delayed)")
        try await server.tell("cut never")
        let expected = Set(([delayed, first] + missed).map { "ward:\($0)" })
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).count >= expected.count })
        #expect(Set(Self.noted(bench)) == expected)
        #expect(Self.noted(bench).count == expected.count)
        await bench.end()
    }

    @Test("messages of several topics arrive once each, in order, although each connection breaks before their end")
    func several() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--keepalive", "0.3"])
        let bench = try await Self.bench(server, "k3Jq8Zr2one,k3Jq8Zr2two")
        var ids = [try Self.publish("first", to: "k3Jq8Zr2one", server)]
        _ = try await bench.notifications.done("ward:\(ids[0])")
        try await server.tell("cut after 2")
        try await server.tell("cut")
        try await server.saw("closed k3Jq8Zr2one,k3Jq8Zr2two json")
        for number in 1...6 {
            try await server.tell("clock 61")
            ids.append(try Self.publish("missed", to: number.isMultiple(of: 2) ? "k3Jq8Zr2one" : "k3Jq8Zr2two", server))
        }
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).count >= ids.count })
        #expect(Self.noted(bench) == ids.map { "ward:\($0)" })
        // Each connection brings a new message.
        #expect(server.count("poll") <= ids.count + 1)
        await bench.end()
    }
}
