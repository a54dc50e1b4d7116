import Testing

@testable import WireAuth

@Suite("Session events", .timeLimit(.minutes(1)))
struct WatchTests {
    @Test("a sign-in emits an event; a cancelled task or a stopped service gets none")
    func news() async throws {
        let bench = try await Bench()
        let watch = bench.service.watchStatus()
        let before = watch.count
        try await bench.signIn()
        #expect(await watch.changed(after: before))
        let now = watch.count
        let waiting = Task { await watch.changed(after: now) }
        waiting.cancel()
        #expect(await waiting.value == false)
        await bench.service.stop()
        #expect(await watch.changed(after: before) == false)
    }
}
