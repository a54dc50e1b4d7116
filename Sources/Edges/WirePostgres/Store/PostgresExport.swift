import WireBase
package import WireStore

/// Reads all rows of a group in one snapshot, while runners work.
package final class PostgresExport: StoreExport {
    package let places: SealedPlaces
    package let version: Int64
    /// By which the group knows its sealing key.
    package let keyCheck: [UInt8]
    private let transaction: CopyTransaction
    private let group: Int32
    private var part = Part.entries([], [])

    private enum Part {
        /// After the namespace or queue, and the key, position or id.
        case entries([UInt8], [UInt8])
        case items([UInt8], Int64)
        case ended([UInt8], [UInt8])
        case pauses
        case end
    }

    /// Begins a snapshot; throws where there is no such group.
    package init(of group: String, in schema: String, _ client: PostgresClient, within limit: Duration)
        async throws(StoreFailure)
    {
        transaction = CopyTransaction(client, schema: schema)
        let rows = try await transaction.begin(
            "ISOLATION LEVEL REPEATABLE READ READ ONLY",
            "export_begin_1",
            [.name(group)],
            within: limit
        )
        guard let row = rows.first else {
            throw StoreFailure(
                .refused,
                "the database has no group '\(group)'",
                help: "start a runner of the group once"
            )
        }
        places = SealedPlaces(group: group)
        (self.group, keyCheck, version) = try storing { () throws(PostgresFailure) in
            (Int32(truncatingIfNeeded: try row.integer(0)), try row.bytes(1), try row.integer(2))
        }
    }

    package func next() async throws(StoreFailure) -> [StoreRow] {
        while true {
            var rows: [StoreRow] = []
            switch part {
            case .entries(let scope, let name):
                rows = try await page(
                    "export_entries_1",
                    [.bytea(scope), .bytea(name)],
                    StoreRow.Entry.init,
                    StoreRow.entry
                )
                part = .items([], 0)
                if case .entry(let last)? = rows.last {
                    part = .entries(Array(last.namespace.utf8), Array(last.key.utf8))
                }
            case .items(let scope, let position):
                rows = try await items(after: scope, position)
            case .ended(let scope, let name):
                rows = try await page(
                    "export_ended_1",
                    [.bytea(scope), .bytea(name)],
                    StoreRow.Ended.init,
                    StoreRow.ended
                )
                part = .pauses
                if case .ended(let last)? = rows.last { part = .ended(Array(last.queue.utf8), Array(last.id.utf8)) }
            case .pauses:
                rows = try await page("export_pauses_1", [], StoreRow.Pause.init, StoreRow.pause)
                part = .end
            case .end: return []
            }
            if !rows.isEmpty { return rows }
        }
    }

    package func close() async { await transaction.close() }

    private func items(after queue: [UInt8], _ position: Int64) async throws(StoreFailure) -> [StoreRow] {
        let found = try await transaction.rows(
            "export_items_1",
            [.int4(group), .bytea(queue), .int8(position)]
        )
        return try storing { () throws(PostgresFailure) in
            part = .ended([], [])
            if let last = found.last { part = .items(try last.bytes(0), try last.integer(1)) }
            return try found.map { (row) throws(PostgresFailure) in .item(try StoreRow.Item(row)) }
        }
    }

    private func page<Row>(
        _ name: StaticString,
        _ after: [PostgresParameter],
        _ read: (PostgresRow) throws(PostgresFailure) -> Row,
        _ wrap: (Row) -> StoreRow
    ) async throws(StoreFailure) -> [StoreRow] {
        let found = try await transaction.rows(name, [.int4(group)] + after)
        return try storing { () throws(PostgresFailure) in
            try found.map { (row) throws(PostgresFailure) in wrap(try read(row)) }
        }
    }
}

extension StoreRow.Entry {
    fileprivate init(_ row: PostgresRow) throws(PostgresFailure) {
        self.init()
        (namespace, key, version, type) = (try row.name(0), try row.name(1), try row.integer(2), try row.name(3))
        (size, modified, expires) = (try row.int(4), try row.integer(5), try row.optionalInteger(6))
        (isSealed, bytes) = (try row.bool(7), try row.bytes(8))
    }
}

extension StoreRow.Item {
    fileprivate init(_ row: PostgresRow) throws(PostgresFailure) {
        self.init()
        (queue, id, lane, kind) = (try row.name(0), try row.name(2), try row.name(3), try row.name(4))
        (added, due, attempts) = (try row.integer(5), try row.integer(6), try row.int(7))
        (reason, awaits) = (try row.optionalName(8), try row.optionalName(9))
        (size, isSealed, head, payload) = (try row.int(10), try row.bool(11), try row.bytes(12), try row.bytes(13))
    }
}

extension StoreRow.Ended {
    fileprivate init(_ row: PostgresRow) throws(PostgresFailure) {
        self.init()
        (queue, id, ended, until) = (try row.name(0), try row.name(1), try row.integer(2), try row.integer(3))
        (note, notedFor) = (try row.bytes(4), try row.optionalName(5))
    }
}

extension StoreRow.Pause {
    fileprivate init(_ row: PostgresRow) throws(PostgresFailure) {
        self.init()
        (queue, lane) = (try row.name(0), try row.name(1))
    }
}
