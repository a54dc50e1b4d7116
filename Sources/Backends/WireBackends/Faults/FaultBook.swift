import WireConfig
import WireStore

/// The faults that last until they are cleared: they are on again when the runner starts again.
struct FaultBook: Sendable {
    private let records: BackendRecords<FaultShelf>

    /// The faults are those of the app in all of its environments, as the servers built in serve all alike.
    init(_ store: any KeyValueStore, app: String) {
        records = BackendRecords(store, app: app, environment: "all")
    }

    func keep(_ fault: OrderedFault) async throws(StoreFailure) {
        try await records.put(fault.kept, fault.id, on: .lasting)
    }

    /// Forgets a fault, or all of them.
    func forget(_ id: String?) async throws(StoreFailure) {
        if let id {
            try await records.remove(id, on: .lasting)
        } else {
            try await records.clear(.lasting)
        }
    }

    /// The faults that were kept, in the order in which they were asked for, by their numbers.
    func orders() throws(StoreFailure) -> [(number: Int, order: FaultOrder)] {
        var found: [(number: Int, order: FaultOrder)] = []
        for key in try records.keys(on: .lasting, limit: Trouble.limit) {
            guard let number = Int(key.dropFirst()), let json = try records.find(key, on: .lasting),
                let order = FaultOrder(kept: json)
            else { continue }
            found.append((number, order))
        }
        return found.sorted { $0.number < $1.number }
    }
}

private enum FaultShelf: RecordShelf {
    case lasting

    var path: String { "faults" }
    var limit: Int { Trouble.limit }
    var forgets: Bool { true }
}
