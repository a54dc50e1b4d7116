import WireBase
import WireConfig
import WireStore

/// What a HALO server keeps, in the store of the group: apart by app and environment, and sealed.
struct HaloRecords: Sendable {
    private let store: any KeyValueStore
    private let prefix: String

    enum Shelf: String, Sendable {
        case modules, instances, devices, users

        /// How many of them are kept.
        var limit: Int {
            switch self {
            case .modules: 1_000
            case .instances: 50_000
            case .devices, .users: 10_000
            }
        }
    }

    init(_ store: any KeyValueStore, app: String, environment: String) {
        self.store = store
        prefix = "corewire/backends/\(app)/\(environment)/halo/"
    }

    /// All of a shelf, in the order of their keys; what cannot be opened any more is left out.
    func all(on shelf: Shelf) throws(StoreFailure) -> [JSONValue] {
        var found: [JSONValue] = []
        var last: String?
        while true {
            let page = try store.list(prefix + shelf.rawValue, prefix: "", after: last, limit: 1_000)
            for summary in page {
                if let json = try find(summary.key, on: shelf) { found.append(json) }
            }
            guard let next = page.last?.key else { return found }
            last = next
        }
    }

    func find(_ id: String, on shelf: Shelf) throws(StoreFailure) -> JSONValue? {
        do throws(StoreFailure) {
            guard let entry = try store.entry(id, in: prefix + shelf.rawValue) else { return nil }
            return try? JSONValue(parsing: entry.bytes, named: "record")
        } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    /// Returns when it is durable.
    func put(_ json: JSONValue, _ id: String, on shelf: Shelf) async throws(StoreFailure) {
        let value = NewValue(
            Array(json.text().utf8),
            type: "application/json",
            isSealed: true,
            room: StoreRoom(entries: shelf.limit)
        )
        _ = try await store.put(value, under: id, in: prefix + shelf.rawValue, if: .always)
    }

    func remove(_ id: String, on shelf: Shelf) async throws(StoreFailure) {
        _ = try await store.remove(id, in: prefix + shelf.rawValue, if: .always)
    }
}
