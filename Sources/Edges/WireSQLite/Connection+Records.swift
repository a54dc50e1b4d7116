import WireBase
import WireStore

/// The state of a region of records during one transaction.
struct RecordRegion: Sendable {
    let id: Int64
    let name: String
    var bytes: Int64
    /// The size after the last cleanup, where that could not reach the limit.
    var stuck: Int64 = 0
    /// Whether the region is new.
    var isNew = false
    /// The positions of the last change and the last deletion.
    var last, removed: Int64
    /// The last position assigned in any region.
    var newest: Int64

    func place(of key: String) -> String { "record \(name.utf8.count) \(name) \(key)" }
}

extension Connection {
    // MARK: Regions

    mutating func recordRegion(_ name: String) throws(StoreFailure) -> RecordRegion? {
        var row = try statement("SELECT id, bytes, last, removed, stuck FROM record_regions WHERE name = ?")
        row.bind(name)
        guard try row.step() else { return nil }
        return RecordRegion(
            id: row.integer(0),
            name: name,
            bytes: row.integer(1),
            stuck: row.integer(4),
            last: row.integer(2),
            removed: row.integer(3),
            newest: row.integer(2)
        )
    }

    /// Returns a region to change; a new one begins after all assigned positions.
    mutating func recordRegion(making name: String) throws(StoreFailure) -> RecordRegion {
        let newest = try statement("SELECT last FROM record_regions WHERE name = ''").number() ?? 0
        if var table = try recordRegion(name) {
            table.newest = newest
            return table
        }
        var row = try statement(
            "INSERT INTO record_regions(name, bytes, last, removed) VALUES (?1, 0, ?2, ?2) RETURNING id"
        )
        row.bind(name)
        row.bind(newest)
        let id = try row.number() ?? 0
        return RecordRegion(id: id, name: name, bytes: 0, isNew: true, last: newest, removed: newest, newest: newest)
    }

    mutating func keep(_ table: RecordRegion) throws(StoreFailure) {
        var row = try statement("UPDATE record_regions SET bytes = ?, last = ?, removed = ?, stuck = ? WHERE id = ?")
        row.bind(table.bytes)
        row.bind(table.last)
        row.bind(table.removed)
        row.bind(table.stuck)
        row.bind(table.id)
        try row.run()
        try keep(newest: table.newest)
    }

    /// Returns the position of the last deletion of regions.
    mutating func lastClearing() throws(StoreFailure) -> Int64 {
        try statement("SELECT removed FROM record_regions WHERE name = ''").number() ?? 0
    }

    private mutating func keep(newest: Int64) throws(StoreFailure) {
        var row = try statement("UPDATE record_regions SET last = ? WHERE name = ''")
        row.bind(newest)
        try row.run()
    }

    mutating func forgetRecords(ofRegionsBeginning prefix: String) throws(StoreFailure) -> Int {
        let before = changes
        var rows = try statement(
            """
            DELETE FROM records WHERE region IN (
                SELECT id FROM record_regions WHERE name != '' AND substr(name, 1, length(?1)) = ?1
            )
            """
        )
        rows.bind(prefix)
        try rows.run()
        let count = Int(changes - before)
        var names = try statement(
            "DELETE FROM record_regions WHERE name != '' AND substr(name, 1, length(?1)) = ?1"
        )
        names.bind(prefix)
        try names.run()
        let newest = try statement("SELECT last FROM record_regions WHERE name = ''").number() ?? 0
        try keep(newest: newest + 1)
        var clearing = try statement("UPDATE record_regions SET removed = ? WHERE name = ''")
        clearing.bind(newest + 1)
        try clearing.run()
        return count
    }

    // MARK: Reading

    mutating func recordCount(ofRegionsBeginning prefix: String) throws(StoreFailure) -> Int {
        var row = try statement(
            """
            SELECT count(*) FROM records WHERE region IN (
                SELECT id FROM record_regions WHERE name != '' AND substr(name, 1, length(?1)) = ?1
            )
            """
        )
        row.bind(prefix)
        return Int(try row.number() ?? 0)
    }

