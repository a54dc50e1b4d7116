import WireAuthContract
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireStore

/// The stored faults, which last until they are cleared and start again with the runner.
struct StoredFaults: Sendable {
    /// Serializes changes, so that store and memory agree.
    let turns = AsyncMutex()
    private let records: BackendRecords<FaultRecords>

    /// Opens the faults of an app; all of its environments share them.
    init(_ store: any KeyValueStore, app: String) {
        records = BackendRecords(store, app: app, environment: "all")
    }

    func keep(_ fault: OrderedFault) async throws(StoreFailure) {
        try await records.put(fault.kept, fault.id, on: .lasting)
    }

    /// Deletes a fault, or all of them; returns their number.
    func forget(_ id: String?) async throws(StoreFailure) -> Int {
        guard let id else { return try await records.clear(.lasting) }
        return try await records.remove(id, on: .lasting) ? 1 : 0
    }

    /// Returns the stored faults with their numbers, in the order in which they were started.
    func orders() async throws(StoreFailure) -> [(number: Int, order: BackendFaultOrder)] {
        var found: [(number: Int, order: BackendFaultOrder)] = []
        for key in try await records.keys(on: .lasting, limit: FaultInjector.limit) {
            guard let number = Int(key.dropFirst()), let json = try await records.find(key, on: .lasting),
                let order = try? BackendFaultOrder(parsing: json.bytes(), named: "fault", toleratesUnknown: true)
            else { continue }
            found.append((number, order))
        }
        return found.sorted { $0.number < $1.number }
    }
}

private enum FaultRecords: RecordTable {
    case lasting

    var path: String { "faults" }
    var limit: Int { FaultInjector.limit }
    var forgets: Bool { true }
}
