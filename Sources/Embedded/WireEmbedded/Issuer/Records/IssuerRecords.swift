import WireBase
import WireHTTP
import WireService
import WireStore

/// The stored records of the issuer: sealed, and limited in number for each kind.
///
/// The issuer keeps no copy in memory, so that two issuers over one store, an earlier and the next, never disagree.
/// At the limit the oldest record is deleted.
struct IssuerRecords: Sendable {
    private let records: BackendRecords<Table>
    private let clock: TimeSource

    enum Table: String, RecordTable {
        case keys, sessions, grants, pending, revoked

        var path: String { "issuer/\(rawValue)" }

        var limit: Int {
            switch self {
            case .keys: 16
            case .sessions, .grants, .revoked: 10_000
            case .pending: 2_000
            }
        }

        var forgets: Bool { self != .keys }
    }

    init(_ store: any KeyValueStore, clock: TimeSource, app: String, environment: String) {
        records = BackendRecords(store, app: app, environment: environment)
        self.clock = clock
    }

    /// A record with the version that was read.
    struct Kept<Record: IssuerRecord>: Sendable {
        var record: Record
        let version: Int64
        /// The expiry in milliseconds since 1970.
        let ends: Int64
    }

    private func repository<Record>() -> Repository<ExpiringRecord<Record>> {
        records.repository(of: Record.table, beginning: Record.kind) { [clock] in .milliseconds($0.ends - clock.wall())
        }
    }

    /// Returns a record; nil where it is absent, expired, or cannot be read: its user signs in again.
    func find<Record: IssuerRecord>(_ id: String, _: Record.Type = Record.self) async throws(StoreFailure) -> Kept<
        Record
    >? {
        guard let stored = try await repository().readable(id) as Repository<ExpiringRecord<Record>>.Stored?,
            stored.record.ends > clock.wall()
        else { return nil }
        return Kept(record: stored.record.content, version: stored.version, ends: stored.record.ends)
    }

    /// Stores a record durably; returns false where the condition does not hold.
    @discardableResult
    func put<Record: IssuerRecord>(
        _ record: Record,
        _ id: String,
        until ends: Int64,
        if condition: StoreCondition = .always
    ) async throws(StoreFailure) -> Bool {
        guard ends > clock.wall() else { return true }
        let expiring = ExpiringRecord(content: record, ends: ends)
        return try await nilOnConflict { () async throws(StoreFailure) in
            try await repository().put(expiring, of: id, if: condition)
        } != nil
    }

    /// Changes a record, safe against concurrent changes; a new one expires at a time.
    func edit<Record: IssuerRecord>(
        _ id: String,
        newUntil ends: Int64,
        _ change: (inout Record?) -> Void
    ) async throws(StoreFailure) {
        let clock = clock
        try await repository().edit(id) { (stored: inout ExpiringRecord<Record>?) throws(StoreFailure) in
            let present = stored.flatMap { $0.ends > clock.wall() ? $0 : nil }
            var content = present?.content
            change(&content)
            stored = content.map { ExpiringRecord(content: $0, ends: present?.ends ?? ends) }
        }
    }

    /// Deletes a record; returns whether it was there and the condition held.
    @discardableResult
    func remove<Record: IssuerRecord>(_: Record.Type, _ id: String, if condition: StoreCondition = .always)
        async throws(StoreFailure) -> Bool
    {
        let records: Repository<ExpiringRecord<Record>> = repository()
        return try await nilOnConflict { () async throws(StoreFailure) in
            try await records.remove(id, if: condition)
        } ?? false
    }
}

/// A record of the issuer.
protocol IssuerRecord: JSONCodable {
    static var table: IssuerRecords.Table { get }
    /// The prefix of its keys.
    static var kind: String { get }
    /// The form in which it is stored, with its expiry.
    static var stored: JSONForm<ExpiringRecord<Self>> { get }
}

/// A record of the issuer as it is stored.
struct ExpiringRecord<Content: IssuerRecord>: JSONRecord {
    let content: Content
    /// The expiry in milliseconds since 1970.
    let ends: Int64

    static var form: JSONForm<Self> { Content.stored }
}

extension ExpiringRecord {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        ends = try members.required("ends", \.ends, "The expiry in milliseconds since 1970.")
        content = try members.required("is", \.content, "The record.")
    }
}
