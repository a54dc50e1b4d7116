import Support
import Testing
import WireConfig
import WireNotifications
import Workbench

@Suite("Long ids of event streams", .serialized, .enabled(if: ScriptedServer.hasModules("aiohttp")))
struct LongPositionTests {
    @Test("an id that is too long for a request is not sent back; its notification arrives once")
    func long() async throws {
        let server = try await ScriptedServer(push: "events")
        let url = "http://127.0.0.1:\(server.readyWords[0])/stream"
        let bench = try await StreamBench("streams: { tasks: { url: \"\(url)\", authorization: none } }")
        try await server.tell(#"send 1 {"title":"A"}"#)
        _ = try await bench.notifications.done("tasks:1")
        try await server.tell(#"long 5000 {"title":"B"}"#)
        #expect(await eventually { bench.log.contains { $0.contains("too long to resume after it") } })
        #expect(!bench.log.joined().contains("xxx"))
        try await server.tell("cut")
        try await server.saw("closed")
        #expect(await bench.passing(.seconds(2)) { server.count("stream after=1") == 1 })
        try await server.tell(#"send 3 {"title":"C"}"#)
        _ = try await bench.notifications.done("tasks:3")
        #expect(server.count("rejected") == 0)
        #expect(bench.notifications.programs.calls(of: "note").count == 3)
        try await server.tell("cut")
        #expect(await bench.passing(.seconds(2)) { server.count("stream after=3") == 1 })
        await bench.end()
    }
}
