package import WireStore

/// Writes rows into the empty store of a folder, in one transaction, while no other process can open the store.
package final class SQLiteImport: StoreImport {
    package let places = SealedPlaces(group: nil)
    // Declared before the opening and so released first: others may open the files only once they are closed.
    private var connection: Connection
    private let opening: Opening
    private let versions: ImportedVersions
    /// When the rows were exported, in milliseconds since 1970.
    private let time: Int64

    /// Begins an import; creates the folder and the store where there are none.
    package init(into folder: String, version: Int64, exportedAt time: Int64) throws(StoreFailure) {
        let opening = try Opening(folder, limits: StoreLimits())
        guard opening.isAlone else {
            throw StoreFailure(
                .busy,
                "a process uses the store in '\(folder)'",
                help: "stop the runner, and other programs of the group on this machine"
            )
        }
        try Self.checkEmptiness(of: opening.folder.path)
        let mark = try Mark.read(in: opening.folder)
        var connection = try opening.open(Opening.stateName, as: .state, marked: mark)
        try connection.execute("BEGIN IMMEDIATE")
        versions = ImportedVersions(exported: version, present: try connection.newestVersion())
        self.connection = connection
        self.opening = opening
        self.time = time
    }

    private static func checkEmptiness(of folder: String) throws(StoreFailure) {
        guard var connection = try StoreInspection.open(in: folder, for: .reading) else { return }
        let rows = try connection.statement(
            "SELECT EXISTS(SELECT 1 FROM entries) OR EXISTS(SELECT 1 FROM work) OR EXISTS(SELECT 1 FROM done)"
        )
        guard try rows.number() == 0 else {
            throw StoreFailure(
                .refused,
                "the store in '\(folder)' is not empty",
                help: "move the files of the store aside: state.db, state.db-wal, store.mark and cache.db"
            )
        }
    }

    package func write(_ rows: [StoreRow]) throws(StoreFailure) {
        for row in rows {
            switch row {
            case .entry(let entry): try write(entry)
            case .item(let item): try write(item)
            case .ended(let ended): try write(ended)
            case .pause(let pause): try write(pause)
            }
        }
    }

    private func write(_ entry: StoreRow.Entry) throws(StoreFailure) {
        var row = try connection.statement(
            """
            INSERT INTO entries(namespace, key, version, type, size, modified, expires, sealed, bytes, sum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        row.bind(entry.namespace)
        row.bind(entry.key)
        row.bind(entry.version + versions.added)
        row.bind(entry.type)
        row.bind(entry.size)
        row.bind(entry.modified)
        row.bind(entry.expires)
        row.bind(entry.isSealed)
        row.bind(entry.bytes)
        row.bind(entry.sum)
        try row.run()
    }

    /// Times by the clock of the machine are set when the store is next opened, as after a restart of the machine.
    private func write(_ item: StoreRow.Item) throws(StoreFailure) {
        var row = try connection.statement(
            """
            INSERT INTO work(queue, id, lane, kind, is_first, ready, due, delay, added, born, fence, attempts, reason, awaits,
                size, sealed, head, payload, sum)
            VALUES (?1, ?2, ?3, ?4, NOT EXISTS(SELECT 1 FROM work WHERE queue = ?1 AND lane = ?3), 0, ?5, ?6, ?7, 0, 0,
                ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """
        )
        row.bind(item.queue)
        row.bind(item.id)
        row.bind(item.lane)
        row.bind(item.kind)
        row.bind(item.due)
        row.bind(max(0, item.due - time))
        row.bind(item.added)
        row.bind(item.attempts)
        row.bind(item.reason)
        row.bind(item.awaits)
        row.bind(item.size)
        row.bind(item.isSealed)
        row.bind(item.head)
        row.bind(item.payload)
        row.bind(item.sum)
        try row.run()
    }

    private func write(_ ended: StoreRow.Ended) throws(StoreFailure) {
        var row = try connection.statement(
            "INSERT INTO done(queue, id, forget, until, kept, ended, note) VALUES (?, ?, 0, ?, ?, ?, ?)"
        )
        row.bind(ended.queue)
        row.bind(ended.id)
        row.bind(ended.until)
        row.bind(max(0, ended.until - time))
        row.bind(ended.ended)
        row.bind(ended.note)
        try row.run()
    }

    private func write(_ pause: StoreRow.Pause) throws(StoreFailure) {
        var row = try connection.statement("INSERT OR IGNORE INTO pauses(queue, lane) VALUES (?, ?)")
        row.bind(pause.queue)
        row.bind(pause.lane)
        try row.run()
    }

    package func commit() throws(StoreFailure) {
        do throws(StoreFailure) { try end() } catch { throw .notImported(error) }
    }

    private func end() throws(StoreFailure) {
        // Readers that have seen an earlier change are told of a gap.
        var change = try connection.statement(
            "INSERT INTO changes(version, kind, namespace, key) VALUES (?, ?, '', '')"
        )
        change.bind(versions.last)
        change.bind(StoreChanges.Change.Kind.removed.number)
        try change.run()
        try connection.execute(
            """
            DELETE FROM changes WHERE version < \(versions.last);
            DELETE FROM usage;
            INSERT INTO usage(namespace, entries, bytes)
                SELECT namespace, count(*), sum(size + length(CAST(key AS BLOB))) FROM entries GROUP BY namespace;
            INSERT INTO usage(namespace, entries, bytes)
                SELECT '', coalesce(sum(entries), 0), coalesce(sum(bytes), 0) FROM usage;
            DELETE FROM queues;
            INSERT INTO queues(name, entries, bytes, number)
                SELECT queue, count(*), sum(size + length(CAST(id AS BLOB))), 0 FROM work GROUP BY queue;
            DELETE FROM notes WHERE name = 'boot';
            COMMIT
            """
        )
    }

    package func close() { connection.close() }
}
