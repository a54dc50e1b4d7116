import CSQLite
import Glibc
import WireStore

extension StoreFailure {
    /// Converts SQLite's error to a failure of the store.
    init(code: Int32, of connection: OpaquePointer?) {
        guard let connection = unsafe connection else {
            let message = unsafe String(cString: sqlite3_errstr(code))
            self.init(code: code, system: 0, message: message)
            return
        }
        let extended = unsafe sqlite3_extended_errcode(connection)
        let message = unsafe String(cString: sqlite3_errmsg(connection))
        let system = unsafe sqlite3_system_errno(connection)
        self.init(code: extended & 0xff == code & 0xff ? extended : code, system: system, message: message)
    }

    init(code: Int32, system: Int32, message: String) {
        // Only an input or output error sets the system's error number reliably.
        let isOutOfRoom = system == ENOSPC || system == EDQUOT
        switch code & 0xff {
        case SQLITE_FULL: self = .diskFull
        case SQLITE_IOERR where isOutOfRoom: self = .diskFull
        // SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ, which are macros Swift does not see.
        case SQLITE_IOERR where code >> 8 == 1 || code >> 8 == 2:
            self.init(.other, "the store cannot be read: \(Self.words(system, or: message))")
        case SQLITE_IOERR:
            self.init(
                .broken,
                "the disk did not confirm a write: \(Self.words(system, or: message))",
                help: "check the disk, then restart the program"
            )
        case SQLITE_CORRUPT: self.init(.corrupt, "the store is damaged: \(message)", help: Self.repairing)
        case SQLITE_NOTADB:
            self.init(.corrupt, "the store is damaged: the file is not a database", help: Self.repairing)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            self.init(.readOnly, "the store cannot be written: \(message)", help: Self.permitting)
        case SQLITE_CANTOPEN:
            let isDenied = [EROFS, EACCES, EPERM].contains(system)
            self.init(
                isDenied ? .readOnly : .other,
                "the store cannot be opened: \(Self.words(system, or: message))",
                help: isDenied ? Self.permitting : nil
            )
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "another process has locked the store; nothing was changed")
        case SQLITE_TOOBIG: self.init(.full, "the value exceeds the maximum size of the store")
        default: self.init(.other, "the store failed: \(message)")
        }
    }

    static var diskFull: Self {
        Self(.full, "the disk is full", help: "free disk space; the store then continues automatically")
    }

    /// Returns the failure for a value with a wrong checksum.
    static func damaged(_ what: String) -> Self {
        Self(
            .corrupt,
            "the store is damaged: \(what) has a wrong checksum",
            help: "restore the file from a backup, or restart the program and save the value again"
        )
    }

    static var closed: Self { Self(.closed, "the store is closed") }

    static let permitting = "give this process's user write permission for the folder of the store"
    static let repairing =
        "stop the program, move the file aside with its '-wal' and '-shm', and restore a backup"

    /// Returns a failure with the text of the system's last error.
    static func system(_ number: Int32, _ what: String) -> Self {
        let reason = "\(what): \(words(number, or: "unknown"))"
        return switch number {
        case EROFS, EACCES, EPERM: Self(.readOnly, reason, help: permitting)
        case ENOSPC, EDQUOT: .diskFull
        default: Self(.other, reason)
        }
    }

    private static func words(_ number: Int32, or message: String) -> String {
        guard number != 0 else { return message }
        let words = unsafe String(cString: strerror(number))
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
