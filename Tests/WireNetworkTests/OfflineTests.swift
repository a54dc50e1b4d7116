import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetwork
import WireNetworkContract

@Suite("Offline requests")
struct OfflineTests {
    private func isOffline(_ failure: CallFailure) -> Bool { if case .offline = failure.kind { true } else { false } }

    /// A host that no name server knows.
    private static let away = "https://nowhere.invalid"

    @Test("a request waits for the network within its timeout, and reports the wait")
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

    @Test("when the network returns, waiting requests are sent")
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

    @Test(
        "a streamed body waits before it is read, and not afterwards",
        .timeLimit(.minutes(1))
    )
    func streamed() async throws {
        let client = LostClient()
        let workshop = try await Workshop(Self.away, "{ timeout: 5s }", client: client)
        let call = { Workshop.call(.put, "a") { $0.body = .stream(length: nil, Whole([1])) } }
        let begun = Task { [call = call()] in try await workshop.failure(of: call) }
        #expect(await eventually { client.asked == 1 })
        workshop.links.become(false)
        #expect(await eventually { !workshop.service.connectivity.isOnline })
        client.barrier.fire()
        let lost = try await begun.value
        #expect(isOffline(lost) && lost.wasNotSent && lost.attempts == 0 && lost.waited == .zero)
        let waiting = Task { [call = call()] in try await workshop.failure(of: call) }
        #expect(await eventually { workshop.clock.sleepers >= 1 })
        #expect(client.asked == 1)
        workshop.clock.pass(.seconds(2))
        workshop.links.become(true)
        let tried = try await waiting.value
        #expect(!isOffline(tried) && tried.attempts == 1 && tried.waited == .seconds(2))
        #expect(client.asked == 2)
    }

    @Test("requests to this machine need no link")
    func loopback() async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop(server.url)
        workshop.links.become(false)
        var far = ServerCall(.get, .address(try Address(parsing: "\(Self.away)/a")), from: "test")
        far.waitsForNetwork = false
        let call = far
        #expect(try await eventually { isOffline(try await workshop.failure(of: call)) })
        #expect(try await workshop.get("a").status == 200)
        #expect(workshop.service.connectivity.isOnline)
        // Where the file names no server, requests go anywhere.
        let anywhere = try await Workshop(nil)
        anywhere.links.become(false)
        #expect(await eventually { !anywhere.service.connectivity.isOnline })
    }

    @Test("subscribers get each change once, in events and status")
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

    @Test("failed requests count as offline for a while, and a successful one ends it")
    func doubt() async throws {
        let workshop = try await Workshop(Self.away)
        // That another host cannot be reached says nothing about the network.
        let other = ServerCall(.get, .address(try Address(parsing: "https://elsewhere.invalid/a")), from: "test")
        for _ in 0..<3 { _ = try await workshop.failure(of: other) }
        #expect(workshop.service.connectivity.isOnline)
        for _ in 0..<2 { _ = try await workshop.failure(of: Workshop.call(.get, "a")) }
        #expect(workshop.service.connectivity.isOnline)
        _ = try await workshop.failure(of: Workshop.call(.get, "a"))
        #expect(!workshop.service.connectivity.isOnline)
        // It is no reason not to try.
        guard case .transfer = try await workshop.failure(of: Workshop.call(.get, "a")).kind else {
            Issue.record("not tried")
            return
        }
        #expect(await eventually { workshop.clock.sleepers == 1 })
        workshop.clock.pass(.milliseconds(14_999))
        #expect(workshop.clock.sleepers == 1 && !workshop.service.connectivity.isOnline)
        workshop.clock.pass(.milliseconds(1))
        #expect(await eventually { workshop.service.connectivity.isOnline })
        for _ in 0..<3 { _ = try await workshop.failure(of: Workshop.call(.get, "a")) }
        #expect(!workshop.service.connectivity.isOnline)
        let server = try ScriptedServer()
        let near = ServerCall(.get, .address(try Address(parsing: "\(server.url)/a")), from: "test")
        #expect(try await workshop.ask(near).status == 200)
        #expect(workshop.service.connectivity.isOnline)
    }
}

/// A way to servers that is lost before anything has left.
private final class LostClient: HTTPClient {
    /// What the first request waits for.
    let barrier = OneShot()
    private let count = Mutex(0)

    var asked: Int { count.withLock { $0 } }

    func send(_ request: OutgoingRequest) async throws(TransferFailure) -> IncomingResponse {
        count.withLock { $0 += 1 }
        await barrier.wait()
        throw TransferFailure(.unreachable, "there is no route", wasNotSent: true)
    }
}
