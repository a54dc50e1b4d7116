import WireStore

/// Opens the files of a folder: checks their owner and integrity, and migrates them to this version.
struct Opening: ~Copyable {
    let folder: Folder
    let presence: Presence
    let limits: StoreLimits
    /// Whether no other process had the files open at the start.
    let isAlone: Bool
    /// Whether no claimed work can still be under way.
    let isIdle: Bool

    /// Begins opening, which excludes every other process until the end.
    init(_ path: String, limits: StoreLimits) throws(StoreFailure) {
        let folder = try Folder.open(path)
        _ = try folder.secure(Self.lockName)
        let presence = try Presence.open("\(folder.path)/\(Self.lockName)")
        try presence.beginOpening(patience: limits.patience)
        let isAlone = try presence.isAlone()
        var isIdle = false
        if isAlone { isIdle = try presence.isIdle() }
        (self.isAlone, self.isIdle) = (isAlone, isIdle)
        self.folder = folder
        self.presence = presence
        self.limits = limits
    }

    static let lockName = "store.lock"
    static let stateName = "state.db"

    /// Admits other processes, and marks the files as open in this process while the result lives.
    consuming func finish() throws(StoreFailure) -> PresenceLock {
        try presence.stay()
        presence.endOpening()
        return PresenceLock(presence)
    }

    /// Admits other processes.
    consuming func endOpening() { presence.endOpening() }

    /// Removes a file with its log.
    func remove(_ name: String) throws(StoreFailure) {
        for suffix in ["-wal", "-shm", "-journal", ""] { try folder.remove(name + suffix) }
    }

    /// Opens a file for writing: creates it, or checks and migrates an existing one.
    func open(_ name: String, as schema: Schema, marked mark: Mark? = nil) throws(StoreFailure) -> Connection {
        let path = "\(folder.path)/\(name)"
        try checkPresence(of: name, mark)
        let isNew = try folder.secure(name)
        var version: Int64 = 0
        if !isNew { try rollBack(path, name) }
        if !isNew, folder.size(of: name) != 0 || folder.size(of: name + "-wal") ?? 0 > 0 {
            version = try checkVersion(path, name, against: schema, mark)
        }
        var connection = try Connection(path, for: .writing, patience: limits.patience)
        try connection.execute(
            """
            PRAGMA journal_mode = WAL;
            \(schema.confirmation.statement);
            PRAGMA secure_delete = ON;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA journal_size_limit = 4194304
            """
        )
        if version < schema.version { try migrate(&connection, from: version, to: schema, name) }
        return connection
    }

    /// Throws where a file is missing that was there, or is empty beside its log, which SQLite would remove.
    private func checkPresence(of name: String, _ mark: Mark?) throws(StoreFailure) {
        let size = folder.size(of: name)
        guard size ?? 0 == 0, mark != nil || folder.size(of: name + "-wal") ?? 0 > 0 else { return }
        throw Mark.missing("\(folder.path)/\(name)", isEmpty: size != nil)
    }

    /// Rolls back an unfinished creation, after which the file can be read.
    ///
    /// A process killed while creating a file leaves a journal, and SQLite requires the next one to write.
    private func rollBack(_ path: String, _ name: String) throws(StoreFailure) {
        guard folder.size(of: name + "-journal") ?? 0 > 0 else { return }
        var connection = try Connection(path, for: .writing, patience: limits.patience)
        _ = try connection.statement("PRAGMA schema_version").step()
    }

    /// Inspects a file without writing to it, and returns its version.
    private func checkVersion(
        _ path: String,
        _ name: String,
        against schema: Schema,
        _ mark: Mark?
    ) throws(StoreFailure) -> Int64 {
        var connection = try Connection(path, for: .reading, patience: limits.patience)
        let header = try Header(&connection)
        try header.check(against: schema, at: path)
        try mark?.check(try connection.mark(), of: path)
        // A log remains only if its process did not close the file.
        if isAlone, folder.size(of: name + "-wal") ?? 0 > 0 {
            let check = try connection.statement("PRAGMA quick_check(1)")
            guard try check.step(), check.text(0) == "ok" else {
                throw StoreFailure(.corrupt, "'\(path)' is damaged: \(check.text(0))", help: StoreFailure.repairing)
            }
        }
        return header.version
    }

    /// Migrates a file to this program's version, in one transaction.
    private func migrate(
        _ connection: inout Connection,
        from version: Int64,
        to schema: Schema,
        _ name: String
    ) throws(StoreFailure) {
        if version > 0, schema.isCopied {
            try folder.copy(connection, to: "\(name).version-\(version)", patience: limits.patience)
        }
        let steps = schema.steps[Int(version)...].joined(separator: "\n")
        do throws(StoreFailure) {
            try connection.execute(
                """
                BEGIN IMMEDIATE;
                \(steps)
                PRAGMA application_id = \(schema.applicationID);
                PRAGMA user_version = \(schema.version);
                COMMIT
                """
            )
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }
}

extension Folder {
    /// Copies a file, as a backup to return to.
    func copy(_ connection: borrowing Connection, to name: String, patience: Duration) throws(StoreFailure) {
        let draft = "\(name).new"
        try remove(draft)
        _ = try secure(draft)
        do {
            let copy = try Connection("\(path)/\(draft)", for: .writing, patience: patience)
            try copy.execute(Schema.Durability.atCommit.statement)
            try connection.backUp(into: copy)
        }
        try rename(draft, to: name)
    }
}
