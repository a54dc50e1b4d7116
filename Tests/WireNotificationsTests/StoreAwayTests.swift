import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireSQLite
import WireStore
import Workbench

@testable import WireNotifications

@Suite("Notifications while the store is away")
struct StoreAwayTests {
    private static let show = "permission: granted\nhandlers: { show: { on: presentable, present: [list] } }"

    @Test(
        "a notification is shown once where the store fails while it is stored as shown",
        arguments: FailingShow.Step.allCases
    )
    func shownOnce(step: FailingShow.Step) async throws {
        let shared = try Workbench()
        let values = FailingShow(shared.store)
        let bench = try await NotificationBench(
            Self.show,
            group: DataStore(values: values, queue: shared.store)
        )
        try await bench.send(#"{"id":"1","title":"x"}"#)
        #expect(try await bench.done("1")["shown"]?.boolean == true)
        values.fail(at: step)
        // Another content of the same id.
        try await bench.send(#"{"id":"1","title":"y"}"#)
        let isDone = try await eventually {
            if bench.bench.clock.wakes(in: .seconds(1)) { bench.bench.clock.pass(.seconds(1)) }
            return try shared.store.counts(ofQueues: "notifications/").items == 0 && !bench.service.inbox.hasDoubts
        }
        #expect(isDone)
        #expect(values.hasFailed)
        #expect(await eventually { bench.events("shown").count == 2 })
        await bench.end()
        await shared.store.close()
    }

    @Test(
        "a notification that another runner takes over is shown by the runner that has stored it as shown",
        arguments: [FailingShow.Step.answer, .request]
    )
    func takenOver(step: FailingShow.Step) async throws {
        let time = StoreTime()
        let shared = try Workbench(storeClock: time.clock)
        let store = AwayStore(shared.store)
        let values = FailingShow(store) { store.isAway = true }
        let first = try await NotificationBench(Self.show, group: DataStore(values: values, queue: store))
        values.fail(at: step)
        try await first.send(#"{"id":"1","title":"x"}"#)
        #expect(await eventually { values.hasFailed })
        time.pass(NotificationEngine.lease)
        let group = DataStore(values: shared.store, queue: shared.store)
        let second = try await NotificationBench(Self.show, group: group)
        #expect(try await second.done("1")["shown"]?.boolean == true)
        store.isAway = false
        let isSettled = await eventually {
            if first.bench.clock.wakes(in: .seconds(1)) { first.bench.clock.pass(.seconds(1)) }
            return !first.service.inbox.hasDoubts
        }
        #expect(isSettled)
        let isStored = step == .answer
        #expect(await eventually { first.events("shown").count == (isStored ? 1 : 0) })
        #expect(second.events("shown").count == (isStored ? 0 : 1))
        for bench in [first, second] { await bench.end() }
        await shared.store.close()
    }

    @Test("the service is well again once the store is back, without another notification")
    func recovers() async throws {
        let shared = try Workbench()
        let store = AwayStore(shared.store)
        let bench = try await NotificationBench(Self.show, group: store.data)
        let id = try await bench.send(#"{"title":"x"}"#)
        _ = try await bench.done(id)
        store.isAway = true
        #expect(try await bench.ask(.get, "/v1/notifications").status == 503)
        // A read that began before may have succeeded since.
        #expect(bench.bench.told.all.contains { $0.hasPrefix("degraded") })
        store.isAway = false
        let isWell = await eventually {
            if bench.bench.clock.wakes(in: .seconds(1)) { bench.bench.clock.pass(.seconds(1)) }
            return bench.bench.told.all.last == "well"
        }
        #expect(isWell, "\(bench.bench.told.all)")
        await bench.end()
        await shared.store.close()
    }

    @Test(
        "the service is well again once the store can be written, without another notification",
        arguments: [StoreFailure.Kind.full, .readOnly, .busy]
    )
    func writable(kind: StoreFailure.Kind) async throws {
        let shared = try Workbench()
        let store = FailingWrites(shared.store)
        let bench = try await NotificationBench(
            Self.show,
            group: DataStore(values: store, queue: store)
        )
        let (told, clock) = (bench.bench.told, bench.bench.clock)
        store.kind = kind
        #expect(try await bench.ask(.post, "/v1/notifications", #"{"title":"x"}"#).status >= 500)
        let degraded = "degraded: notifications cannot be stored: refused"
        // A store that is busy for a moment is not told, and one that stays busy is.
        #expect(told.all == (kind == .busy ? [] : [degraded]))
        func passes(until isSo: () -> Bool) async -> Bool {
            await eventually {
                if clock.wakes(in: .seconds(5)) { clock.pass(.seconds(5)) }
                return isSo()
            }
        }
        #expect(await passes { store.probes > 0 && told.all == [degraded] })
        store.kind = nil
        #expect(await passes { told.all.last == "well" })
        #expect(told.all == [degraded, "well"])
        await bench.end()
        await shared.store.close()
    }
}

/// A store that refuses what is to be written while a test says so.
private final class FailingWrites: StoreAround, QueueAround {
    let store: any KeyValueStore
    let queue: any WorkQueue
    private let state = Mutex((kind: StoreFailure.Kind?.none, probes: 0))

    init(_ store: any KeyValueStore & WorkQueue) { (self.store, queue) = (store, store) }

    var kind: StoreFailure.Kind? {
        get { state.withLock(\.kind) }
        set { state.withLock { $0.kind = newValue } }
    }

    /// How often a value was refused.
    var probes: Int { state.withLock(\.probes) }

    private func check() throws(StoreFailure) {
        if let kind { throw StoreFailure(kind, "refused") }
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        state.withLock { if $0.kind != nil { $0.probes += 1 } }
        try check()
        return try await store.put(value, under: key, in: namespace, if: condition)
    }

    func add(_ item: NewWork, to queue: String, within quota: QueueQuota) async throws(StoreFailure) -> AddedWork {
        try check()
        return try await self.queue.add(item, to: queue, within: quota)
    }
}

/// A store that fails once while a notification is stored as shown.
final class FailingShow: StoreAround {
    enum Step: String, CaseIterable, Sendable {
        /// The write of the entry does not reach the store.
        case request
        /// The answer to the write of the entry is lost.
        case answer
        /// What follows the write of the entry fails.
        case replacing
    }

    let store: any KeyValueStore
    private let state = Mutex((step: Step?.none, hasFailed: false))
    private let failed: @Sendable () -> Void

    init(_ store: any KeyValueStore, failed: @escaping @Sendable () -> Void = {}) {
        (self.store, self.failed) = (store, failed)
    }

    func fail(at step: Step) { state.withLock { $0.step = step } }

    var hasFailed: Bool { state.withLock(\.hasFailed) }

    private func take(_ step: Step) throws(StoreFailure) {
        let fails = state.withLock { state in
            guard state.step == step else { return false }
            state = (nil, true)
            return true
        }
        guard fails else { return }
        failed()
        throw StoreFailure(.away, "the server cannot be reached")
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        if namespace.hasSuffix("/inbox") { try take(.request) }
        let receipt = try await store.put(value, under: key, in: namespace, if: condition)
        if namespace.hasSuffix("/inbox") { try take(.answer) }
        return receipt
    }

    func remove(_ key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> Bool
    {
        if namespace.hasSuffix("/inbox") { try take(.replacing) }
        return try await store.remove(key, in: namespace, if: condition)
    }
}
