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

    /// The host of the embedded servers, once the runner reads the stream of one.
    private static func connectedHost(_ runner: RunningRunner) async throws -> Substring {
        let isConnected = try await eventually {
            try await runner.ask("GET", "/metrics").text.contains("stream_connected{stream=\"alerts\"} 1")
        }
        #expect(isConnected, "\(runner.log)")
        let status = try runner.corewire(["backends", "status", "--format", "json"]).output
        return try #require(status.firstMatch(of: /http:\/\/(127\.0\.0\.1:[0-9]+)/)).1
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
        let host = try await Self.connectedHost(runner)
        let sent = try Program.run(
            "curl",
            ["-sS", "-d", "Pump 3 is off", "-H", "Title: Ward", "http://\(host)/ntfy/cart-17-k3Jq8Zr2"]
        )
        #expect(sent.output.contains("\"event\":\"message\""), "\(sent.everything)")
        #expect(try await eventually { try !Self.listed(runner).isEmpty })
        let shown = try #require(try Self.listed(runner).first)
        #expect(shown.title == "Ward" && shown.body == "Pump 3 is off")
        #expect(!runner.log.contains("cart-17-k3Jq8Zr2"))
        try await runner.stop()
    }

    @Test(
        "with embedded servers, a message of apprise becomes a notification with its title, body, priority and tags",
        .timeLimit(.minutes(2)),
        .enabled(if: Apprise.isInstalled)
    )
    func apprise() async throws {
        let home = try TemporaryFolder()
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            backends: { listen: "127.0.0.1:0" }
            notifications:
              permission: granted
              handlers: { save: { on: any, exec: [/usr/bin/tee, "\(home.url.path)/saved"] } }
              streams: { alerts: { type: ntfy, url: https://ntfy.example.com, topics: [cart-17-k3Jq8Zr2] } }
            """,
            in: home
        )
        let host = try await Self.connectedHost(runner)
        try Apprise.send(
            "Ward ü",
            "Pump 3 is off",
            to: "ntfy://\(host)/cart-17-k3Jq8Zr2?priority=max&tags=pump,warning",
            at: "/ntfy"
        )
        var saved: Saved?
        let isSaved = await eventually {
            saved = try? JSONDecoder().decode(Saved.self, from: Data(home.text(of: "saved").utf8))
            return saved != nil
        }
        #expect(isSaved, "\(runner.log)")
        #expect(saved?.title == "Ward ü" && saved?.body == "Pump 3 is off" && saved?.urgency == "critical")
        #expect(saved?.data.tags == ["pump", "warning"])
        try await runner.stop()
    }

    /// What a handler is given.
    private struct Saved: Decodable {
        struct Payload: Decodable {
            let tags: [String]
        }

        let title, body, urgency: String
        let data: Payload
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
