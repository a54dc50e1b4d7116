import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetwork
import WireService

@Suite("Without a network")
struct OfflineTests {
    private func isOffline(_ failure: CallFailure) -> Bool { if case .offline = failure.kind { true } else { false } }

    /// A host that no name server knows.
    private static let away = "https://nowhere.invalid"

    @Test("a request waits for the network, no longer than it may, and says how long it waited")
    func waits() async throws {
        let workshop = try await Workshop(Self.away, "{ timeout: 5s }")
        workshop.links.become(false)
        #expect(await eventually { !workshop.service.connectivity.isOnline })
        let waiting = Task { try await workshop.failure(of: Workshop.call(.get, "a")) }
        #expect(await eventually { workshop.clock.sleepers >= 1 })
        workshop.clock.pass(.seconds(5))
        let failure = try await waiting.value
        #expect(isOffline(failure) && failure.waited == .seconds(5) && failure.wasNotSent && failure.attempts == 0)
        let hasty = try await workshop.failure(of: Workshop.call(.get, "a") { $0.waitsForNetwork = false })
        #expect(isOffline(hasty) && hasty.waited == .zero)
    }

    @Test("when the network is back, what waits is sent")
    func returns() async throws {
        let workshop = try await Workshop(Self.away, "{ timeout: 5s }")
        workshop.links.become(false)
        #expect(await eventually { !workshop.service.connectivity.isOnline })
        let waiting = Task { try await workshop.failure(of: Workshop.call(.get, "a")) }
        #expect(await eventually { workshop.clock.sleepers >= 1 })
        workshop.clock.pass(.seconds(2))
        workshop.links.become(true)
        let failure = try await waiting.value
        // It was tried then; that there is no such host is another matter.
        guard case .transfer(.unresolved) = failure.kind else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.attempts == 1 && failure.waited == .seconds(2))
    }

    @Test("what is on this machine needs no link")
    func loopback() async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop(server.url)
        workshop.links.become(false)
        #expect(try await workshop.get("a").status == 200)
        #expect(workshop.service.connectivity.isOnline)
    }

    @Test("who listens is told of each change once, and the events and the status have it")
    func told() async throws {
        let workshop = try await Workshop(Self.away)
        var changes = workshop.service.connectivity.changes().makeAsyncIterator()
        #expect(await changes.next() == true)
        workshop.links.become(false)
        #expect(await changes.next() == false)
        #expect(workshop.service.connectivity.obstacle == "no network interface is up and has an address")
        workshop.links.become(false)
        workshop.links.become(true)
        #expect(await changes.next() == true)
        // Those who listen are told first.
        #expect(await eventually { workshop.told.all.count == 2 && workshop.told.all[1] == "well" })
        #expect(await eventually { workshop.eventNames == ["network.offline", "network.online"] })
        #expect(workshop.told.all[0].hasPrefix("degraded: offline: no network interface"))
        await workshop.service.stop()
        #expect(await changes.next() == nil)
    }

    @Test("requests that get nowhere are a sign as well, for a while, and one that gets through ends it")
    func doubt() async throws {
        let workshop = try await Workshop(Self.away)
        for _ in 0..<2 { _ = try await workshop.failure(of: Workshop.call(.get, "a")) }
        #expect(workshop.service.connectivity.isOnline)
        _ = try await workshop.failure(of: Workshop.call(.get, "a"))
        #expect(!workshop.service.connectivity.isOnline)
        // It is no reason not to try.
        guard case .transfer = try await workshop.failure(of: Workshop.call(.get, "a")).kind else {
            Issue.record("not tried")
            return
        }
        #expect(await eventually { workshop.clock.sleepers > 0 })
        workshop.clock.pass(.seconds(15))
        #expect(await eventually { workshop.service.connectivity.isOnline })
    }
}
