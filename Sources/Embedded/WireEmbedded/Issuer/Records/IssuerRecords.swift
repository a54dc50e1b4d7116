import WireBase
import WireConfig
import WireStore

/// The stored records of the issuer: sealed, and limited in number for each kind.
///
/// The issuer keeps no copy in memory, so that two issuers over one store, an earlier and the next, never disagree.
/// At the limit the oldest record is deleted.
struct IssuerRecords: Sendable {
    private let store: any KeyValueStore
    private let clock: TimeSource
    /// The prefix of the namespaces: of this app in this environment.
    private let prefix: String

    enum Table: String, Sendable {
        case keys, sessions, grants, pending, revoked

        var limit: Int {
            switch self {
            case .keys: 16
            case .sessions, .grants, .revoked: 10_000
            case .pending: 2_000
            }
        }
    }

    init(_ store: any KeyValueStore, clock: TimeSource, app: String, environment: String) {
        self.store = store
        self.clock = clock
        prefix = "corewire/backends/\(app)/\(environment)/issuer/"
    }

    /// A record with the version that was read.
    struct Kept<Record: IssuerRecord>: Sendable {
        var record: Record
        let version: Int64
        /// The expiry in milliseconds since 1970.
        let ends: Int64
    }

    /// Returns a record; nil where it is absent or expired.
    func find<Record: IssuerRecord>(_ id: String, _: Record.Type = Record.self) throws(StoreFailure) -> Kept<Record>? {
        guard let entry = try entry(Record.kind + id, on: Record.table),
            let json = try? JSONValue(parsing: entry.bytes, named: "record"), let ends = json["ends"]?.integer,
            Int64(ends) > clock.wall(), let record = json["is"].flatMap(Record.init)
        else { return nil }
        return Kept(record: record, version: entry.summary.version, ends: Int64(ends))
    }

    /// A record sealed with a lost key counts as absent: its user signs in again.
    private func entry(_ key: String, on table: Table) throws(StoreFailure) -> StoredEntry? {
        do throws(StoreFailure) {
            return try store.entry(key, in: prefix + table.rawValue)
        } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    /// Stores a record durably; returns false where the condition does not hold.
    @discardableResult
    func put<Record: IssuerRecord>(
        _ record: Record,
        _ id: String,
        until ends: Int64,
        if condition: StoreCondition = .always
    ) async throws(StoreFailure) -> Bool {
        let rest = ends - clock.wall()
        guard rest > 0 else { return true }
        let json = JSONValue.members(["ends": .integer(Int(ends)), "is": record.json])
        let value = NewValue(
            json.bytes(),
            type: "application/json",
            lifetime: .milliseconds(rest),
            isSealed: true,
            quota: StorageQuota(entries: Record.table.limit, removesOldest: Record.table != .keys)
        )
        return try await nilOnConflict { () async throws(StoreFailure) in
            try await store.put(value, under: Record.kind + id, in: prefix + Record.table.rawValue, if: condition)
        } != nil
    }

    /// Deletes a record; returns whether it was there and the condition held.
    @discardableResult
    func remove<Record: IssuerRecord>(_: Record.Type, _ id: String, if condition: StoreCondition = .always)
        async throws(StoreFailure) -> Bool
    {
        try await nilOnConflict { () async throws(StoreFailure) in
            try await store.remove(Record.kind + id, in: prefix + Record.table.rawValue, if: condition)
        } ?? false
    }
}

/// A record of the issuer.
protocol IssuerRecord: Sendable {
    static var table: IssuerRecords.Table { get }
    /// The prefix of its keys.
    static var kind: String { get }
    init?(_ json: JSONValue)
    var json: JSONValue { get }
}
