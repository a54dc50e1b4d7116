import CSQLite
import Glibc
package import WireStore

/// The result of inspecting the store of a folder without changing it.
package struct StoreInspection: Sendable {
    package let path: String
    package let version: Int
    /// The version to which this program migrates a store.
    package let newest: Int
    /// Whether a process has the store open, or ended without closing it.
    package let hasLog: Bool
    package let size: Int

    /// Inspects the durable file; returns nil where there is none.
    ///
    /// Reads the whole file once, which takes its time. SQLite may recreate the index of a log; file and log stay the
    /// same. Throws for a file that is damaged, newer or of another program.
    package static func inspect(in folder: String) throws(StoreFailure) -> StoreInspection? {
        let path = "\(folder)/state.db"
        let found = size(of: path)
        guard found != nil || errno == ENOENT || errno == ENOTDIR else { throw .system(errno, "'\(path)'") }
        let mark = try Mark.read(in: folder)
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

    /// The version of SQLite.
    package static var library: String { unsafe String(cString: sqlite3_libversion()) }
}
