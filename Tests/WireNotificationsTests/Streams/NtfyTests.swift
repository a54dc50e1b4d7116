import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireNotifications
import WireService
import Workbench

@Suite("Streams from an ntfy server", .serialized, .enabled(if: ScriptedServer.hasModules("aiohttp")))
struct NtfyTests {
    private static func streams(_ server: ScriptedServer, _ settings: String = "") -> String {
        "streams: { ward: { type: ntfy, url: \"\(url(server))\", topics: [k3Jq8Zr2ward]\(settings) } }"
    }

    private static func url(_ server: ScriptedServer) -> String { "http://127.0.0.1:\(server.readyWords[0])" }

    /// Publishes as curl does.
    private static func publish(
        _ text: String,
        to server: ScriptedServer,
        topic: String = "k3Jq8Zr2ward",
        _ headers: [String: String] = [:]
    ) throws -> String {
        let fields = headers.flatMap { ["-H", "\($0.key): \($0.value)"] }
        let run = try Program.run("curl", ["-sS", "-d", text] + fields + ["\(url(server))/\(topic)"])
        let answer = try JSONValue(parsing: Array(run.output.utf8), named: "answer")
        return try #require(answer["id"]?.string, "\(run.everything)")
    }

    private static func noted(_ bench: StreamBench) -> [String] {
        bench.notifications.programs.calls(of: "note").compactMap(\.first)
    }

    @Test("a message becomes a notification with its title, priority, link, picture and buttons, without its topic")
    func message() async throws {
        let server = try await ScriptedServer(push: "ntfy")
        let note = #"note: { on: any, exec: [note, "{{ id }}"] }"#
        let bench = try await StreamBench(
            Self.streams(server),
            handlers: "permission: granted\nhandlers: { \(note), show: { on: presentable, present: [list] } }"
        )
        try await server.saw("stream k3Jq8Zr2ward since=")
        let actions =
            #"[{"action":"view","label":"Open","url":"https://x.example/1"},{"action":"http","label":"No","url":"https://x.example/2"}]"#
        let id = try Self.publish(
            "Pump 3 is off",
            to: server,
            [
                "Title": "Ward", "Priority": "5", "Tags": "warning,pump", "Click": "https://x.example/pump",
                "Actions": actions, "Attach": "https://x.example/pump.jpg", "Filename": "pump.jpg",
            ]
        )
        let shown = try await bench.notifications.passed("ward:\(id)")
        #expect(shown["title"]?.string == "Ward")
        #expect(shown["body"]?.string == "Pump 3 is off")
        #expect(shown["urgency"]?.string == "critical")
        #expect(shown["sound"]?.string == "default")
        #expect(shown["link"]?.string == "https://x.example/pump")
        #expect(shown["image"]?.string == "https://x.example/pump.jpg")
        let listed = try await bench.notifications.service.detail("ward:\(id)")?.notification
        #expect(listed?.buttons.map(\.label) == ["Open"])
        #expect(shown["data"]?["tags"]?.array?.compactMap(\.string) == ["warning", "pump"])
        #expect(!shown.text().contains("k3Jq8Zr2ward"))
        let quiet = try Self.publish(
            "low",
            to: server,
            ["Priority": "2", "Icon": "https://x.example/pump.png", "Attach": "https://x.example/pump.pdf"]
        )
        let low = try await bench.notifications.passed("ward:\(quiet)")
        #expect(low["urgency"]?.string == "low")
        #expect(low["sound"]?.string == nil)
        // An attachment that is no picture leaves the icon.
        #expect(low["image"]?.string == "https://x.example/pump.png")
        #expect(!bench.log.joined().contains("k3Jq8Zr2ward"))
        await bench.end()
    }