    /// Returns the bytes of a record; nil where its key is gone.
    mutating func record(_ key: String, on table: RecordRegion, _ sealer: any Sealer) throws(StoreFailure) -> [UInt8]? {
        var row = try statement("SELECT sealed, bytes FROM records WHERE region = ? AND key = ?")
        row.bind(table.id)
        row.bind(key)
        guard try row.step() else { return nil }
        return row.flag(0) ? try? sealer.open(row.bytes(1), for: table.place(of: key)) : row.bytes(1)
    }

    mutating func records(
        on table: RecordRegion,
        after key: String,
        limit: Int,
        _ sealer: any Sealer
    ) throws(StoreFailure) -> [String: [UInt8]] {
        var rows = try statement(
            "SELECT key, sealed, bytes FROM records WHERE region = ? AND key > ? ORDER BY key LIMIT ?"
        )
        rows.bind(table.id)
        rows.bind(key)
        rows.bind(max(0, limit))
        var (found, weight): ([String: [UInt8]], Int) = ([:], 0)
        while weight < 1 << 20, try rows.step() {
            let (key, bytes) = (rows.text(0), rows.bytes(2))
            weight += bytes.count
            found[key] = rows.flag(1) ? (try? sealer.open(bytes, for: table.place(of: key))) ?? [] : bytes
        }
        return found
    }

    /// Returns the records that decide a conditional edit.
    mutating func found(
        by edit: RecordEdit,
        on table: RecordRegion,
        _ sealer: any Sealer
    ) throws(StoreFailure) -> FoundRecords {
        var found = FoundRecords(position: table.last, clearing: try lastClearing())
        if table.isNew { return found }
        var keys = edit.keys
        if edit.known.position != table.last { keys += edit.known.keys }
        if edit.readsMarked {
            var rows = try statement("SELECT key FROM records WHERE region = ? AND marked")
            rows.bind(table.id)
            while try rows.step() {
                let key = rows.text(0)
                keys.append(key)
                if let successor = edit.successor(key), successor != key { keys.append(successor) }
            }
        }
        for key in keys where found.records[key] == nil { found.records[key] = try record(key, on: table, sealer) }
        return found
    }

    mutating func recordChanges(
        on table: RecordRegion,
        after position: Int64,
        through end: Int64,
        limit: Int
    ) throws(StoreFailure) -> RecordChangeSet {
        let end = min(end, table.last)
        guard position < end else { return RecordChangeSet(keys: [], hasGap: position > table.last, position: end) }
        var rows = try statement(
            // The plus sign excludes the index of keys, which would scan the whole region.
            "SELECT key, position FROM records WHERE position > ? AND position <= ? AND +region = ? ORDER BY position LIMIT ?"
        )
        rows.bind(position)
        rows.bind(end)
        rows.bind(table.id)
        rows.bind(limit)
        var (keys, last): ([String], Int64) = ([], position)
        while try rows.step() {
            keys.append(rows.text(0))
            last = rows.integer(1)
        }
        return RecordChangeSet(
            keys: keys,
            hasGap: table.removed > position,
            position: keys.count == limit ? last : end
        )
    }

    // MARK: Writing

    /// Writes a record; returns whether it is new.
    ///
    /// Most records of an edit are alike, so one that is probably new is inserted without a read.
    mutating func put(
        _ put: RecordChanges.Put,
        on table: inout RecordRegion,
        _ sealer: (any Sealer)?,
        expectingNew: Bool
    ) throws(StoreFailure) -> Bool {
        let bytes = try sealer?.seal(put.bytes, for: table.place(of: put.key)) ?? put.bytes
        let weight = Int64(put.key.utf8.count + bytes.count + Self.recordOverhead)
        table.newest += 1
        table.last = table.newest
        table.bytes += weight
        let row = Row(put: put, bytes: bytes, weight: weight, isSealed: sealer != nil)
        if expectingNew, try insert(row, on: table) { return true }
        guard let former = try fileCheck(put.key, on: table) else { return try insert(row, on: table) }
        table.bytes -= former.weight
        try replace(former.id, by: row, on: table)
        return false
    }

