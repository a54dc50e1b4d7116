import Support
import Testing
import WireBase
import WireConfig
import WireNotifications
import Workbench

@Suite("A Gotify server that was set up again", .serialized, .enabled(if: ScriptedServer.hasModules("aiohttp")))
struct GotifyRenewalTests {
    private static func section(_ server: ScriptedServer) -> String {
        let (port, token) = (server.readyWords[0], server.readyWords[2])
        return "maxWaiting: 1\nstreams: { phone: { type: gotify, url: \"http://127.0.0.1:\(port)\", token: \(token) } }"
    }

    @Test("no message is lost although the first cannot be stored and the ids grow beyond the former ones")
    func renewed() async throws {
        let server = try await ScriptedServer(push: "gotify")
        try await server.tell("quiet 5")
        let bench = try await StreamBench(Self.section(server))
        try await server.saw("page limit=200", times: 2)
        try await server.tell("renew")
        try await server.saw("closed")
        let barrier = bench.notifications.programs.barrier("note")
        try await bench.notifications.send(#"{"id":"filler","title":"x"}"#)
        #expect(await bench.passing(.seconds(2)) { server.count("page limit=200") == 3 })
        try await server.tell(#"publish {"message":"first"}"#)
        #expect(await eventually { bench.log.contains { $0.contains("the queue of notifications is full") } })
        try await server.saw("closed", times: 2)
        try await server.tell("quiet 5")
        barrier.fire()
        let wanted = (1...6).map { "phone:\($0)" } + ["filler"]
        func noted() -> [String] { bench.notifications.programs.calls(of: "note").compactMap(\.first) }
        #expect(await bench.passing(.seconds(10)) { noted().count >= wanted.count })
        #expect(noted().sorted() == wanted.sorted())
        await bench.end()
    }
}
