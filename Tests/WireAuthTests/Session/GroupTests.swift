import Support
import Synchronization
import Testing
import WireBase
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireAuth

@Suite("The session of a group of runners before the store notifies them", .timeLimit(.minutes(1)))
struct GroupTests {
    /// A runner that does not know yet that a user has signed in at another one.
    private func behind() async throws -> (first: Bench, second: Bench, values: SilentStore) {
        let group = try SharedStore()
        let first = try await Bench(
            clock: HandClock(boot: "a"),
            group: DataStore(values: group.sqlite, queue: group.sqlite)
        )
        let values = SilentStore(group)
        let second = try await Bench(
            clock: HandClock(boot: "b"),
            server: first.server,
            group: DataStore(values: values, queue: group.sqlite)
        )
        return (first, second, values)
    }

    /// The token, or why there is none.
    private func token(_ bench: Bench) async -> String {
        do throws(TokenRefusal) {
            return try await bench.service.token(TokenQuery()).value.reveal()
        } catch {
            return error.reason.rawValue
        }
    }

    @Test(
        "after a sign-in at one runner, another one knows the user at the next request",
        arguments: ["/v1/auth/token", "/v1/auth/user"]
    )
    func signedIn(path: String) async throws {
        let (first, second, values) = try await behind()
        let counter = try Counter(second)
        try await counter.serving {
            #expect(await eventually { values.waits > 0 })
            #expect(try await counter.ask("GET", path).status == 401)
            try await first.signIn()
            second.clock.pass(.seconds(1))
            #expect(try await counter.ask("GET", path).status == 200)
            #expect(second.eventNames == ["auth.signedIn"])
        }
    }

    @Test("a signed-out group is read once a second, however many requests there are")
    func rare() async throws {
        let (first, second, values) = try await behind()
        let release = OneShot()
        values.hold(until: release)
        let before = values.reads
        let requests = (0..<4).map { _ in Task { await token(second) } }
        #expect(await eventually { second.manager.storeReads.hasWaiting })
        release.fire()
        for request in requests { #expect(await request.value == "signedOut") }
        #expect(values.reads == before + 1)
        try await first.signIn()
        #expect(await token(second) == "signedOut")
        #expect(values.reads == before + 1)
        second.clock.pass(.seconds(1))
        #expect(await token(second) == "access-1")
        #expect(values.reads == before + 2)
    }

    @Test("where the database does not answer, a runner answers without it")
    func away() async throws {
        let (first, second, values) = try await behind()
        values.hold(until: OneShot())
        let request = Task { await token(second) }
        #expect(await eventually { second.clock.wakes(in: .seconds(1)) })
        second.clock.pass(.seconds(1))
        #expect(await request.value == "signedOut")
        let reads = values.reads
        second.clock.pass(.seconds(9))
        #expect(await token(second) == "signedOut")
        #expect(values.reads == reads)
        #expect(second.told.last == nil)
        values.hold(until: nil)
        try await first.signIn()
        second.clock.pass(.seconds(1))
        #expect(await token(second) == "access-1")
    }

    @Test("the store of one machine is not read for a request")
    func alone() async throws {
        let store = try SharedStore()
        let values = SilentStore(store)
        let bench = try await Bench(store: store, values: values)
        let reads = values.reads
        #expect(await token(bench) == "signedOut")
        #expect(values.reads == reads)
    }
}

/// A store whose notifications of changes do not arrive.
private final class SilentStore: StoreAround {
    /// Kept with its folder.
    private let shared: SharedStore
    var store: any KeyValueStore { shared.sqlite }
    private let state = Mutex((reads: 0, waits: 0, release: OneShot?.none))

    init(_ shared: SharedStore) { self.shared = shared }

    /// How often a session was read, and a change waited for.
    var reads: Int { state.withLock { $0.reads } }
    var waits: Int { state.withLock { $0.waits } }

    /// Holds reads of sessions.
    func hold(until release: OneShot?) { state.withLock { $0.release = release } }

    func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        state.withLock { $0.waits += 1 }
        await OneShot().wait()
        throw StoreFailure(.cancelled, "the wait for a change was cancelled")
    }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        guard key.hasSuffix("/session") else { return try await store.entry(key, in: namespace) }
        let release = state.withLock { state in
            state.reads += 1
            return state.release
        }
        await release?.wait()
        if Task.isCancelled { throw StoreFailure(.cancelled, "the read was cancelled") }
        return try await store.entry(key, in: namespace)
    }
}
