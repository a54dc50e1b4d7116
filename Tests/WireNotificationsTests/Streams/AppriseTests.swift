import Support
import Testing
import WireBase
import WireConfig
import Workbench

@Suite(
    "Messages of apprise",
    .serialized,
    .enabled(if: Apprise.isInstalled && ScriptedServer.hasModules("aiohttp"))
)
struct AppriseTests {
    @Test("a message to an ntfy server becomes a notification with its title, body, priority and tags")
    func ntfy() async throws {
        let server = try await ScriptedServer(push: "ntfy")
        let host = "127.0.0.1:\(server.readyWords[0])"
        let bench = try await StreamBench(
            "streams: { ward: { type: ntfy, url: \"http://\(host)\", topics: [k3Jq8Zr2ward] } }"
        )
        try await server.saw("stream k3Jq8Zr2ward since=")
        try Apprise.send("Ward ü", "Pump 3 is off", to: "ntfy://\(host)/k3Jq8Zr2ward?priority=max&tags=pump,warning")
        let id = try await server.saw("publish k3Jq8Zr2ward").split(separator: " ")[2]
        let shown = try await bench.notifications.passed("ward:\(id)")
        #expect(shown["title"]?.string == "Ward ü")
        #expect(shown["body"]?.string == "Pump 3 is off")
        #expect(shown["urgency"]?.string == "critical")
        #expect(shown["data"]?["tags"]?.array?.compactMap(\.string) == ["pump", "warning"])
        await bench.end()
    }

    @Test("a message to a Gotify server becomes a notification with its title, body and priority")
    func gotify() async throws {
        let server = try await ScriptedServer(push: "gotify")
        let words = server.readyWords
        let bench = try await StreamBench(
            "streams: { phone: { type: gotify, url: \"http://127.0.0.1:\(words[0])\", token: \(words[2]) } }"
        )
        try await server.saw("stream")
        try await server.saw("page limit=1")
        try Apprise.send("Ward ü", "Pump 3 is off", to: "gotify://127.0.0.1:\(words[0])/\(words[1])?priority=emergency")
        let shown = try await bench.notifications.passed("phone:1")
        #expect(shown["title"]?.string == "Ward ü")
        #expect(shown["body"]?.string == "Pump 3 is off")
        #expect(shown["urgency"]?.string == "critical")
        await bench.end()
    }
}
