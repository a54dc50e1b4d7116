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
        let (old, folder) = (try await ScriptedServer(push: "gotify"), try TemporaryFolder())
        try await old.tell("quiet 5")
        let first = try await StreamBench(Self.section(old), in: folder)
        try await old.saw("page limit=1")
        try await old.tell(#"publish {"message":"old"}"#)
        _ = try await first.notifications.done("phone:6")
        await first.end()

        let new = try await ScriptedServer(push: "gotify")
        let second = try await StreamBench(Self.section(new), in: folder)
        let barrier = second.notifications.programs.barrier("note")
        try await new.saw("page limit=200")
        try await second.notifications.send(#"{"id":"filler","title":"x"}"#)
        try await new.tell(#"publish {"message":"first"}"#)
        #expect(await eventually { second.log.contains { $0.contains("the queue of notifications is full") } })
        try await new.saw("closed")
        try await new.tell("quiet 9")
        barrier.fire()
        let wanted = Set((1...10).map { "phone:\($0)" } + ["filler"])
        func noted() -> Set<String> {
            Set(second.notifications.programs.calls(of: "note").compactMap(\.first))
        }
        #expect(await second.passing(.seconds(2)) { noted() == wanted }, "\(noted())")
        await second.end()
    }
}
