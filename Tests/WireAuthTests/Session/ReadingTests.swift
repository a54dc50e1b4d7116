import Support
import Synchronization
import Testing
import WireAuthContract
import WireBase
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireAuth

@Suite("Reading the session from a store that takes its time")
struct ReadingTests {
    /// Removes the session as the clearing of another process does.
    private func clear(_ bench: Bench) async throws {
        var erased = ErasedSessions()
        let eraser = Eraser(Stores(bench.store.sqlite)).of(.auth)
        try await bench.manager.repository.forget(with: eraser, &erased)
    }

    @Test("a sign-out of another process is noticed after a read that failed", .timeLimit(.minutes(1)))
    func retried() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        let other = try await Bench(store: store)
        try await bench.running {
            #expect(await eventually { values.count > 1 })
            values.fail("/session")
            _ = try await other.manager.signOut(.user)
            #expect(await eventually { values.failures > 0 })
            values.fail(nil)
            // Long before the tokens are due, which would have it read too.
            var passes = 0
            let isOut = await eventually {
                if passes < 10, bench.clock.wakes(in: .seconds(5)) {
                    passes += 1
                    bench.clock.pass(.seconds(5))
                }
                return bench.state() == "signedOut"
            }
            #expect(isOut)
        }
    }

    @Test("writes of other data do not make it read the session", .timeLimit(.minutes(1)))
    func undisturbed() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        let other = try await Bench(store: store)
        try await bench.running {
            #expect(await eventually { values.waits > 0 })
            let count = values.count
            for number in 0..<5 {
                let looks = values.looks
                let value = NewValue([UInt8(number)], type: "text/plain")
                _ = try await store.sqlite.put(value, under: "key", in: "other", if: .always)
                #expect(await eventually { values.looks > looks })
            }
            _ = try await other.manager.signOut(.user)
            #expect(await eventually { bench.state() == "signedOut" })
            #expect(values.count - count < 5)
        }
    }

    @Test("a locked session of another process gives no tokens while its lock cannot be read")
    func locked() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(LockTests.section, store: store, values: values)
        let other = try await Bench(LockTests.section, store: store)
        try await other.signIn()
        try await other.manager.lock(pin: "1234", QuickHashing())
        values.fail("/lock")
        #expect(await !bench.manager.reload())
        #expect(bench.state() == "signedOut")
        values.fail(nil)
        #expect(await bench.manager.reload())
        #expect(bench.state() == "locked")
    }

    @Test("a session that was cleared is not brought back by a read that began before")
    func lateSession() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        let release = OneShot()
        values.hold(0, until: release)
        let reload = Task { await bench.manager.reload() }
        #expect(await eventually { values.isHolding })
        try await clear(bench)
        #expect(await bench.manager.reload())
        #expect(bench.state() == "signedOut")
        release.fire()
        #expect(await reload.value)
        #expect(bench.state() == "signedOut")
    }

    @Test("a missing session is not taken for an answer where it cannot be read again")
    func cleared() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        try await clear(bench)
        values.fail("/session")
        await bench.manager.adopt(nil)
        #expect(bench.state() == "signedIn")
        values.fail(nil)
        await bench.manager.adopt(nil)
        #expect(bench.state() == "signedOut")
    }

    @Test("refreshed tokens are stored though the service is told to stop meanwhile", .timeLimit(.minutes(1)))
    func stopped() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        bench.clock.pass(.seconds(290))
        let (machine, release) = (OneShot(), OneShot())
        bench.server.script(.wait(machine))
        let run = Task { await bench.manager.keepRenewing() }
        let token = Task { try? await bench.service.token(TokenQuery(minimumLifetime: .seconds(200))) }
        #expect(await eventually { bench.server.state.withLock { $0.inFlight } == 1 })
        values.hold(0, until: release)
        machine.fire()
        #expect(await eventually { values.isHolding })
        run.cancel()
        release.fire()
        await run.value
        #expect(
            try await eventually { try await bench.manager.repository.session()?.record.session?.rotation == 2 }
        )
        token.cancel()
    }

    @Test("a lock is not undone by a read that began before it")
    func lateLock() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(LockTests.section, store: store, values: values)
        try await bench.signIn()
        let release = OneShot()
        values.hold(0, of: "/lock", until: release)
        let reload = Task { await bench.manager.reload() }
        #expect(await eventually { values.isHolding })
        try await bench.manager.lock(pin: "1234", QuickHashing())
        release.fire()
        #expect(await reload.value)
        #expect(bench.state() == "locked")
    }

    @Test("a sign-in is not undone by a read that began before it")
    func late() async throws {
        let store = try SharedStore()
        let values = SlowReads(store.sqlite)
        let bench = try await Bench(store: store, values: values)
        try await bench.signIn()
        try await clear(bench)
        let release = OneShot()
        values.hold(0, until: release)
        let reload = Task { await bench.manager.reload() }
        #expect(await eventually { values.isHolding })
        try await bench.signIn()
        release.fire()
        #expect(await reload.value)
        #expect(bench.state() == "signedIn")
    }
}

/// A store whose reads fail or wait, as a test says.
private final class SlowReads: StoreAround {
    private struct State {
        /// The end of the keys that cannot be read.
        var failing: String?
        /// How many of these reads pass before.
        var sparing = 0
        var (count, failures) = (0, 0)
        /// How often the history was read, and a change waited for.
        var (looks, waits) = (0, 0)
        /// How many reads of some keys pass before one is held.
        var passing: Int?
        var held = ""
        var release: OneShot?
        var isHolding = false
    }

    let store: any KeyValueStore
    private let state = Mutex(State())

    init(_ store: any KeyValueStore) { self.store = store }

    var count: Int { state.withLock { $0.count } }
    var failures: Int { state.withLock { $0.failures } }
    var looks: Int { state.withLock { $0.looks } }
    var waits: Int { state.withLock { $0.waits } }
    var isHolding: Bool { state.withLock { $0.isHolding } }

    func fail(_ keys: String?, after sparing: Int = 0) {
        state.withLock { ($0.failing, $0.sparing) = (keys, sparing) }
    }

    /// Holds what a read of a session, or of other keys, has found, after some reads that pass.
    func hold(_ passing: Int, of keys: String = "/session", until release: OneShot) {
        state.withLock { ($0.passing, $0.held, $0.release) = (passing, keys, release) }
    }

    func changes(after version: Int64, in namespace: String?, limit: Int) async throws(StoreFailure) -> StoreChanges {
        state.withLock { $0.looks += 1 }
        return try await store.changes(after: version, in: namespace, limit: limit)
    }

    func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        state.withLock { $0.waits += 1 }
        return try await store.changed(after: version)
    }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        let (fails, held) = state.withLock { state -> (Bool, OneShot?) in
            state.count += 1
            if let keys = state.failing, key.hasSuffix(keys) {
                state.sparing -= 1
                if state.sparing < 0 {
                    state.failures += 1
                    return (true, nil)
                }
            }
            guard let passing = state.passing, key.hasSuffix(state.held) else { return (false, nil) }
            state.passing = passing > 0 ? passing - 1 : nil
            return (false, passing == 0 ? state.release : nil)
        }
        if fails { throw StoreFailure(.away, "the server cannot be reached") }
        let found = try await store.entry(key, in: namespace)
        if let held {
            state.withLock { $0.isHolding = true }
            await held.waitIgnoringCancellation()
            if Task.isCancelled { throw StoreFailure(.cancelled, "the task was cancelled") }
        }
        return found
    }
}
