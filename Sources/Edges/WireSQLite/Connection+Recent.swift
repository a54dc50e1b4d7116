import WireBase
import WireStore

extension Connection {
    /// Returns the row of an entry, expired or not.
    mutating func row(_ key: String, in namespace: String) throws(StoreFailure) -> RecentEntries.Row? {
        var row = try statement(
            """
            SELECT key, version, type, size, modified, expires, sealed, bytes, sum FROM entries
            WHERE namespace = ? AND key = ?
            """
        )
        row.bind(namespace)
        row.bind(key)
        guard try row.step() else { return nil }
        let (summary, bytes) = (StoredEntry.Summary(row), row.bytes(7))
        if let sum = row.optionalInteger(8), sum != Self.sum(of: key, in: namespace, summary.type, bytes) {
            throw .damaged("the value under \(key.quoted) in '\(namespace)'")
        }
        return RecentEntries.Row(summary: summary, isSealed: row.flag(6), bytes: bytes)
    }

    /// Returns the checksum of an entry that is not sealed.
    static func sum(of key: String, in namespace: String, _ type: String, _ bytes: [UInt8]) -> Int64 {
        Checksum.of([SealedPart.entry.place(of: key, in: namespace), type], [bytes])
    }

    /// Returns the entries changed since a version, to be read in one transaction with the entry in question.
    mutating func recentChanges(since version: Int64) throws(StoreFailure) -> RecentEntries.RecentChanges {
        let newest = try newestVersion()
        if newest == version { return RecentEntries.RecentChanges(version: newest, places: []) }
        let oldest = try statement("SELECT min(version) FROM changes").number() ?? 0
        // A version that was never assigned belongs to another store.
        guard version >= oldest - 1, newest > version, newest - version <= Self.mostChanges else {
            return RecentEntries.RecentChanges(version: newest, places: nil)
        }
        var rows = try statement("SELECT namespace, key FROM changes WHERE version > ?")
        rows.bind(version)
        var places: [RecentEntries.Place] = []
        while try rows.step() { places.append(RecentEntries.Place(rows.text(1), in: rows.text(0))) }
        return RecentEntries.RecentChanges(version: newest, places: places)
    }

    private static var mostChanges: Int64 { 256 }
}
