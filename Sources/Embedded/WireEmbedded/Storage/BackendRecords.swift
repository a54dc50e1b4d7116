import WireBase
import WireConfig
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

    // MARK: Reading

    func find(_ key: String, on table: Table) throws(StoreFailure) -> JSONValue? {
        do throws(StoreFailure) {
            guard let entry = try store.entry(key, in: prefix + table.path) else { return nil }
            return try? JSONValue(parsing: entry.bytes, named: "record", limits: .backendRecord)
        } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    /// Returns the keys of a table after one, in their order.
    func keys(on table: Table, prefix start: String = "", after: String? = nil, limit: Int) throws(StoreFailure)
        -> [String]
    {
        try store.list(prefix + table.path, prefix: start, after: after, limit: limit).map(\.key)
    }

    /// Visits every record of a table in the order of keys; records that cannot be opened are left out.
    func each(
        on table: Table,
        prefix start: String = "",
        _ body: (_ key: String, _ json: JSONValue) throws -> Void
    ) throws {
        var last: String?
        repeat {
            let page = try page(of: table, start, after: last)
            for (key, json) in page.records { try body(key, json) }
            last = page.last
        } while last != nil
    }

    func all(on table: Table, prefix start: String = "") throws(StoreFailure) -> [JSONValue] {
        var found: [JSONValue] = []
        var last: String?
        repeat {
            let page = try page(of: table, start, after: last)
            found += page.records.map(\.json)
            last = page.last
        } while last != nil
        return found
    }

    /// Returns some records of a table, and the key after which there may be more.
    private func page(of table: Table, _ start: String, after: String?) throws(StoreFailure)
        -> (records: [(key: String, json: JSONValue)], last: String?)
    {
        let limit = 1_000
        let keys = try keys(on: table, prefix: start, after: after, limit: limit)
        var records: [(key: String, json: JSONValue)] = []
        for key in keys {
            if let json = try find(key, on: table) { records.append((key, json)) }
        }
        return (records, keys.count == limit ? keys.last : nil)
    }

    func count(on table: Table) throws(StoreFailure) -> Int {
        try store.usage(of: prefix + table.path).entries
    }

    // MARK: Writing

    /// Stores a record durably; returns how many of the oldest were deleted for it.
    @discardableResult
    func put(_ json: JSONValue, _ key: String, on table: Table, upTo limit: Int? = nil, lifetime: Duration? = nil)
        async throws(StoreFailure) -> Int
    {
        let value = NewValue(
            json.bytes(),
            type: "application/json",
            lifetime: lifetime,
            isSealed: true,
            quota: StorageQuota(entries: limit ?? table.limit, removesOldest: table.forgets)
        )
        return try await store.put(value, under: key, in: prefix + table.path, if: .always).removed
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

extension ReadingLimits {
    /// Larger than any request may be.
    fileprivate static var backendRecord: ReadingLimits {
        var limits = ReadingLimits()
        (limits.depth, limits.scalarLength) = (256, .mebibytes(64))
        return limits
    }
}
