import WireBase
import WireConfig
import WireStore

/// What the issuer must not forget: each kind on a shelf of its own, sealed, and limited in number.
///
/// Nothing is kept in memory beside it, so that two issuers over one store, an old one and the one that follows it, never
/// disagree. Where a limit is reached, what was written longest ago goes.
struct IssuerRecords: Sendable {
    private let store: any KeyValueStore
    private let clock: Clockwork
    /// What namespaces begin with: of this app in this environment.
    private let prefix: String

    enum Shelf: String, Sendable {
        case keys, sessions, grants, pending, revoked

        var limit: Int {
            switch self {
            case .keys: 16
            case .sessions, .grants, .revoked: 10_000
            case .pending: 2_000
            }
        }
    }

    init(_ store: any KeyValueStore, clock: Clockwork, app: String, environment: String) {
        self.store = store
        self.clock = clock
        prefix = "corewire/backends/\(app)/\(environment)/issuer/"
    }

    /// A record with the version it was read in.
    struct Kept<Record: IssuerRecord>: Sendable {
        var record: Record
        let version: Int64
        /// Milliseconds since 1970.
        let ends: Int64
    }

    /// Nil where there is none, or it has ended.
    func find<Record: IssuerRecord>(_ id: String, _: Record.Type = Record.self) throws(StoreFailure) -> Kept<Record>? {
        guard let entry = try entry(Record.kind + id, on: Record.shelf),
            let json = try? JSONValue(parsing: entry.bytes, named: "record"), let ends = json["ends"]?.integer,
            Int64(ends) > clock.wall(), let record = json["is"].flatMap(Record.init)
        else { return nil }
        return Kept(record: record, version: entry.summary.version, ends: Int64(ends))
    }

    /// What was sealed with a key that is gone is as good as gone: whoever it was about signs in anew.
    private func entry(_ key: String, on shelf: Shelf) throws(StoreFailure) -> StoredEntry? {
        do throws(StoreFailure) {
            return try store.entry(key, in: prefix + shelf.rawValue)
        } catch {
            if error.kind == .sealed { return nil }
            throw error
        }
    }

    /// Returns when it is durable; false where the condition does not hold.
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
            room: StoreRoom(entries: Record.shelf.limit, removesOldest: Record.shelf != .keys)
        )
        return try await nilOnConflict { () async throws(StoreFailure) in
            try await store.put(value, under: Record.kind + id, in: prefix + Record.shelf.rawValue, if: condition)
        } != nil
    }

    /// Whether it was there as the condition asks.
    @discardableResult
    func remove<Record: IssuerRecord>(_: Record.Type, _ id: String, if condition: StoreCondition = .always)
        async throws(StoreFailure) -> Bool
    {
        try await nilOnConflict { () async throws(StoreFailure) in
            try await store.remove(Record.kind + id, in: prefix + Record.shelf.rawValue, if: condition)
        } ?? false
    }
}

/// Something the issuer keeps.
protocol IssuerRecord: Sendable {
    static var shelf: IssuerRecords.Shelf { get }
    /// What its keys begin with.
    static var kind: String { get }
    init?(_ json: JSONValue)
    var json: JSONValue { get }
}
