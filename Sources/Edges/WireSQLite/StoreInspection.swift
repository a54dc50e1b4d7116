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
        let path = Self.path(in: folder)
        let hasLog = hasLog(path)
        guard var connection = try Self.open(in: folder, for: hasLog ? .reading : .inspecting) else { return nil }
        let version = try Header(&connection).version
        let check = try connection.statement("PRAGMA quick_check(1)")
        guard try check.step(), check.text(0) == "ok" else {
            throw StoreFailure(.corrupt, "'\(path)' is damaged: \(check.text(0))", help: StoreFailure.repairing)
        }
        return StoreInspection(
            path: path,
            version: Int(version),
            newest: Int(Schema.state.version),
            hasLog: hasLog,
            size: size(of: path) ?? 0
        )
    }

    /// Opens the durable file of a folder for reading; nil where there is none.
    ///
    /// Throws where it is not the file that the store had, and for one that is newer or of another program.
    static func open(
        in folder: String,
        for access: Connection.Access,
        patience: Duration = .seconds(2)
    ) throws(StoreFailure) -> Connection? {
        let path = path(in: folder)
        let size = size(of: path)
        guard size != nil || errno == ENOENT || errno == ENOTDIR else { throw .system(errno, "'\(path)'") }
        let mark = try Mark.read(in: folder)
        guard let size, size > 0 else {
            if mark != nil || hasLog(path) { throw Mark.missing(path, isEmpty: size != nil) }
            return nil
        }
        var connection = try Connection(path, for: access, patience: patience)
        try Header(&connection).check(against: .state, at: path)
        try mark?.check(try connection.mark(), of: path)
        return connection
    }

    static func path(in folder: String) -> String { "\(folder)/\(Opening.stateName)" }

    private static func hasLog(_ path: String) -> Bool { size(of: "\(path)-wal") ?? 0 > 0 }

    private static func size(of path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The version of SQLite.
    package static var library: String { unsafe String(cString: sqlite3_libversion()) }
}