    private struct Row {
        let put: RecordChanges.Put
        let bytes: [UInt8]
        let weight: Int64
        let isSealed: Bool
    }

    /// Inserts a record; returns false where the key exists.
    private mutating func insert(_ row: Row, on table: RecordRegion) throws(StoreFailure) -> Bool {
        let before = changes
        var insertion = try statement(
            """
            INSERT INTO records(position, region, key, used, weight, sealed, marked, bytes)
            VALUES (?1, ?2, ?3, ?1, ?4, ?5, ?6, ?7) ON CONFLICT(region, key) DO NOTHING
            """
        )
        insertion.bind(table.newest)
        insertion.bind(table.id)
        insertion.bind(row.put.key)
        insertion.bind(row.weight)
        insertion.bind(row.isSealed)
        insertion.bind(row.put.isMarked)
        insertion.bind(row.bytes)
        try insertion.run()
        return changes != before
    }

    private mutating func replace(_ id: Int64, by row: Row, on table: RecordRegion) throws(StoreFailure) {
        var update = try statement(
            "UPDATE records SET position = ?1, used = ?1, weight = ?2, sealed = ?3, marked = ?4, bytes = ?5 WHERE id = ?6"
        )
        update.bind(table.newest)
        update.bind(row.weight)
        update.bind(row.isSealed)
        update.bind(row.put.isMarked)
        update.bind(row.bytes)
        update.bind(id)
        try update.run()
    }

    /// The approximate size of a row without key and bytes.
    private static let recordOverhead = 32

    private mutating func fileCheck(_ key: String, on table: RecordRegion) throws(StoreFailure) -> (
        id: Int64, weight: Int64
    )? {
        var row = try statement("SELECT id, weight FROM records WHERE region = ? AND key = ?")
        row.bind(table.id)
        row.bind(key)
        return try row.step() ? (row.integer(0), row.integer(1)) : nil
    }

    mutating func removeRecord(_ key: String, on table: inout RecordRegion) throws(StoreFailure) {
        guard let former = try fileCheck(key, on: table) else { return }
        try removeRecord(former.id)
        table.bytes -= former.weight
        table.newest += 1
        (table.last, table.removed) = (table.newest, table.newest)
    }

    private mutating func removeRecord(_ id: Int64) throws(StoreFailure) {
        var row = try statement("DELETE FROM records WHERE id = ?")
        row.bind(id)
        try row.run()
    }

    mutating func useRecord(_ key: String, on table: RecordRegion) throws(StoreFailure) {
        var row = try statement("UPDATE records SET used = ? WHERE region = ? AND key = ?")
        row.bind(table.newest)
        row.bind(table.id)
        row.bind(key)
        try row.run()
    }

    /// Deletes the least recently used records, down to nine tenths of the limit so that this is rarely needed.
    mutating func makeRoom(on table: inout RecordRegion, _ edit: RecordEdit) throws(StoreFailure) -> Int {
        guard table.bytes > Int64(edit.bound.bytes) else { return 0 }
        // If too much is pinned, the region is not scanned again until it has grown by a tenth of its limit.
        table.stuck = min(table.stuck, table.bytes)
        guard table.stuck == 0 || table.bytes > table.stuck + Int64(edit.bound.bytes / 10) else { return 0 }
        var (old, left): ([Int64], Int64) = ([], table.bytes)
        let (wanted, pinned) = (Int64(edit.bound.bytes / 10 * 9), edit.pinned())
        do {
            var rows = try statement(
                "SELECT id, weight, key FROM records WHERE region = ? ORDER BY used, position"
            )
            rows.bind(table.id)
            while left > wanted, try rows.step() {
                if !pinned.isEmpty, pinned.contains(rows.text(2)) { continue }
                old.append(rows.integer(0))
                left -= rows.integer(1)
            }
        }
        for id in old { try removeRecord(id) }
        table.bytes = left
        table.stuck = left > wanted ? left : 0
        return old.count
    }
}
