import CSQLite
import Glibc
package import WireStore

/// A look at the store of a folder that changes nothing.
package struct StoreInspection: Sendable {
    package let path: String
    package let version: Int
    /// The version this program brings a store to.
    package let newest: Int
    /// Whether some process has it open, or had when it ended without closing it.
    package let hasLog: Bool
    package let size: Int

    /// Looks at the durable file; nil where there is none yet.
    ///
    /// Reads all of it once, so it takes as long as that takes. Where there is a log, SQLite may make its index anew, which
    /// holds nothing of its own; file and log stay as they are. Throws for one that is damaged, newer or another program's.
    package static func look(in folder: String) throws(StoreFailure) -> StoreInspection? {
        let path = "\(folder)/state.db"
        let found = size(of: path)
        guard found != nil || errno == ENOENT || errno == ENOTDIR else { throw .system(errno, "'\(path)'") }
        let mark = try Mark.look(in: folder)
        let hasLog = Self.size(of: "\(path)-wal") ?? 0 > 0
        guard let size = found, size > 0 else {
            if mark != nil || hasLog { throw Mark.missing(path, isEmpty: found != nil) }
            return nil
        }
        var connection = try Connection(path, for: hasLog ? .reading : .inspecting, patience: .seconds(2))
        let header = try Header(&connection)
        try header.check(against: .state, at: path)
        try mark?.check(try connection.mark(), of: path)
        let check = try connection.statement("PRAGMA quick_check(1)")
        guard try check.step(), check.text(0) == "ok" else {
            throw StoreFailure(.corrupt, "'\(path)' is damaged: \(check.text(0))", help: StoreFailure.repairing)
        }
        return StoreInspection(
            path: path,
            version: Int(header.version),
            newest: Int(Schema.state.version),
            hasLog: hasLog,
            size: size
        )
    }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The version of the library.
    package static var library: String { unsafe String(cString: sqlite3_libversion()) }
}
