import WireStore

/// The way from a name to a file that is known to be ours, whole and of this version.
struct Opening: ~Copyable {
    let folder: Folder
    let presence: Presence
    let limits: StoreLimits
    /// Whether no other process had the files open when this began.
    private let isAlone: Bool
    /// Whether nothing that anybody has claimed before can still be under way.
    let isNobodyWorking: Bool

    /// Holds every other process off the files of a folder until it is over.
    init(_ path: String, limits: StoreLimits) throws(StoreFailure) {
        let folder = try Folder.open(path)
        _ = try folder.secure(Self.lockName)
        let presence = try Presence.open("\(folder.path)/\(Self.lockName)")
        try presence.beginOpening(patience: limits.patience)
        let isAlone = try presence.isAlone()
        var isNobodyWorking = false
        if isAlone { isNobodyWorking = try presence.isNobodyWorking() }
        (self.isAlone, self.isNobodyWorking) = (isAlone, isNobodyWorking)
        self.folder = folder
        self.presence = presence
        self.limits = limits
    }

    static let lockName = "store.lock"
    static let stateName = "state.db"

    /// Lets others in, and says that this process has the files open for as long as the result lives.
    consuming func finish() throws(StoreFailure) -> PresenceKept {
        try presence.stay()
        presence.endOpening()
        return PresenceKept(presence)
    }

    /// Lets others in.
    consuming func endOpening() { presence.endOpening() }

    /// Removes a file with its log.
    func remove(_ name: String) throws(StoreFailure) {
        for suffix in ["-wal", "-shm", "-journal", ""] { try folder.remove(name + suffix) }
    }

    /// Opens a file for writing: makes it, or judges, checks and migrates the one that is there.
    func open(_ name: String, as schema: Schema, marked mark: Mark? = nil) throws(StoreFailure) -> Connection {
        let path = "\(folder.path)/\(name)"
        try checkPresence(of: name, mark)
        let isNew = try folder.secure(name)
        var version: Int64 = 0
        if !isNew { try rollBack(path, name) }
        if !isNew, folder.size(of: name) != 0 || folder.size(of: name + "-wal") ?? 0 > 0 {
            version = try judge(path, name, against: schema, mark)
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

    /// Throws where a file is gone that was there, or empty beside its log, which SQLite would remove.
    private func checkPresence(of name: String, _ mark: Mark?) throws(StoreFailure) {
        let size = folder.size(of: name)
        guard size ?? 0 == 0, mark != nil || folder.size(of: name + "-wal") ?? 0 > 0 else { return }
        throw Mark.missing("\(folder.path)/\(name)", isEmpty: size != nil)
    }

    /// Undoes what was begun before a file had its log: nobody can so much as read it before.
    ///
    /// Who was ended while making a file has left a journal of it, and SQLite asks who opens it next to write.
    private func rollBack(_ path: String, _ name: String) throws(StoreFailure) {
        guard folder.size(of: name + "-journal") ?? 0 > 0 else { return }
        var connection = try Connection(path, for: .writing, patience: limits.patience)
        _ = try connection.statement("PRAGMA schema_version").step()
    }

    /// Looks at a file without writing to it, and returns its version.
    private func judge(
        _ path: String,
        _ name: String,
        against schema: Schema,
        _ mark: Mark?
    ) throws(StoreFailure) -> Int64 {
        var connection = try Connection(path, for: .reading, patience: limits.patience)
        let header = try Header(&connection)
        try header.check(against: schema, at: path)
        try mark?.check(try connection.mark(), of: path)
        // A log is left behind only by who did not come to close the file.
        if isAlone, folder.size(of: name + "-wal") ?? 0 > 0 {
            let check = try connection.statement("PRAGMA quick_check(1)")
            guard try check.step(), check.text(0) == "ok" else {
                throw StoreFailure(.corrupt, "'\(path)' is damaged: \(check.text(0))", help: StoreFailure.repairing)
            }
        }
        return header.version
    }

    /// Brings a file to the version of this program, in one step that happens wholly or not at all.
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
    /// Writes a copy of a file beside it, as it is now, to go back to.
    func copy(_ connection: borrowing Connection, to name: String, patience: Duration) throws(StoreFailure) {
        let draft = "\(name).new"
        try remove(draft)
        _ = try secure(draft)
        do {
            let copy = try Connection("\(path)/\(draft)", for: .writing, patience: patience)
            try copy.execute(Schema.Confirmation.byCommits.statement)
            try connection.backUp(into: copy)
        }
        try rename(draft, to: name)
    }
}
