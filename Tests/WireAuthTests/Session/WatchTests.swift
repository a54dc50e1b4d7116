import Testing

@testable import WireAuth

@Suite("Watching who is signed in", .timeLimit(.minutes(1)))
struct WatchTests {
    @Test("there is news after a sign-in, and none for a task that is cancelled or of a service that has stopped")
    func news() async throws {
        let bench = try Bench()
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
