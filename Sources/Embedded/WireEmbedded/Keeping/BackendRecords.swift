import WireBase
import WireConfig
import WireStore

/// Where records of one kind stand, each under its key.
protocol RecordShelf: Sendable {
    /// The name of the shelf among those of all servers.
    var path: String { get }
    /// How many records are kept.
    var limit: Int { get }
    /// Whether the oldest make room; where not, there is no room for more.
    var forgets: Bool { get }
}

/// What a server keeps, in the store of the group: apart by app and environment, and sealed.
struct BackendRecords<Shelf: RecordShelf>: Sendable {
    private let store: any KeyValueStore
    private let prefix: String

    init(_ store: any KeyValueStore, app: String, environment: String) {
        self.store = store
        prefix = "corewire/backends/\(app)/\(environment)/"
    }

    // MARK: Reading

    func find(_ key: String, on shelf: Shelf) throws(StoreFailure) -> JSONValue? {
        do throws(StoreFailure) {
            guard let entry = try store.entry(key, in: prefix + shelf.path) else { return nil }
            return try? JSONValue(parsing: entry.bytes, named: "record", limits: .backendRecord)
        } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    /// The keys of a shelf after one, in their order.
    func keys(on shelf: Shelf, prefix start: String = "", after: String? = nil, limit: Int) throws(StoreFailure)
        -> [String]
    {
        try store.list(prefix + shelf.path, prefix: start, after: after, limit: limit).map(\.key)
    }

    /// Every record of a shelf in the order of the keys; what cannot be opened any more is left out.
    func each(
        on shelf: Shelf,
        prefix start: String = "",
        _ body: (_ key: String, _ json: JSONValue) throws -> Void
    ) throws {
        var last: String?
        repeat {
            let page = try page(of: shelf, start, after: last)
            for (key, json) in page.records { try body(key, json) }
            last = page.last
        } while last != nil
    }

    func all(on shelf: Shelf, prefix start: String = "") throws(StoreFailure) -> [JSONValue] {
        var found: [JSONValue] = []
        var last: String?
        repeat {
            let page = try page(of: shelf, start, after: last)
            found += page.records.map(\.json)
            last = page.last
        } while last != nil
        return found
    }

    /// Some records of a shelf, and the key after which there may be more.
    private func page(of shelf: Shelf, _ start: String, after: String?) throws(StoreFailure)
        -> (records: [(key: String, json: JSONValue)], last: String?)
    {
        let limit = 1_000
        let keys = try keys(on: shelf, prefix: start, after: after, limit: limit)
        var records: [(key: String, json: JSONValue)] = []
        for key in keys {
            if let json = try find(key, on: shelf) { records.append((key, json)) }
        }
        return (records, keys.count == limit ? keys.last : nil)
    }

    func count(on shelf: Shelf) throws(StoreFailure) -> Int {
        try store.usage(of: prefix + shelf.path).entries
    }

    // MARK: Writing

    /// Returns when it is durable, with how many of the oldest made room for it.
    @discardableResult
    func put(_ json: JSONValue, _ key: String, on shelf: Shelf, upTo limit: Int? = nil, lifetime: Duration? = nil)
        async throws(StoreFailure) -> Int
    {
        let value = NewValue(
            json.bytes(),
            type: "application/json",
            lifetime: lifetime,
            isSealed: true,
            room: StoreRoom(entries: limit ?? shelf.limit, removesOldest: shelf.forgets)
        )
        return try await store.put(value, under: key, in: prefix + shelf.path, if: .always).removed
    }

    @discardableResult
    func remove(_ key: String, on shelf: Shelf) async throws(StoreFailure) -> Bool {
        try await store.remove(key, in: prefix + shelf.path, if: .always)
    }

    /// Removes the records whose keys begin so; how many there were.
    @discardableResult
    func clear(_ shelf: Shelf, beginning: String = "") async throws(StoreFailure) -> Int {
        try await store.clear(prefix + shelf.path, keysBeginning: beginning)
    }
}

extension ReadingLimits {
    /// Larger than all that requests may bring.
    fileprivate static var backendRecord: ReadingLimits {
        var limits = ReadingLimits()
        (limits.depth, limits.scalarLength) = (256, .mebibytes(64))
        return limits
    }
}
