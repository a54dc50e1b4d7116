import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract

@Suite("The circuit breaker")
struct BreakerTests {
    private static let section = "{ circuit: { failures: 3, pause: 10s } }"

    private func resting(_ workshop: Workshop) async throws -> CallFailure? {
        let failure = try await workshop.failure(of: Workshop.call(.get, "a"))
        if case .resting = failure.kind { return failure }
        return nil
    }

    @Test("after consecutive failures requests to a host pause, then a trial request decides")
    func circuit() async throws {
        let isWell = Mutex(false)
        let server = try ScriptedServer { _, _ in .text("x", isWell.withLock { $0 } ? 200 : 500) }
        let workshop = try await Workshop(server.url, Self.section)
        for _ in 0..<3 { #expect(try await workshop.get("a").status == 500) }
        let first = try #require(try await resting(workshop))
        #expect(first.retryAfter == .seconds(10) && first.wasNotSent && first.origin?.path == "network.circuit")
        #expect(server.seen.count == 3)
        #expect(workshop.told.all.last?.hasSuffix("pause after repeated failures network.circuit") ?? false)
        workshop.clock.pass(.milliseconds(9_999))
        #expect(try await resting(workshop)?.retryAfter == .milliseconds(1))
        // Still failing: one try, and another pause.
        workshop.clock.pass(.milliseconds(1))
        #expect(try await workshop.get("a").status == 500)
        #expect(try await resting(workshop) != nil)
        #expect(server.seen.count == 4)
        isWell.withLock { $0 = true }
        workshop.clock.pass(.seconds(10))
        #expect(try await workshop.get("a").status == 200)
        #expect(try await workshop.get("a").status == 200)
        #expect(workshop.told.all.last == "well")
        #expect(
            workshop.eventNames.filter { $0.hasPrefix("network.host") } == ["network.hostResting", "network.hostBack"]
        )
    }

    @Test("a request without remaining time makes no trial", .timeLimit(.minutes(1)))
    func noTimeLeft() async throws {
        let server = try ScriptedServer { number, _ in .text("x", number < 4 ? 500 : 200) }
        let workshop = try await Workshop(server.url, Self.section)
        for _ in 0..<3 { _ = try await workshop.get("a") }
        workshop.clock.pass(.seconds(10))
        let late = try await workshop.failure(of: Workshop.call(.get, "a") { $0.deadline = .zero })
        guard case .timeout = late.kind else {
            Issue.record("\(late)")
            return
        }
        #expect(server.seen.count == 3)
        #expect(try await workshop.get("a").status == 200)
    }

    @Test("during a trial other requests are rejected; a cancelled trial allows the next")
    func halfOpen() async throws {
        let barrier = OneShot()
        let server = try ScriptedServer { number, _ in
            if number == 4 { await barrier.wait() }
            return .text("x", number < 4 ? 500 : 200)
        }
        let workshop = try await Workshop(server.url, Self.section)
        for _ in 0..<3 { _ = try await workshop.get("a") }
        workshop.clock.pass(.seconds(10))
        let trial = Task { try await workshop.get("a") }
        #expect(await eventually { server.seen.count == 4 })
        #expect(try await resting(workshop)?.retryAfter == .seconds(1))
        trial.cancel()
        _ = try? await trial.value
        #expect(try await workshop.get("a").status == 200)
        barrier.fire()
    }

    @Test("non-consecutive failures, and client errors, do not count")
    func inARow() async throws {
        let server = try ScriptedServer { number, _ in .text("x", number % 3 == 0 ? 404 : 500) }
        let workshop = try await Workshop(server.url, Self.section)
        for _ in 0..<12 { _ = try await workshop.get("a") }
        #expect(server.seen.count == 12)
    }

    @Test("without a circuit every request is sent")
    func none() async throws {
        let server = try ScriptedServer { _, _ in .text("x", 500) }
        let workshop = try await Workshop(server.url)
        for _ in 0..<20 { _ = try await workshop.get("a") }
        #expect(server.seen.count == 20)
    }
}
