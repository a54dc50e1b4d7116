import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore

/// The place of records of one kind, each under its key.
protocol RecordTable: Sendable {
    /// The name of the table, unique among all servers.
    var path: String { get }
    /// The largest number of records.
    var limit: Int { get }
    /// Whether the oldest records are deleted at the limit; otherwise no more are accepted.
    var forgets: Bool { get }
}

/// The stored records of a server: separate by app and environment, and sealed.
struct BackendRecords<Table: RecordTable>: Sendable {
    private let store: any KeyValueStore
    private let prefix: String

    init(_ store: any KeyValueStore, app: String, environment: String) {
        self.store = store
        prefix = "corewire/backends/\(app)/\(environment)/"
    }

    /// The repository of a table's records whose keys have a prefix.
    func repository<Record: JSONCodable>(
        of table: Table,
        beginning start: String = "",
        upTo limit: Int? = nil,
        lifetime: @escaping @Sendable (Record) -> Duration? = { _ in nil }
    ) -> Repository<Record> {
        Repository(
            in: store,
            namespace: prefix + table.path,
            prefix: start,
            of: "record",
            isSealed: true,
            quota: StorageQuota(entries: limit ?? table.limit, removesOldest: table.forgets),
            lifetime: lifetime
        )
    }

    // MARK: Reading

    /// Returns a record; one that cannot be opened counts as absent.
    func find(_ key: String, on table: Table) async throws(StoreFailure) -> JSONValue? {
        try await repository(of: table).readable(key)?.record
    }

    /// Returns the keys of a table after one, in their order.
    func keys(on table: Table, prefix start: String = "", after: String? = nil, limit: Int) async throws(StoreFailure)
        -> [String]
    {
        try await store.list(prefix + table.path, prefix: start, after: after, limit: limit).map(\.key)
    }

    /// Returns what is known of all entries of a table without opening them, in the order of keys.
    func summaries(on table: Table) async throws(StoreFailure) -> [StoredEntry.Summary] {
        var found: [StoredEntry.Summary] = []
        while true {
            let page = try await store.list(prefix + table.path, prefix: "", after: found.last?.key, limit: 1_000)
            if page.isEmpty { return found }
            found += page
        }
    }

    /// Visits every record of a table in the order of keys; records that cannot be opened are left out.
    func each(
        on table: Table,
        prefix start: String = "",
        _ body: (_ key: String, _ json: JSONValue) throws -> Void
    ) async throws {
        let records: Repository<JSONValue> = repository(of: table, beginning: start)
        var last: String?
        while true {
            let page = try await records.list(after: last)
            for listed in page {
                if case .success(let stored) = listed.stored { try body(start + listed.name, stored.record) }
            }
            guard let end = page.last else { return }
            last = end.name
        }
    }

    func all(on table: Table, prefix start: String = "") async throws(StoreFailure) -> [JSONValue] {
        try await repository(of: table, beginning: start).all().map(\.record)
    }

    func count(on table: Table) async throws(StoreFailure) -> Int {
        try await store.usage(of: prefix + table.path).entries
    }

    // MARK: Writing

    /// Stores a record durably; returns how many of the oldest were deleted for it.
    @discardableResult
    func put(_ json: JSONValue, _ key: String, on table: Table, upTo limit: Int? = nil, lifetime: Duration? = nil)
        async throws(StoreFailure) -> Int
    {
        try await repository(of: table, upTo: limit) { _ in lifetime }.put(json, of: key, if: .always).removed
    }

    @discardableResult
    func remove(_ key: String, on table: Table) async throws(StoreFailure) -> Bool {
        try await store.remove(key, in: prefix + table.path, if: .always)
    }

    /// Deletes the records whose keys have a prefix; returns their number.
    @discardableResult
    func clear(_ table: Table, beginning: String = "") async throws(StoreFailure) -> Int {
        try await store.clear(prefix + table.path, keysBeginning: beginning)
    }
}
