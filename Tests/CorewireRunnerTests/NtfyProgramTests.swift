import Foundation
import Support
import Testing

@Suite("Notifications over ntfy, with the built runner", .serialized)
struct NtfyProgramTests {
    private struct Listed: Decodable {
        struct Item: Decodable {
            let id: String
            let title: String?
            let body: String?
        }

        let notifications: [Item]
    }

    /// What the list of notifications has, by `corewire notifications list`.
    private static func listed(_ runner: RunningRunner) throws -> [Listed.Item] {
        let run = try runner.corewire(["notifications", "list", "--limit", "1000", "--format", "json"])
        return try JSONDecoder().decode(Listed.self, from: Data(run.output.utf8)).notifications
    }

    @Test("with embedded servers, 'curl -d' to a topic shows a notification", .timeLimit(.minutes(2)))
    func embedded() async throws {
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            backends: { listen: "127.0.0.1:0" }
            notifications:
              permission: granted
              handlers: { show: { on: presentable, present: [list] } }
              streams: { alerts: { type: ntfy, url: https://ntfy.example.com, topics: [cart-17-k3Jq8Zr2] } }
            """
        )
        let status = try runner.corewire(["backends", "status", "--format", "json"]).output
        let address = try #require(status.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).output
        let isConnected = try await eventually {
            try await runner.ask("GET", "/metrics").text.contains("stream_connected{stream=\"alerts\"} 1")
        }
        #expect(isConnected, "\(runner.log)")
        let sent = try Program.run(
            "curl",
            ["-sS", "-d", "Pump 3 is off", "-H", "Title: Ward", "\(address)/ntfy/cart-17-k3Jq8Zr2"]
        )
        #expect(sent.output.contains("\"event\":\"message\""), "\(sent.everything)")
        #expect(try await eventually { try !Self.listed(runner).isEmpty })
        let shown = try #require(try Self.listed(runner).first)
        #expect(shown.title == "Ward" && shown.body == "Pump 3 is off")
        #expect(!runner.log.contains("cart-17-k3Jq8Zr2"))
        try await runner.stop()
    }

    @Test(
        "killed again and again while messages arrive, the runner loses none and lists each once",
        .timeLimit(.minutes(5)),
        .enabled(if: ScriptedServer.hasModules("aiohttp"))
    )
    func killed() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--keepalive", "0.2"])
        let file = """
            version: 1
            app: { id: com.example.tasks }
            network: { plainHosts: [] }
            notifications:
              permission: granted
              handlers: { show: { on: presentable, present: [list] } }
              streams:
                alerts: { type: ntfy, url: "http://127.0.0.1:\(server.readyWords[0])", topics: [cart-17-k3Jq8Zr2] }
            """
        let home = try TemporaryFolder()
        var runner = try await RunningRunner(file, in: home)
        try await server.saw("stream cart-17-k3Jq8Zr2")
        for round in 1...10 {
            try await server.tell("fill cart-17-k3Jq8Zr2 20")
            // A different moment of the handling each time.
            for _ in 0..<(round * 7) { await breath() }
            try await runner.kill()
            try await server.tell("fill cart-17-k3Jq8Zr2 3")
            runner = try await RunningRunner(nil, in: home)
        }
        let isWhole = try await eventually { try Self.listed(runner).count >= 230 }
        let ids = try Self.listed(runner).map(\.id)
        #expect(isWhole, "\(ids.count)")
        #expect(ids.count == 230 && Set(ids).count == 230)
        try await runner.stop()
    }
}
