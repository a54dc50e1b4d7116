import WireBase
import WireStore

/// A change of one entry in a transaction of the writer.
struct EntryWrite {
    let namespace: String
    let key: String
    let now: Int64
    let history: Int

    /// The stored bytes of a value, with a checksum where they are not sealed.
    struct Kept: Sendable {
        let bytes: [UInt8]
        let sum: Int64?
    }

    private struct Present {
        let id: Int64
        let version: Int64
        let weight: Int64
        let isExpired: Bool
    }

    func put(
        _ value: NewValue,
        _ bytes: Kept,
        if condition: StoreCondition,
        into connection: inout Connection
    ) throws(StoreFailure) -> StoreReceipt {
        let present = try find(&connection)
        try condition.check(key, present?.isExpired == true ? nil : present?.version)
        let weight = Int64(key.utf8.count + value.bytes.count)
        let replaced = present.flatMap { $0.isExpired ? nil : $0 }
        let removed = try makeRoom(
            value.quota,
            for: Growth(weight: weight, replacing: replaced?.weight, row: present?.id),
            in: &connection
        )
        let version = try connection.record(.put, namespace, key, keeping: history)
        let expires = value.lifetime.map { now + $0.milliseconds }
        var row =
            try
            (present == nil
            ? connection.statement(
                """
                INSERT INTO entries(version, type, size, modified, expires, sealed, bytes, sum, namespace, key)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            )
            : connection.statement(
                """
                UPDATE entries SET version = ?, type = ?, size = ?, modified = ?, expires = ?, sealed = ?, bytes = ?, sum = ?
                WHERE id = ?
                """
            ))
        row.bind(version)
        row.bind(value.type)
        row.bind(value.bytes.count)
        row.bind(now)
        row.bind(expires)
        row.bind(value.isSealed)
        row.bind(bytes.bytes)
        row.bind(bytes.sum)
        // A key that is set again, even to what it is, costs a write of its index.
        if let present {
            row.bind(present.id)
        } else {
            row.bind(namespace)
            row.bind(key)
        }
        try row.run()
        try connection.grow(namespace, entries: present == nil ? 1 : 0, bytes: weight - (present?.weight ?? 0))
        let summary = StoredEntry.Summary(
            key: key,
            version: version,
            type: value.type,
            size: value.bytes.count,
            modified: now,
            expires: expires
        )
        return StoreReceipt(summary, isNew: replaced == nil, removed: removed)
    }

    func remove(if condition: StoreCondition, from connection: inout Connection) throws(StoreFailure) -> Bool {
        let present = try find(&connection)
        let isThere = present.map { !$0.isExpired } ?? false
        try condition.check(key, isThere ? present?.version : nil)
        guard let present, isThere else { return false }
        _ = try connection.record(.removed, namespace, key, keeping: history)
        var row = try connection.statement("DELETE FROM entries WHERE id = ?")
        row.bind(present.id)
        try row.run()
        try connection.grow(namespace, entries: -1, bytes: -present.weight)
        return true
    }

    private func find(_ connection: inout Connection) throws(StoreFailure) -> Present? {
        var row = try connection.statement(
            "SELECT id, version, size, expires FROM entries WHERE namespace = ? AND key = ?"
        )
        row.bind(namespace)
        row.bind(key)
        guard try row.step() else { return nil }
        return Present(
            id: row.integer(0),
            version: row.integer(1),
            weight: row.integer(2) + Int64(key.utf8.count),
            isExpired: row.optionalInteger(3).map { $0 <= now } ?? false
        )
    }
}
