import CSQLite
import WireStore

/// A connection to a file, with its prepared statements.
///
/// One thread at a time uses a connection: the writer has its own, readers borrow theirs from a pool.
@safe struct Connection: ~Copyable {
    private var handle: OpaquePointer?
    /// The number of pages in the log, written by SQLite after each commit.
    private let log: UnsafeMutablePointer<Int32>
    private var kept: [UInt: OpaquePointer] = unsafe [:]

    enum Access {
        case reading, writing
        /// Reading a file that no process has open, without creating SQLite's other files.
        case inspecting

        fileprivate var flags: Int32 {
            let common = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
            return switch self {
            case .reading: common | SQLITE_OPEN_READONLY
            case .inspecting: common | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .writing: common | SQLITE_OPEN_READWRITE
            }
        }
    }

    private static let isConfigured = csqlite_keep_no_statistics() == SQLITE_OK

    init(_ path: String, for access: Access, patience: Duration) throws(StoreFailure) {
        _ = Self.isConfigured
        var opened: OpaquePointer?
        let name = access == .inspecting ? "file:\(Self.inURI(path))?immutable=1" : path
        let code = unsafe sqlite3_open_v2(name, &opened, access.flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let failure = unsafe StoreFailure(code: code, of: opened)
            _ = unsafe sqlite3_close_v2(opened)
            throw failure
        }
        unsafe self.handle = handle
        unsafe log = .allocate(capacity: 1)
        unsafe log.initialize(to: 0)
        // Replaces SQLite's default of checkpointing while the caller waits.
        _ = unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                unsafe context?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            },
            log
        )
        _ = unsafe sqlite3_busy_timeout(handle, Int32(clamping: patience.milliseconds))
        // The file is untrusted: nothing in it may run code or change how the file is read.
        for (option, value): (Int32, Int32) in [(SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)] {
            _ = unsafe csqlite_set_flag(handle, option, value)
        }
    }

    /// Returns a path escaped for use in a URI.
    private static func inURI(_ path: String) -> String {
        path.reduce(into: "") { uri, character in
            switch character {
            case "%": uri += "%25"
            case "?": uri += "%3f"
            case "#": uri += "%23"
            default: uri.append(character)
            }
        }
    }

    deinit {
        unsafe kept.values.forEach { _ = unsafe sqlite3_finalize($0) }
        _ = unsafe sqlite3_close_v2(handle)
        unsafe log.deallocate()
    }

    /// Closes the connection; later statements fail.
    mutating func close() {
        unsafe kept.values.forEach { _ = unsafe sqlite3_finalize($0) }
        unsafe kept = [:]
        _ = unsafe sqlite3_close_v2(handle)
        unsafe handle = nil
    }

    /// Returns a statement, prepared once.
    mutating func statement(_ text: StaticString) throws(StoreFailure) -> Statement {
        guard let handle = unsafe handle else { throw .closed }
        // A literal has the same address for the life of the program.
        let name = unsafe UInt(bitPattern: text.utf8Start)
        if let known = unsafe kept[name] { return unsafe Statement(borrowing: known) }
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let count = Int32(text.utf8CodeUnitCount)
        let start = unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        let code = unsafe sqlite3_prepare_v3(handle, start, count, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else {
            throw unsafe StoreFailure(code: code, of: handle)
        }
        unsafe kept[name] = prepared
        return unsafe Statement(borrowing: prepared)
    }

    /// Runs statements without caching them: settings and the schema.
    borrowing func execute(_ text: String) throws(StoreFailure) {
        let code = unsafe sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw unsafe StoreFailure(code: code, of: handle) }
    }

    /// The number of rows changed over this connection.
    var changes: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// The key of the last inserted row.
    var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// How often its statements have sorted rows, and how many rows they have read without an index.
    var effort: (sorts: Int, unindexedRows: Int) {
        func sum(_ counter: Int32) -> Int {
            unsafe kept.values.reduce(0) { unsafe $0 + Int(sqlite3_stmt_status($1, counter, 0)) }
        }
        return (sum(SQLITE_STMTSTATUS_SORT), sum(SQLITE_STMTSTATUS_FULLSCAN_STEP))
    }

    /// Whether a transaction is open; SQLite ends it after some errors.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Disables the checkpoint at the close of the last connection.
    borrowing func leaveLogAtClose() {
        _ = unsafe csqlite_set_flag(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    }

    /// The index of the log, valid while this connection is open and after its first read.
    var logIndex: LogIndex? { unsafe LogIndex(csqlite_log_index(handle)) }

    /// The number of pages in the log after the last commit.
    var logged: Int { Int(unsafe log.pointee) }

    /// Copies the log into the file; returns whether another process prevents it.
    borrowing func checkpoint(restarting: Bool) throws(StoreFailure) -> Bool {
        let mode = restarting ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        switch code & 0xff {
        case SQLITE_OK: return false
        case SQLITE_BUSY, SQLITE_LOCKED: return true
        default: throw unsafe StoreFailure(code: code, of: handle)
        }
    }

    /// Rewrites the file without deleted data and empties the log; returns false while readers keep the log.
    borrowing func shred() throws(StoreFailure) -> Bool {
        // A split page keeps pieces of moved rows, which secure deletion does not overwrite; only a new file has
        // none.
        try execute("VACUUM")
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        switch code & 0xff {
        case SQLITE_OK: return true
        case SQLITE_BUSY, SQLITE_LOCKED: return false
        default: throw unsafe StoreFailure(code: code, of: handle)
        }
    }

    /// Copies the whole file into the file of another connection.
    borrowing func backUp(into target: borrowing Connection) throws(StoreFailure) {
        guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw unsafe StoreFailure(code: sqlite3_errcode(target.handle), of: target.handle)
        }
        _ = unsafe sqlite3_backup_step(backup, -1)
        let code = unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_OK else { throw unsafe StoreFailure(code: code, of: target.handle) }
    }
}

extension Duration {
    /// The whole milliseconds, at least zero.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow, seconds >= 0 else { return seconds < 0 ? 0 : .max / 4 }
        return min(whole + attoseconds / 1_000_000_000_000_000, .max / 4)
    }
}
