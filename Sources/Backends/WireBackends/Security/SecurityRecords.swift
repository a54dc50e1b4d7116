import WireConfig
import WireStore

/// What the server of metrics and versions keeps, in the store of the group: apart by app and environment, and sealed.
struct SecurityRecords: Sendable {
    private let store: any KeyValueStore
    private let prefix: String

    enum Shelf: String, Sendable {
        /// Messages that came in, by their numbers.
        case metrics
        /// Apps by their ids, versions by app and name, devices by app and their own ids.
        case apps, versions, devices

        /// How many of them are kept.
        var limit: Int {
            switch self {
            case .metrics: 1_000
            case .apps: 100
            case .versions: 10_000
            case .devices: 50_000
            }
        }

        /// Whether the oldest make room; where not, there is no room for more.
        var forgets: Bool { self == .metrics || self == .devices }
    }

    init(_ store: any KeyValueStore, app: String, environment: String) {
        self.store = store
        prefix = "corewire/backends/\(app)/\(environment)/security/"
    }

    func find(_ key: String, on shelf: Shelf) throws(StoreFailure) -> JSONValue? {
        do throws(StoreFailure) {
            guard let entry = try store.entry(key, in: prefix + shelf.rawValue) else { return nil }
            return try? JSONValue(parsing: entry.bytes, named: "record")
        } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    func keys(on shelf: Shelf, prefix start: String = "", after: String? = nil, limit: Int) throws(StoreFailure)
        -> [String]
    {
        try store.list(prefix + shelf.rawValue, prefix: start, after: after, limit: limit).map(\.key)
    }

    /// Every record of a shelf whose key begins so; what cannot be opened any more is left out.
    func all(on shelf: Shelf, prefix start: String = "") throws(StoreFailure) -> [JSONValue] {
        var found: [JSONValue] = []
        for key in try keys(on: shelf, prefix: start, limit: shelf.limit) {
            if let json = try find(key, on: shelf) { found.append(json) }
        }
        return found
    }

    /// Returns when it is durable.
    func put(_ json: JSONValue, _ key: String, on shelf: Shelf) async throws(StoreFailure) {
        let value = NewValue(
            Array(json.text().utf8),
            type: "application/json",
            isSealed: true,
            room: StoreRoom(entries: shelf.limit, removesOldest: shelf.forgets)
        )
        _ = try await store.put(value, under: key, in: prefix + shelf.rawValue, if: .always)
    }

    @discardableResult
    func clear(_ shelf: Shelf, beginning: String = "") async throws(StoreFailure) -> Int {
        try await store.clear(prefix + shelf.rawValue, keysBeginning: beginning)
    }
}
