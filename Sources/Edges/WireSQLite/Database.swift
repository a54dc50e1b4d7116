import Synchronization
import WireStore

/// A database file: its writer and a pool of reading connections.
final class Database: Sendable {
    let path: String
    // Declared before the writer and so released first: the last connection to close must be the writer's, which can
    // remove the log.
    private let idle = Mutex(Idle())
    let writer: Writer
    private let patience: Duration

    private struct Idle {
        var readers: [Reader] = []
        var isClosed = false
    }

    init(_ path: String, writer: Writer, patience: Duration) {
        self.path = path
        self.writer = writer
        self.patience = patience
    }

    /// Reads on the calling thread, with a connection of its own.
    func read<Result>(
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try writer.verdict.checkReading()
        let reader = try reader()
        let result: Result
        do throws(StoreFailure) {
            result = try body(&reader.connection)
        } catch {
            // A connection that has failed is closed, not reused.
            throw writer.report(error)
        }
        putBack(reader)
        return result
    }

    fileprivate func putBack(_ reader: Reader) {
        idle.withLock { idle in
            if !idle.isClosed, idle.readers.count < Self.mostIdle { idle.readers.append(reader) }
        }
    }

    /// Reads several values in one snapshot.
    func snapshot<Result>(
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try snapshot().read(body)
    }

    /// Begins a snapshot with the first read.
    func snapshot() throws(StoreFailure) -> Snapshot {
        try writer.verdict.checkReading()
        let snapshot = Snapshot(try reader(), self)
        try snapshot.read { connection throws(StoreFailure) in try connection.statement("BEGIN").run() }
        return snapshot
    }

    func close() async {
        let readers = idle.withLock { idle in
            defer { idle.readers = [] }
            idle.isClosed = true
            return idle.readers
        }
        for reader in readers { reader.connection.close() }
        await writer.close()
    }

    private func reader() throws(StoreFailure) -> Reader {
        let (known, isClosed) = idle.withLock { ($0.readers.popLast(), $0.isClosed) }
        guard !isClosed else { throw .closed }
        if let known { return known }
        do throws(StoreFailure) {
            return try Reader(path, patience: patience)
        } catch {
            throw writer.report(error)
        }
    }

    private static let mostIdle = 8
}

/// A snapshot of a file; used by one thread.
final class Snapshot {
    private let reader: Reader
    private let database: Database
    /// A connection that has failed is closed, not reused.
    private var isUsable = true

    fileprivate init(_ reader: Reader, _ database: Database) { (self.reader, self.database) = (reader, database) }

    func read<Result>(
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        do throws(StoreFailure) {
            return try body(&reader.connection)
        } catch {
            isUsable = false
            throw database.writer.report(error)
        }
    }

    deinit {
        guard isUsable, (try? reader.connection.statement("COMMIT").run()) != nil else { return }
        database.putBack(reader)
    }
}

/// A connection handed between the pool and a reader.
///
/// Sendable unchecked: `Database` takes it out of the pool under a lock and returns it afterwards, so that one thread
/// at a time has it.
fileprivate final class Reader: @unchecked Sendable {
    var connection: Connection

    init(_ path: String, patience: Duration) throws(StoreFailure) {
        connection = try Connection(path, for: .reading, patience: patience)
        // Not memory-mapped: reading a mapped file that was truncated ends the program.
        try connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -2048")
    }
}
