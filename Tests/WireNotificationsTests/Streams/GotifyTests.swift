import Support
import Testing
import WireBase
import WireConfig
import Workbench

@Suite("Streams from a Gotify server", .serialized, .enabled(if: ScriptedServer.hasModules("aiohttp")))
struct GotifyTests {
    private static func streams(_ server: ScriptedServer, token: String? = nil, settings: String = "") -> String {
        let words = server.readyWords
        return
            "streams: { phone: { type: gotify, url: \"http://127.0.0.1:\(words[0])\", token: \(token ?? words[2])\(settings) } }"
    }

    private static func noted(_ bench: StreamBench) -> [Int] {
        bench.notifications.programs.calls(of: "note").compactMap { $0.first.flatMap { Int($0.dropFirst(6)) } }
    }

    @Test("live messages become notifications; what was there before the first connection does not")
    func live() async throws {
        let server = try await ScriptedServer(push: "gotify")
        try await server.tell("quiet 3")
        let bench = try await StreamBench(Self.streams(server))
        try await server.saw("stream")
        try await server.saw("page limit=1")
        try await server.tell(
            #"publish {"title":"Door","message":"open","priority":8,"extras":{"client::notification":{"click":{"url":"https://x.example"},"bigImageUrl":"https://x.example/a.png"}}}"#
        )
        let shown = try await bench.notifications.passed("phone:4")
        #expect(shown["title"]?.string == "Door")
        #expect(shown["body"]?.string == "open")
        #expect(shown["urgency"]?.string == "critical")
        #expect(shown["sound"]?.string == "default")
        #expect(shown["link"]?.string == "https://x.example")
        #expect(shown["image"]?.string == "https://x.example/a.png")
        try await server.tell(#"publish {"message":"low","priority":2}"#)
        #expect(try await bench.notifications.passed("phone:5")["urgency"]?.string == "low")
        #expect(Self.noted(bench).sorted() == [4, 5])
        #expect(server.count("said") == 0)
        #expect(!bench.log.joined().contains(server.readyWords[2]))
        await bench.end()
    }

    @Test("messages of several pages that were missed arrive once, oldest first, with those that come meanwhile")
    func missed() async throws {
        let server = try await ScriptedServer(push: "gotify")
        let bench = try await StreamBench(Self.streams(server))
        try await server.saw("page limit=1")
        try await server.tell(#"publish {"message":"first"}"#)
        _ = try await bench.notifications.done("phone:1")
        try await server.tell("cut")
        try await server.saw("closed")
        try await server.tell("quiet 450")
        try await server.tell(#"between {"message":"meanwhile"}"#)
        #expect(await bench.passing(.seconds(2)) { server.count("stream") == 2 })
        #expect(await eventually { Self.noted(bench).count >= 452 })
        #expect(Self.noted(bench).count == 452)
        #expect(Set(Self.noted(bench)) == Set(1...452))
        try await server.tell(#"publish {"message":"last"}"#)
        _ = try await bench.notifications.done("phone:453")
        #expect(Self.noted(bench).count == 453)
        await bench.end()
    }

    @Test("a missed message that is nested too deeply is left out, and those around it arrive")
    func nested() async throws {
        let server = try await ScriptedServer(push: "gotify")
        let bench = try await StreamBench(Self.streams(server))
        try await server.saw("stream")
        try await server.tell("cut")
        try await server.saw("closed")
        try await server.tell(#"publish {"message":"before"}"#)
        let deep = String(repeating: #"{"a":"#, count: 60) + "1" + String(repeating: "}", count: 60)
        try await server.tell(#"publish {"message":"deep","extras":\#(deep)}"#)
        try await server.tell(#"publish {"message":"after"}"#)
        #expect(await bench.passing(.seconds(2)) { Self.noted(bench).contains(3) })
        #expect(Self.noted(bench).sorted() == [1, 3])
        await bench.end()
    }

    @Test("messages below the lowest priority are skipped, and not requested again")
    func priority() async throws {
        let server = try await ScriptedServer(push: "gotify")
        let bench = try await StreamBench(Self.streams(server, settings: ", minPriority: 5"))
        try await server.saw("page limit=1")
        try await server.tell(#"publish {"message":"low","priority":4}"#)
        try await server.tell(#"publish {"message":"high","priority":5}"#)
        _ = try await bench.notifications.done("phone:2")
        #expect(Self.noted(bench) == [2])
        await bench.end()
    }

    @Test("ids that begin again, as those of a new server do, move the position back")
    func renewed() async throws {
        let server = try await ScriptedServer(push: "gotify")
        try await server.tell("quiet 20")
        let bench = try await StreamBench(Self.streams(server))
        try await server.saw("page limit=200", times: 2)
        try await server.tell(#"publish {"message":"old"}"#)
        _ = try await bench.notifications.done("phone:21")
        try await server.tell("renew")
        try await server.saw("closed")
        #expect(await bench.passing(.seconds(2)) { server.count("page limit=200") == 3 })
        try await server.tell(#"publish {"message":"new"}"#)
        _ = try await bench.notifications.done("phone:1")
        try await server.tell("cut")
        try await server.saw("closed", times: 2)
        try await server.tell("quiet 2")
        // Handled in any order.
        #expect(await bench.passing(.seconds(2)) { Set(Self.noted(bench)).isSuperset(of: [2, 3]) })
        #expect(Self.noted(bench).sorted() == [1, 2, 3, 21])
        await bench.end()
    }

    @Test("the token of an application is refused by the server, and not tried again at once")
    func application() async throws {
        let server = try await ScriptedServer(push: "gotify", ["--app", "application-1"])
        let bench = try await StreamBench(Self.streams(server, token: server.readyWords[1]))
        try await server.saw("denied 403")
        #expect(await eventually { bench.notifications.bench.told.all.last?.hasPrefix("degraded: ") == true })
        bench.clock.pass(.seconds(100))
        for _ in 0..<50 { await Task.yield() }
        #expect(server.count("denied") == 1)
        await bench.end()
    }

    @Test("the user's token is never sent, although the host may receive it")
    func token() async throws {
        let server = try RecordingServer { _, _ in "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n" }
        let bench = try await StreamBench(
            "streams: { phone: { type: gotify, url: \"\(server.url)\", token: Cl1ent } }",
            tokenHosts: "\"127.0.0.1:\(server.port)\"",
            tokens: TwoTokens()
        )
        #expect(await eventually { !server.requests.isEmpty })
        #expect(server.requests.allSatisfy { $0.contains("Cl1ent") && !$0.contains("token-1") }, "\(server.requests)")
        await bench.end()
    }
}
