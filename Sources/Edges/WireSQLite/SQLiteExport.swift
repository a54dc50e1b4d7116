import WireBase
package import WireStore

/// Reads all rows of a folder's store in one snapshot, whether a runner has the store open or not.
///
/// The log of the store grows until the snapshot is closed.
package final class SQLiteExport: StoreExport {
    package let places = SealedPlaces(group: nil)
    package let version: Int64
    private var connection: Connection
    private var part = Part.entries(after: .min)

    private enum Part {
        case entries(after: Int64)
        case items(after: Int64)
        case ended(after: Int64)
        case pauses
        case end
    }

    /// Begins a snapshot; throws where the folder has no store.
    package init(of folder: String) throws(StoreFailure) {
        let path = StoreInspection.path(in: folder)
        let limits = StoreLimits()
        guard var connection = try StoreInspection.open(in: folder, for: .reading, patience: limits.patience) else {
            throw StoreFailure(.refused, "there is no store in '\(folder)'")
        }
        let found = try Header(&connection).version
        guard found == Schema.state.version else {
            throw StoreFailure(
                .refused,
                "'\(path)' has version \(found), this program exports version \(Schema.state.version)",
                help: "start a runner of this program, which migrates the store"
            )
        }
        try connection.execute("PRAGMA query_only = ON; BEGIN")
        version = try connection.newestVersion()
        self.connection = connection
    }

    package func next() throws(StoreFailure) -> [StoreRow] {
        while true {
            var rows: [StoreRow] = []
            switch part {
            case .entries(let last):
                part = try entries(after: last, into: &rows).map { .entries(after: $0) } ?? .items(after: .min)
            case .items(let last):
                part = try items(after: last, into: &rows).map { .items(after: $0) } ?? .ended(after: .min)
            case .ended(let last): part = try ended(after: last, into: &rows).map { .ended(after: $0) } ?? .pauses
            case .pauses:
                try pauses(into: &rows)
                part = .end
            case .end: return []
            }
            if !rows.isEmpty { return rows }
        }
    }

    package func close() { connection.close() }

    // MARK: Parts

    /// Reads the next entries; returns the number of the last one, nil where there are none.
    private func entries(after last: Int64, into found: inout [StoreRow]) throws(StoreFailure) -> Int64? {
        var rows = try connection.statement(
            """
            SELECT id, namespace, key, version, type, size, modified, expires, sealed, bytes, sum FROM entries
            WHERE id > ? ORDER BY id
            """
        )
        rows.bind(last)
        return try read(&rows, into: &found) { row throws(StoreFailure) in
            var entry = StoreRow.Entry()
            (entry.namespace, entry.key) = (row.text(1), row.text(2))
            (entry.version, entry.type, entry.size) = (row.integer(3), row.text(4), Int(row.integer(5)))
            (entry.modified, entry.expires, entry.isSealed) = (row.integer(6), row.optionalInteger(7), row.flag(8))
            entry.bytes = row.bytes(9)
            if let sum = row.optionalInteger(10), sum != entry.sum {
                throw .damaged("the entry \(entry.key.quoted) of \(entry.namespace.quoted)")
            }
            return .entry(entry)
        }
    }

    /// What is claimed waits again, in its place, as after the end of its process.
    private func items(after last: Int64, into found: inout [StoreRow]) throws(StoreFailure) -> Int64? {
        var rows = try connection.statement(
            """
            SELECT position, queue, id, lane, kind, added, iif(owner IS NULL, due, added), attempts, reason,
                iif(owner IS NULL, awaits, NULL), size, sealed, head, payload, sum
            FROM work WHERE position > ? ORDER BY position
            """
        )
        rows.bind(last)
        return try read(&rows, into: &found) { row throws(StoreFailure) in
            var item = StoreRow.Item()
            (item.queue, item.id, item.lane, item.kind) = (row.text(1), row.text(2), row.text(3), row.text(4))
            (item.added, item.due, item.attempts) = (row.integer(5), row.integer(6), Int(row.integer(7)))
            (item.reason, item.awaits) = (row.optionalText(8), row.optionalText(9))
            (item.size, item.isSealed) = (Int(row.integer(10)), row.flag(11))
            (item.head, item.payload) = (row.bytes(12), row.bytes(13))
            if let sum = row.optionalInteger(14), sum != item.sum {
                throw .damaged("the item \(item.id.quoted) of the queue \(item.queue.quoted)")
            }
            return .item(item)
        }
    }

    private func ended(after last: Int64, into found: inout [StoreRow]) throws(StoreFailure) -> Int64? {
        var rows = try connection.statement(
            "SELECT number, queue, id, ended, until, note FROM done WHERE number > ? ORDER BY number"
        )
        rows.bind(last)
        return try read(&rows, into: &found) { row throws(StoreFailure) in
            var ended = StoreRow.Ended()
            (ended.queue, ended.id) = (row.text(1), row.text(2))
            (ended.ended, ended.until, ended.note) = (row.integer(3), row.integer(4), row.bytes(5))
            return .ended(ended)
        }
    }

    private func pauses(into found: inout [StoreRow]) throws(StoreFailure) {
        let rows = try connection.statement("SELECT queue, lane FROM pauses ORDER BY queue, lane")
        while try rows.step() {
            var pause = StoreRow.Pause()
            (pause.queue, pause.lane) = (rows.text(0), rows.text(1))
            found.append(.pause(pause))
        }
    }

    /// Reads rows until they are enough; returns the number in the first column of the last one.
    private func read(
        _ rows: inout Statement,
        into found: inout [StoreRow],
        _ row: (borrowing Statement) throws(StoreFailure) -> StoreRow
    ) throws(StoreFailure) -> Int64? {
        var (last, weight) = (nil as Int64?, 0)
        while found.count < StoreRow.most.count, weight < StoreRow.most.size.bytes, try rows.step() {
            let next = try row(rows)
            weight += next.weight
            found.append(next)
            last = rows.integer(0)
        }
        return last
    }
}

extension StoreRow.Entry {
    /// The checksum of its bytes, which sealed ones do not need.
    var sum: Int64? { isSealed ? nil : Connection.sum(of: key, in: namespace, type, bytes) }
}

extension StoreRow.Item {
    var sum: Int64? { isSealed ? nil : WorkQueueTable.sum(of: id, in: queue, head, payload) }
}
