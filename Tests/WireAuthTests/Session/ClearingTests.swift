import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireAuth

@Suite("Sessions are cleared")
struct SessionClearingTests {
    private static func counts(_ cleared: [Cleared]) -> [Int] { cleared.map(\.count) }

    /// Clears, after a dry run that tells the same of what is stored.
    private static func clear(_ bench: Bench, _ scope: ClearingScope) async throws -> [Cleared] {
        let (clearing, stores) = (AuthClearing(service: bench.service), bench.service.present.host.stores)
        let told = try await clearing.clear(scope, with: Eraser(stores, isDryRun: true))
        let cleared = try await clearing.clear(scope, with: Eraser(stores))
        #expect(told == Array(cleared.prefix(2)))
        return cleared
    }

    private static func keys(_ bench: Bench) throws -> [String] {
        try bench.store.sqlite.list(SessionRepository.namespace, prefix: "", after: nil, limit: 100).map(\.key)
    }

    @Test("whoever is signed in is signed out for all processes, and nothing tells that there was anybody")
    func user() async throws {
        let bench = try await Bench("\(Bench.usual)\nlock: { after: 5m, method: pin }")
        let other = try await Bench(Bench.usual, store: bench.store)
        try await bench.signIn()
        try await bench.service.lock(pin: Secret("1234"))
        await other.manager.reload()
        #expect(other.state() == "signedIn")
        #expect(try Self.keys(bench).count == 2)
        let cleared = try await Self.clear(bench, .user)
        #expect(Self.counts(cleared) == [1, 1, 0])
        #expect(bench.server.state.withLock { $0.revoked } == ["access-1"])
        #expect(try Self.keys(bench).isEmpty)
        #expect(bench.state() == "signedOut")
        await other.manager.reload()
        #expect(other.state() == "signedOut")
        // What was broken off is asked again, with nobody signed in.
        #expect(Self.counts(try await Self.clear(bench, .user)) == [0, 0, 0])
        try await bench.signIn()
        #expect(bench.state() == "signedIn")
    }

    @Test("what the server could not be told is counted, and nothing is kept to tell it with later")
    func untold() async throws {
        let bench = try await Bench()
        try await bench.signIn()
        let offline = SignInFailure(.offline, "no network")
        bench.server.state.withLock { $0.revocations = [.failure(offline), .failure(offline)] }
        #expect(try await bench.service.signOut().revocation == .pending)
        #expect(Self.counts(try await Self.clear(bench, .user)) == [0, 0, 1])
        #expect(try bench.store.sqlite.usage(ofQueue: bench.manager.repository.endings).entries == 0)
        try await bench.signIn()
        bench.server.state.withLock { $0.revocations = [.failure(offline)] }
        #expect(try await bench.service.signOut().revocation == .pending)
        // It is asked once more before it is forgotten.
        #expect(Self.counts(try await Self.clear(bench, .all)) == [0, 0, 0])
        #expect(bench.server.state.withLock { $0.revoked } == ["access-2"])
    }

    @Test("the environment alone that runs is cleared, unless all are")
    func environments() async throws {
        let bench = try await Bench()
        let other = try await Bench(store: bench.store, environment: "stage")
        try await bench.signIn()
        try await other.signIn()
        #expect(Self.counts(try await Self.clear(bench, .environment)) == [1, 0, 0])
        await other.manager.reload()
        #expect(other.state() == "signedIn")
        try await bench.signIn()
        #expect(Self.counts(try await Self.clear(bench, .all)) == [2, 0, 0])
        #expect(try Self.keys(bench).isEmpty)
        await other.manager.reload()
        #expect(other.state() == "signedOut")
    }

    @Test(
        "a session that is left on the machine since before the group shared it is cleared, also while the group's store is away",
        arguments: [ClearingScope.user, .environment, .all],
        [false, true]
    )
    func left(scope: ClearingScope, isAway: Bool) async throws {
        let former = try await Bench()
        try await former.signIn()
        let shared = try SharedStore()
        let group = AwayStore(shared.sqlite)
        let bench = try await Bench(store: former.store, group: group.data)
        try await bench.signIn()
        group.isAway = isAway
        let clearings = Clearings()
        clearings.join("auth", AuthClearing(service: bench.service), in: Registrations())
        let stores = bench.service.present.host.stores
        let told = await clearings.clear(scope, with: Eraser(stores), bench.clock.clockwork)
        #expect(told.map(\.service) == ["auth", "store"])
        #expect(told[0].removed?.first?.count == (isAway ? 1 : 2))
        let reason = "the data that the runners of the group share is left: the server cannot be reached"
        #expect(told.map(\.reason) == (isAway ? [reason, reason] : [nil, nil]))
        #expect(try Self.keys(bench).isEmpty)
        let kept = try shared.sqlite.list(SessionRepository.namespace, prefix: "", after: nil, limit: 100)
        #expect(kept.count == (isAway ? 1 : 0))
    }
}
