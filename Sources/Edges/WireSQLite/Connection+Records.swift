import WireBase
import WireStore

/// The state of a region of records during one transaction.
struct RecordShelf: Sendable {
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

    mutating func recordShelf(_ name: String) throws(StoreFailure) -> RecordShelf? {
        var row = try statement("SELECT id, bytes, last, removed, stuck FROM record_regions WHERE name = ?")
        row.bind(name)
        guard try row.step() else { return nil }
        return RecordShelf(
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
    mutating func recordShelf(making name: String) throws(StoreFailure) -> RecordShelf {
        let newest = try statement("SELECT last FROM record_regions WHERE name = ''").number() ?? 0
        if var shelf = try recordShelf(name) {
            shelf.newest = newest
            return shelf
        }
        var row = try statement(
            "INSERT INTO record_regions(name, bytes, last, removed) VALUES (?1, 0, ?2, ?2) RETURNING id"
        )
        row.bind(name)
        row.bind(newest)
        let id = try row.number() ?? 0
        return RecordShelf(id: id, name: name, bytes: 0, isNew: true, last: newest, removed: newest, newest: newest)
    }

    mutating func keep(_ shelf: RecordShelf) throws(StoreFailure) {
        var row = try statement("UPDATE record_regions SET bytes = ?, last = ?, removed = ?, stuck = ? WHERE id = ?")
        row.bind(shelf.bytes)
        row.bind(shelf.last)
        row.bind(shelf.removed)
        row.bind(shelf.stuck)
        row.bind(shelf.id)
        try row.run()
        try keep(newest: shelf.newest)
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

    /// Returns the bytes of a record; nil where its key is gone.
    mutating func record(_ key: String, on shelf: RecordShelf, _ sealer: any Sealer) throws(StoreFailure) -> [UInt8]? {
        var row = try statement("SELECT sealed, bytes FROM records WHERE region = ? AND key = ?")
        row.bind(shelf.id)
        row.bind(key)
        guard try row.step() else { return nil }
        return row.flag(0) ? try? sealer.open(row.bytes(1), for: shelf.place(of: key)) : row.bytes(1)
    }

    mutating func records(
        on shelf: RecordShelf,
        after key: String,
        limit: Int,
        _ sealer: any Sealer
    ) throws(StoreFailure) -> [String: [UInt8]] {
        var rows = try statement(
            "SELECT key, sealed, bytes FROM records WHERE region = ? AND key > ? ORDER BY key LIMIT ?"
        )
        rows.bind(shelf.id)
        rows.bind(key)
        rows.bind(max(0, limit))
        var (found, weight): ([String: [UInt8]], Int) = ([:], 0)
        while weight < 1 << 20, try rows.step() {
            let (key, bytes) = (rows.text(0), rows.bytes(2))
            weight += bytes.count
            found[key] = rows.flag(1) ? (try? sealer.open(bytes, for: shelf.place(of: key))) ?? [] : bytes
        }
        return found
    }

    /// Returns the records that decide a conditional edit.
    mutating func found(
        by edit: RecordEdit,
        on shelf: RecordShelf,
        _ sealer: any Sealer
    ) throws(StoreFailure) -> FoundRecords {
        var found = FoundRecords(position: shelf.last, clearing: try lastClearing())
        if shelf.isNew { return found }
        var keys = edit.keys
        if edit.known.position != shelf.last { keys += edit.known.keys }
        if edit.readsMarked {
            var rows = try statement("SELECT key FROM records WHERE region = ? AND marked")
            rows.bind(shelf.id)
            while try rows.step() {
                let key = rows.text(0)
                keys.append(key)
                if let successor = edit.successor(key), successor != key { keys.append(successor) }
            }
        }
        for key in keys where found.records[key] == nil { found.records[key] = try record(key, on: shelf, sealer) }
        return found
    }

    mutating func recordNews(
        on shelf: RecordShelf,
        after position: Int64,
        through end: Int64,
        limit: Int
    ) throws(StoreFailure) -> RecordChangeSet {
        let end = min(end, shelf.last)
        guard position < end else { return RecordChangeSet(keys: [], hasGap: position > shelf.last, position: end) }
        var rows = try statement(
            // The plus sign excludes the index of keys, which would scan the whole region.
            "SELECT key, position FROM records WHERE position > ? AND position <= ? AND +region = ? ORDER BY position LIMIT ?"
        )
        rows.bind(position)
        rows.bind(end)
        rows.bind(shelf.id)
        rows.bind(limit)
        var (keys, last): ([String], Int64) = ([], position)
        while try rows.step() {
            keys.append(rows.text(0))
            last = rows.integer(1)
        }
        return RecordChangeSet(
            keys: keys,
            hasGap: shelf.removed > position,
            position: keys.count == limit ? last : end
        )
    }

    // MARK: Writing

    /// Writes a record; returns whether it is new.
    ///
    /// Most records of an edit are alike, so one that is probably new is inserted without a read.
    mutating func put(
        _ put: RecordChanges.Put,
        on shelf: inout RecordShelf,
        _ sealer: (any Sealer)?,
        expectingNew: Bool
    ) throws(StoreFailure) -> Bool {
        let bytes = try sealer?.seal(put.bytes, for: shelf.place(of: put.key)) ?? put.bytes
        let weight = Int64(put.key.utf8.count + bytes.count + Self.recordOverhead)
        shelf.newest += 1
        shelf.last = shelf.newest
        shelf.bytes += weight
        let row = Row(put: put, bytes: bytes, weight: weight, isSealed: sealer != nil)
        if expectingNew, try insert(row, on: shelf) { return true }
        guard let former = try standing(put.key, on: shelf) else { return try insert(row, on: shelf) }
        shelf.bytes -= former.weight
        try replace(former.id, by: row, on: shelf)
        return false
    }

    private struct Row {
        let put: RecordChanges.Put
        let bytes: [UInt8]
        let weight: Int64
        let isSealed: Bool
    }

    /// Inserts a record; returns false where the key exists.
    private mutating func insert(_ row: Row, on shelf: RecordShelf) throws(StoreFailure) -> Bool {
        let before = changes
        var insertion = try statement(
            """
            INSERT INTO records(position, region, key, used, weight, sealed, marked, bytes)
            VALUES (?1, ?2, ?3, ?1, ?4, ?5, ?6, ?7) ON CONFLICT(region, key) DO NOTHING
            """
        )
        insertion.bind(shelf.newest)
        insertion.bind(shelf.id)
        insertion.bind(row.put.key)
        insertion.bind(row.weight)
        insertion.bind(row.isSealed)
        insertion.bind(row.put.isMarked)
        insertion.bind(row.bytes)
        try insertion.run()
        return changes != before
    }

    private mutating func replace(_ id: Int64, by row: Row, on shelf: RecordShelf) throws(StoreFailure) {
        var update = try statement(
            "UPDATE records SET position = ?1, used = ?1, weight = ?2, sealed = ?3, marked = ?4, bytes = ?5 WHERE id = ?6"
        )
        update.bind(shelf.newest)
        update.bind(row.weight)
        update.bind(row.isSealed)
        update.bind(row.put.isMarked)
        update.bind(row.bytes)
        update.bind(id)
        try update.run()
    }

    /// The approximate size of a row without key and bytes.
    private static let recordOverhead = 32

    private mutating func standing(_ key: String, on shelf: RecordShelf) throws(StoreFailure) -> (
        id: Int64, weight: Int64
    )? {
        var row = try statement("SELECT id, weight FROM records WHERE region = ? AND key = ?")
        row.bind(shelf.id)
        row.bind(key)
        return try row.step() ? (row.integer(0), row.integer(1)) : nil
    }

    mutating func removeRecord(_ key: String, on shelf: inout RecordShelf) throws(StoreFailure) {
        guard let former = try standing(key, on: shelf) else { return }
        try removeRecord(former.id)
        shelf.bytes -= former.weight
        shelf.newest += 1
        (shelf.last, shelf.removed) = (shelf.newest, shelf.newest)
    }

    private mutating func removeRecord(_ id: Int64) throws(StoreFailure) {
        var row = try statement("DELETE FROM records WHERE id = ?")
        row.bind(id)
        try row.run()
    }

    mutating func useRecord(_ key: String, on shelf: RecordShelf) throws(StoreFailure) {
        var row = try statement("UPDATE records SET used = ? WHERE region = ? AND key = ?")
        row.bind(shelf.newest)
        row.bind(shelf.id)
        row.bind(key)
        try row.run()
    }

    /// Deletes the least recently used records, down to nine tenths of the limit so that this is rarely needed.
    mutating func makeRoom(on shelf: inout RecordShelf, _ edit: RecordEdit) throws(StoreFailure) -> Int {
        guard shelf.bytes > Int64(edit.bound.bytes) else { return 0 }
        // If too much is pinned, the region is not scanned again until it has grown by a tenth of its limit.
        shelf.stuck = min(shelf.stuck, shelf.bytes)
        guard shelf.stuck == 0 || shelf.bytes > shelf.stuck + Int64(edit.bound.bytes / 10) else { return 0 }
        var (old, left): ([Int64], Int64) = ([], shelf.bytes)
        let (wanted, pinned) = (Int64(edit.bound.bytes / 10 * 9), edit.pinned())
        do {
            var rows = try statement(
                "SELECT id, weight, key FROM records WHERE region = ? ORDER BY used, position"
            )
            rows.bind(shelf.id)
            while left > wanted, try rows.step() {
                if !pinned.isEmpty, pinned.contains(rows.text(2)) { continue }
                old.append(rows.integer(0))
                left -= rows.integer(1)
            }
        }
        for id in old { try removeRecord(id) }
        shelf.bytes = left
        shelf.stuck = left > wanted ? left : 0
        return old.count
    }
}
