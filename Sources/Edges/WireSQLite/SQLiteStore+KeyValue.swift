import WireBase
package import WireStore

extension SQLiteStore {
    package func entry(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry? {
        guard let row = try row(key, in: namespace) else { return nil }
        guard row.isSealed else { return StoredEntry(summary: row.summary, bytes: row.bytes) }
        do throws(StoreFailure) {
            let bytes = try sealer.open(row.bytes, for: SealedPart.entry.place(of: key, in: namespace))
            return StoredEntry(summary: row.summary, bytes: bytes)
        } catch {
            throw state.writer.report(error)
        }
    }

    package func summary(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry.Summary? {
        try row(key, in: namespace)?.summary
    }

    private func row(_ key: String, in namespace: String) throws(StoreFailure) -> RecentEntries.Row? {
        try state.writer.verdict.checkReading()
        let place = RecentEntries.Place(key, in: namespace)
        let row: RecentEntries.Row? =
            switch recent.lookUp(for: place) {
            case .found(let row): row
            case .ask(let moment): try read(key, in: namespace, place, at: moment)
            }
        return row.flatMap { row in row.summary.expires.map { $0 > clock.now() } ?? true ? row : nil }
    }

    /// Reads an entry from the file, with the changes since the last read.
    private func read(
        _ key: String,
        in namespace: String,
        _ place: RecentEntries.Place,
        at moment: RecentEntries.Moment?
    ) throws(StoreFailure) -> RecentEntries.Row? {
        guard let version = moment?.version else {
            let row = try state.read { connection throws(StoreFailure) in try connection.row(key, in: namespace) }
            if let moment { recent.insert(nil, row, at: place, since: moment) }
            return row
        }
        let (recentChanges, row) = try state.snapshot { connection throws(StoreFailure) in
            (try connection.recentChanges(since: version), try connection.row(key, in: namespace))
        }
        if let moment { recent.insert(recentChanges, row, at: place, since: moment) }
        return row
    }

    /// The usage of the entries in memory.
    package var recentUsage: StoreUsage { recent.usage }

    package func list(
        _ namespace: String,
        prefix: String,
        after: String?,
        limit: Int
    ) throws(StoreFailure) -> [StoredEntry.Summary] {
        let now = clock.now()
        return try state.read { connection throws(StoreFailure) in
            var rows = try connection.statement(
                """
                SELECT key, version, type, size, modified, expires FROM entries
                WHERE namespace = ?1 AND key >= ?2 AND (?3 IS NULL OR key < ?3) AND (?4 IS NULL OR key > ?4)
                AND (expires IS NULL OR expires > ?5)
                ORDER BY key LIMIT ?6
                """
            )
            rows.bind(namespace)
            // Past the prefix the search begins after the key.
            rows.bind(textBytes: max(Array(prefix.utf8), Array((after ?? "").utf8)))
            rows.bind(textBytes: end(of: prefix))
            rows.bind(after)
            rows.bind(now)
            rows.bind(max(0, limit))
            var found: [StoredEntry.Summary] = []
            while try rows.step() { found.append(StoredEntry.Summary(rows)) }
            return found
        }
    }

    package func usage(of namespace: String) throws(StoreFailure) -> StoreUsage {
        let now = clock.now()
        return try state.snapshot { connection throws(StoreFailure) in
            let held = try connection.usage(of: namespace)
            let gone = try connection.expired(in: namespace, at: now)
            return StoreUsage(entries: Int(held.entries - gone.entries), size: .bytes(Int(held.bytes - gone.bytes)))
        }
    }

    package func namespaces() throws(StoreFailure) -> [String] {
        let now = clock.now()
        return try state.read { connection throws(StoreFailure) in
            var rows = try connection.statement(
                """
                SELECT namespace FROM usage WHERE namespace <> '' AND EXISTS (
                    SELECT 1 FROM entries
                    WHERE entries.namespace = usage.namespace AND (expires IS NULL OR expires > ?)
                ) ORDER BY namespace
                """
            )
            rows.bind(now)
            var found: [String] = []
            while try rows.step() { found.append(rows.text(0)) }
            return found
        }
    }

    package func put(
        _ value: NewValue,
        under key: String,
        in namespace: String,
        if condition: StoreCondition
    ) async throws(StoreFailure) -> StoreReceipt {
        try limits.check(name: namespace, "namespace")
        try limits.check(key: key, "key")
        try limits.check(size: value.bytes.count, "value")
        // Sealed before it is queued, since all writes share the writer's thread.
        let bytes =
            value.isSealed
            ? EntryWrite.Kept(
                bytes: try sealer.seal(value.bytes, for: SealedPart.entry.place(of: key, in: namespace)),
                sum: nil
            )
            : EntryWrite.Kept(bytes: value.bytes, sum: Connection.sum(of: key, in: namespace, value.type, value.bytes))
        let clock = clock
        let history = limits.history
        let receipt = try await state.writer.write(of: .entries, isConfirmed: value.isDurable) {
            connection throws(StoreFailure) in
            let entry = EntryWrite(namespace: namespace, key: key, now: clock.now(), history: history)
            return try entry.put(value, bytes, if: condition, into: &connection)
        }
        if let expires = receipt.entry.expires { sweeper.expect(expires) }
        return receipt
    }

    package func remove(
        _ key: String,
        in namespace: String,
        if condition: StoreCondition
    ) async throws(StoreFailure) -> Bool {
        let clock = clock
        let history = limits.history
        return try await state.writer.write(of: .entries) { connection throws(StoreFailure) in
            let entry = EntryWrite(namespace: namespace, key: key, now: clock.now(), history: history)
            return try entry.remove(if: condition, from: &connection)
        }
    }

    package func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        let clock = clock
        let history = limits.history
        return try await state.writer.write(of: .entries) { connection throws(StoreFailure) in
            try connection.clear(namespace, at: clock.now(), keeping: history)
        }
    }
}

/// Returns the first text after all with a prefix; nil where there is none.
func end(of prefix: String) -> [UInt8]? {
    var bytes = Array(prefix.utf8)
    guard let last = bytes.popLast() else { return nil }
    // No byte of UTF-8 is 0xff.
    bytes.append(last + 1)
    return bytes
}

/// Returns the greater of two texts by their bytes.
private func max(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    left.lexicographicallyPrecedes(right) ? right : left
}

extension StoredEntry.Summary {
    /// Reads the first six columns of a row: key, version, type, size, modified, expires.
    init(_ row: borrowing Statement) {
        self.init(
            key: row.text(0),
            version: row.integer(1),
            type: row.text(2),
            size: Int(row.integer(3)),
            modified: row.integer(4),
            expires: row.optionalInteger(5)
        )
    }
}
