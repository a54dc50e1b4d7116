import Support
import Testing
import WireBase
import WireConfig
import WireMessageBus
import WireNetworkContract
import WirePushContract
import WireService
import Workbench

@testable import WireNotifications

@Suite("A change of the UnifiedPush distributor", .timeLimit(.minutes(2)))
struct DistributorChangeTests {
    private let daemon: BusDaemon
    private let accounts = HandAccounts("a")
    private let clock = HandClock()

    init() throws { daemon = try BusDaemon() }

    private func bench() async throws -> NotificationBench {
        try await NotificationBench(
            IntakeTests.note,
            clock: clock,
            offering: [
                Ability.messageBuses.offered(by: ScriptedDesktop.buses(daemon)),
                ServiceAbility.webPush.offered(by: accounts),
                ServiceAbility.serverRequests.offered(by: ScriptedRequests()),
            ]
        )
    }

    private func pass(_ seconds: Int) async {
        for _ in 0..<seconds {
            clock.pass(.seconds(1))
            for _ in 0..<20 { await breath() }
        }
    }

    /// Registers the channel at a distributor that has come.
    private func register(at distributor: ScriptedDistributor) async throws {
        await distributor.describe()
        let next = try #require(await distributor.next())
        #expect(next.what == "Register a")
        distributor.answer(next.call, "REGISTRATION_SUCCEEDED")
    }

    /// Replaces the distributor alpha by kde, and returns the former, which is on the bus again.
    private func change(_ bench: NotificationBench) async throws -> (former: ScriptedDistributor, ScriptedDistributor) {
        let first = try await ScriptedDistributor(on: daemon, as: "alpha")
        try await register(at: first)
        #expect(await first.open("a") == "")
        await first.end()
        #expect(await eventually { bench.bench.told.log.contains { $0.contains("has left the session bus") } })
        let former = try await ScriptedDistributor(on: daemon, as: "alpha")
        let present = try await ScriptedDistributor(on: daemon, as: "kde")
        await pass(2)
        try await register(at: present)
        return (former, present)
    }

    @Test("the former distributor may bring messages until the registration there has ended, and then none")
    func changed() async throws {
        let bench = try await bench()
        let (former, present) = try await change(bench)
        #expect(await former.send("a", "before") == "")
        #expect(await present.open("a", at: "kde") == "")
        #expect(accounts.channels.first?.distributor == "org.unifiedpush.Distributor.kde")
        #expect(await former.send("a", "on its way") == "")
        await pass(11)
        await former.describe()
        let end = try #require(await former.next())
        #expect(end.what == "Unregister a")
        former.answer(end.call)
        #expect(await former.send("a", "late") == "AccessDenied")
        #expect(await present.send("a", "new") == "")
        #expect(bench.events("received").count == 3)
        await bench.end()
    }

    @Test("a former distributor that was not there is told when it brings a message, once")
    func absent() async throws {
        let first = try await bench()
        let (former, present) = try await change(first)
        await former.end()
        #expect(await present.open("a", at: "kde") == "")
        await pass(11)
        #expect(await present.send("a", "new") == "")
        let late = try await ScriptedDistributor(on: daemon, as: "alpha")
        #expect(await late.send("a", "late") == "AccessDenied")
        await late.describe()
        let end = try #require(await late.next())
        #expect(end.what == "Unregister a")
        late.answer(end.call)
        #expect(await late.send("a", "later") == "AccessDenied")
        #expect(first.events("received").count == 1)
        await first.end()
    }

    @Test("a channel that ends before the new distributor has given an endpoint ends at both")
    func ended() async throws {
        let bench = try await bench()
        let (former, present) = try await change(bench)
        accounts.end("a")
        await former.describe()
        let there = try #require(await former.next())
        #expect(there.what == "Unregister a")
        former.answer(there.call)
        // Where the registration still counts as pending, its end is requested twice.
        let answering = Task {
            while let next = await present.next() {
                #expect(next.what == "Unregister a")
                present.answer(next.call)
            }
        }
        #expect(await eventually { accounts.channels.isEmpty })
        answering.cancel()
        await bench.end()
    }
}