    @Test("what was missed arrives once, although live messages overtake it and the connection breaks in the middle")
    func missed() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--keepalive", "0.3"])
        let bench = try await StreamBench(Self.streams(server))
        try await server.saw("stream k3Jq8Zr2ward since=")
        let first = try Self.publish("first", to: server)
        _ = try await bench.notifications.done("ward:\(first)")
        try await server.tell("cut")
        try await server.saw("closed k3Jq8Zr2ward json")
        var ids = [first]
        for number in 1...6 { ids.append(try Self.publish("missed \(number)", to: server)) }
        // Messages of the same second, and a connection that breaks after each two of them.
        try await server.tell("cut after 2")
        #expect(await bench.passing(.seconds(2)) { server.count("cut k3Jq8Zr2ward") >= 3 })
        try await server.tell("cut never")
        try await server.tell("live k3Jq8Zr2ward overtaking")
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).count >= 8 })
        #expect(Set(Self.noted(bench)).isSuperset(of: ids.map { "ward:\($0)" }))
        #expect(Self.noted(bench).count == Set(Self.noted(bench)).count)
        // The order is that of the server.
        let received = try await ids.asyncMap { id in
            try await bench.notifications.service.detail("ward:\(id)")?.received ?? 0
        }
        #expect(received == received.sorted())
        await bench.end()
    }

    @Test("what was missed arrives although each connection breaks before its end")
    func broken() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--keepalive", "0.3"])
        let bench = try await StreamBench(Self.streams(server))
        try await server.saw("stream k3Jq8Zr2ward since=")
        var ids = [try Self.publish("first", to: server)]
        _ = try await bench.notifications.done("ward:\(ids[0])")
        try await server.tell("cut after 2")
        try await server.tell("cut")
        try await server.saw("closed k3Jq8Zr2ward json")
        for number in 1...5 {
            try await server.tell("clock 61")
            ids.append(try Self.publish("missed \(number)", to: server))
        }
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).count == ids.count })
        #expect(Self.noted(bench) == ids.map { "ward:\($0)" })
        await bench.end()
    }

    @Test("the position moves only once all missed messages have arrived, although a live message comes before them")
    func position() async throws {
        let server = HeldStreams()
        let bench = try await NotificationBench(
            "streams: { ward: { type: ntfy, url: \"https://ntfy.example.com\", topics: [k3Jq8Zr2ward] } }\n\(IntakeTests.note)",
            offering: [ServiceAbility.serverRequests.offered(by: server)]
        )
        let type = "application/x-ndjson; charset=utf-8"
        func message(_ id: String, _ time: Int) -> String {
            #"{"id":"\#(id)","time":\#(time),"event":"message","topic":"k3Jq8Zr2ward","message":"\#(id)"}"# + "\n"
        }
        func query(_ count: Int) async -> String? {
            let isAsked = await eventually {
                if server.calls.count < count { bench.bench.clock.pass(.seconds(2)) }
                return server.calls.count >= count
            }
            guard isAsked, case .below(_, _, let query)? = server.calls.last?.destination else { return "none" }
            return query
        }
        #expect(await query(1) == nil)
        server.answer(
            #"{"id":"o","time":100,"event":"open","topic":"k3Jq8Zr2ward"}"# + "\n" + message("a", 110),
            type: type
        )
        _ = try await bench.done("ward:a")
        server.end()
        // Missed messages are polled for; there are none.
        #expect(await query(2) == "poll=1&since=100")
        server.answer("", type: type)
        server.end()
        #expect(await query(3) == "since=100")
        server.answer(message("live", 200), type: type)
        _ = try await bench.done("ward:live")
        server.end()
        #expect(await query(4) == "poll=1&since=100")
        server.answer(message("missed", 150) + message("live", 200), type: type)
        _ = try await bench.done("ward:missed")
        server.end()
        #expect(await query(5) == "since=140")
        // The first keepalive ends the missed messages of the stream.
        server.answer(message("late", 250) + #"{"id":"k","time":260,"event":"keepalive"}"# + "\n", type: type)
        _ = try await bench.done("ward:late")
        #expect(await eventually { server.isRead })
        server.end()
        #expect(await query(6) == "poll=1&since=190")
        // The server repeats the last minute; a time in the far future, and a negative one, do not move the position.
        server.answer(
            message("late", 250) + message("far", 1_000_000_000_000_000_000) + message("negative", -5),
            type: type
        )
        _ = try await bench.done("ward:negative")
        server.end()
        #expect(await query(7) == "since=190")
        // The server's clock was set back: positions from its future would hide what comes.
        server.answer(#"{"id":"o","time":120,"event":"open"}"# + "\n" + message("back", 121), type: type)
        _ = try await bench.done("ward:back")
        #expect(await eventually { server.isRead })
        server.end()
        #expect(await query(8) == "poll=1&since=120")
        #expect(bench.programs.calls(of: "note").count == 7)
        await bench.end()
    }

    @Test("a message with a delay that falls due while the runner is away arrives")
    func delayed() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--keepalive", "0.3"])
        let bench = try await StreamBench(Self.streams(server))
        try await server.saw("stream k3Jq8Zr2ward since=")
        let delayed = try Self.publish("later", to: server, ["Delay": "30s"])
        let first = try Self.publish("first", to: server)
        _ = try await bench.notifications.done("ward:\(first)")
        try await server.tell("cut")
        try await server.saw("closed k3Jq8Zr2ward json")
        try await server.tell("clock 60")
        try await server.saw("due k3Jq8Zr2ward \(delayed)")
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).contains("ward:\(delayed)") })
        await bench.end()
    }

    @Test("priority and tags select messages at the server")
    func selected() async throws {
        let server = try await ScriptedServer(push: "ntfy")
        let bench = try await StreamBench(Self.streams(server, ", minPriority: 4, tags: [pump, \"3 b\"]"))
        try await server.saw("stream k3Jq8Zr2ward since=")
        _ = try Self.publish("low", to: server, ["Tags": "pump,3 b"])
        _ = try Self.publish("other", to: server, ["Priority": "5", "Tags": "pump"])
        let id = try Self.publish("both", to: server, ["Priority": "4", "Tags": "3 b,pump"])
        _ = try await bench.notifications.done("ward:\(id)")
        #expect(Self.noted(bench).count == 1)
        await bench.end()
    }

    @Test("refused credentials degrade the service, are not repeated quickly, and are never logged")
    func refused() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--token", "tk_right"])
        let bench = try await StreamBench(Self.streams(server, ", token: tk_wrong_1"))
        try await server.saw("denied")
        #expect(await eventually { bench.notifications.bench.told.all.last?.hasPrefix("degraded: ") == true })
        bench.clock.pass(.seconds(100))
        for _ in 0..<50 { await Task.yield() }
        #expect(server.count("denied") == 1)
        #expect(!bench.log.joined().contains("tk_wrong_1"))
        await bench.end()
        let right = try await StreamBench(Self.streams(server, ", token: tk_right"))
        try await server.saw("stream k3Jq8Zr2ward since=")
        await right.end()
    }

    @Test("the user's token is never sent, although the host may receive it")
    func token() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--token", "token-1"])
        let bench = try await StreamBench(
            Self.streams(server),
            tokenHosts: "\"127.0.0.1:\(server.readyWords[0])\"",
            tokens: TwoTokens()
        )
        try await server.saw("denied 403")
        await bench.end()
    }

    @Test("the generic types read the same server: lines and events with declared ids, payloads and catch-up")
    func generic() async throws {
        // A keepalive has an id as well, and would move the position.
        let server = try await ScriptedServer(push: "ntfy", ["--keepalive", "3600"])
        let base = Self.url(server)
        let parts = "authorization: none, id: id, payload: { title: title, body: message }, resume: { query: since }"
        let section = """
            streams:
              lines: { type: jsonLines, url: "\(base)/one/json", events: [message], \(parts), \
            catchUp: { url: "\(base)/one/json?poll=1" } }
              events: { url: "\(base)/two/sse", \(parts) }
            """
        let bench = try await StreamBench(section)
        try await server.saw("stream one since=")
        try await server.saw("stream two since=")
        let line = try Self.publish("by line", to: server, topic: "one", ["Title": "L"])
        let event = try Self.publish("by event", to: server, topic: "two", ["Title": "E"])
        #expect(try await bench.notifications.done("lines:\(line)")["title"]?.string == "L")
        #expect(try await bench.notifications.passed("events:\(event)")["body"]?.string == "by event")
        try await server.tell("cut")
        try await server.saw("closed one json")
        let missed = try Self.publish("missed", to: server, topic: "one")
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).contains("lines:\(missed)") })
        try await server.saw("poll one since=\(line) json")
        #expect(bench.log.allSatisfy { !$0.contains("is not a notification") })
        await bench.end()
    }
}
