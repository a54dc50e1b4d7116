import Support
import Synchronization
import WireBase
import WireConfig
import WirePersistence
import WireService
import WireStore
import WireTelemetry
import Workbench

/// A section as a file has it.
enum File {
    static func rules(_ section: String, environment: String = "dev") throws -> PersistenceRules {
        let file = try SectionInFile<PersistenceSection>(section)
        return PersistenceRules(file.settings, environment: environment, places: Places(file.document))
    }
}

/// The service with a real store that can be made to fail.
final class Workshop: Sendable {
    let bench: Workbench
    let store: TroubledStore
    let service: PersistenceService

    init(_ section: String = "maxSize: 1MiB", group: DataStore? = nil) async throws {
        bench = try Workbench()
        store = TroubledStore(bench.store)
        let section = try SectionInFile<PersistenceSection>(section)
        service = try await PersistenceService.prepare(
            section.settings,
            in: bench.host(for: section, values: store, group: group)
        )
    }

    var clock: HandClock { bench.clock }
    var events: EventHub { bench.events }
    var told: Told { bench.told }
}

/// A store that fails as it is told to.
final class TroubledStore: StoreAround {
    let store: any KeyValueStore
    private let trouble = Mutex<StoreFailure?>(nil)
    private let attempts = Mutex(0)

    init(_ store: any KeyValueStore) { self.store = store }

    func fail(_ failure: StoreFailure?) { trouble.withLock { $0 = failure } }

    /// How often somebody tried to write.
    var writes: Int { attempts.withLock { $0 } }

    private func check() throws(StoreFailure) {
        if let failure = trouble.withLock({ $0 }) { throw failure }
    }

    private func checkWrite() throws(StoreFailure) {
        attempts.withLock { $0 += 1 }
        try check()
    }

    func scrub() async throws(StoreFailure) -> Scrubbed {
        try checkWrite()
        return try await store.scrub()
    }

    func reseal() async throws(StoreFailure) -> Resealed {
        try checkWrite()
        return try await store.reseal()
    }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        try checkWrite()
        return try await store.put(value, under: key, in: namespace, if: condition)
    }

    func remove(_ key: String, in namespace: String, if condition: StoreCondition) async throws(StoreFailure) -> Bool {
        try checkWrite()
        return try await store.remove(key, in: namespace, if: condition)
    }

    func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        try checkWrite()
        return try await store.clear(namespace)
    }
}
