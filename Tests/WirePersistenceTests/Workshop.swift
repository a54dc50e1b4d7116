import CorewireFile
import Foundation
import Support
import Synchronization
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WirePersistence
import WireService
import WireSQLite
import WireStore
import WireTelemetry

/// A section as a file has it.
enum File {
    struct Unread: Error {}

    static func read(_ section: String) throws -> (settings: PersistenceSection, document: Document) {
        let indented = section.split(separator: "\n").map { "  \($0)\n" }.joined()
        let text = "version: 1\napp: { id: com.example.tasks }\npersistence:\n\(indented)"
        let validation = Validation(bytes: Array(text.utf8), name: "file.yaml")
        guard let settings = validation.environment(nil)?.configuration[PersistenceSection.self],
            let document = validation.file?.document
        else { throw Unread() }
        return (settings, document)
    }

    static func rules(_ section: String, environment: String = "dev") throws -> PersistenceRules {
        PersistenceRules(try read(section).settings, environment: environment)
    }
}

/// The service with a real store, a clock moved by hand, and a record of what it tells.
final class Workshop: Sendable {
    let clock = HandClock()
    let events: EventHub
    let store: TroubledStore
    let service: PersistenceService
    let told = Told()
    private let folder: TemporaryFolder

    init(_ section: String = "maxSize: 1MiB") async throws {
        folder = try TemporaryFolder()
        let key = try SealingKey(Secret([UInt8](repeating: 1, count: SealingKey.size)))
        let sqlite = try SQLiteStore.open(folder: folder.url.path, sealer: KeySealer(key, former: []))
        store = TroubledStore(sqlite)
        let (settings, document) = try File.read(section)
        events = EventHub(keeping: 100, clock: clock.clockwork)
        let told = told
        let host = ServiceHost(
            service: "persistence",
            generation: 1,
            facts: EnvironmentFacts(),
            app: nil,
            log: Log("persistence", to: Silence()),
            events: events,
            metrics: Metrics(),
            stores: Stores(values: store, queue: sqlite, cache: sqlite),
            clock: clock.clockwork,
            places: Places(document),
            folder: folder.url.path,
            offered: [:],
            report: { told.add($0) }
        )
        service = try await PersistenceService.prepare(settings, in: host)
    }

    private struct Silence: LogSink {
        func write(_ record: LogRecord) {}
    }
}

/// What a service says of itself, in its order.
final class Told: Sendable {
    private let reports = Mutex<[String]>([])

    func add(_ report: ServiceReport) {
        let text =
            switch report {
            case .well: "well"
            case .degraded(let fault): "degraded: \(fault.reason)"
            case .failed(let fault): "failed: \(fault.reason)"
            case .inert(let reason): "inert: \(reason)"
            }
        reports.withLock { $0.append(text) }
    }

    var all: [String] { reports.withLock { $0 } }
}

/// A store that fails as it is told to.
final class TroubledStore: KeyValueStore {
    private let store: any KeyValueStore
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

    func entry(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry? {
        try store.entry(key, in: namespace)
    }

    func summary(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry.Summary? {
        try store.summary(key, in: namespace)
    }

    func reseal() async throws(StoreFailure) -> Resealed {
        try checkWrite()
        return try await store.reseal()
    }

    func list(_ namespace: String, prefix: String, after: String?, limit: Int) throws(StoreFailure)
        -> [StoredEntry.Summary]
    {
        try store.list(namespace, prefix: prefix, after: after, limit: limit)
    }

    func usage(of namespace: String) throws(StoreFailure) -> StoreUsage { try store.usage(of: namespace) }
    func namespaces() throws(StoreFailure) -> [String] { try store.namespaces() }

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

    func changes(after version: Int64, in namespace: String?, limit: Int) throws(StoreFailure) -> StoreChanges {
        try store.changes(after: version, in: namespace, limit: limit)
    }

    func changed(after version: Int64) async throws(StoreFailure) -> Int64 { try await store.changed(after: version) }
}

/// Returns when something has become so; a test that fails ends as well.
func eventually(_ isSo: () -> Bool) async -> Bool {
    for _ in 0..<1_000_000 {
        if isSo() { return true }
        await Task.yield()
    }
    return false
}
