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
            try shared.store.counts(ofQueues: "notifications/").items == 0
        }
        #expect(isDone)
        #expect(values.hasFailed)
        #expect(bench.events("shown").count == 2)
        await bench.end()
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
        #expect(bench.bench.told.all.last?.hasPrefix("degraded") == true)
        store.isAway = false
        let isWell = await eventually {
            if bench.bench.clock.wakes(in: .seconds(1)) { bench.bench.clock.pass(.seconds(1)) }
            return bench.bench.told.all.last == "well"
        }
        #expect(isWell, "\(bench.bench.told.all)")
        await bench.end()
        await shared.store.close()
    }
}

/// A store that fails once while a notification is stored as shown.
final class FailingShow: StoreAround {
    enum Step: String, CaseIterable, Sendable {
        /// The answer to the write of the entry is lost.
        case answer
        /// What follows the write of the entry fails.
        case replacing
    }

    let store: any KeyValueStore
    private let state = Mutex((step: Step?.none, hasFailed: false))

    init(_ store: any KeyValueStore) { self.store = store }

    func fail(at step: Step) { state.withLock { $0.step = step } }

    var hasFailed: Bool { state.withLock(\.hasFailed) }

    private func take(_ step: Step) throws(StoreFailure) {
        let fails = state.withLock { state in
            guard state.step == step else { return false }
            state = (nil, true)
            return true
        }
        if fails { throw StoreFailure(.away, "the server cannot be reached") }
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
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
