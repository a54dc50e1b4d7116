import Synchronization
import WireStore

/// One file: its writer, and a pool of connections to read it with.
final class Database: Sendable {
    let path: String
    // Before the writer, and so let go before it: only who may write leaves no log behind when he is the last.
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

    /// Reads on the calling thread, with a connection nobody else uses meanwhile.
    func read<Result>(
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try writer.verdict.checkReading()
        let reader = try reader()
        let result: Result
        do throws(StoreFailure) {
            result = try body(&reader.connection)
        } catch {
            // One that failed is closed instead of being used again.
            if error.isFinal { writer.report(error) }
            throw error
        }
        putBack(reader)
        return result
    }

    fileprivate func putBack(_ reader: Reader) {
        idle.withLock { idle in
            if !idle.isClosed, idle.readers.count < Self.mostIdle { idle.readers.append(reader) }
        }
    }

    /// Reads several things as they were at one moment.
    func snapshot<Result>(
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try snapshot().read(body)
    }

    /// Begins to read several things as they are at one moment, that of the first.
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
        return if let known { known } else { try Reader(path, patience: patience) }
    }

    private static let mostIdle = 8
}

/// A file at one moment, for as long as it is held; used by one thread.
final class Snapshot {
    private let reader: Reader
    private let database: Database
    /// One that failed is closed instead of being used again.
    private var isUsable = true

    fileprivate init(_ reader: Reader, _ database: Database) { (self.reader, self.database) = (reader, database) }

    func read<Result>(
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        do throws(StoreFailure) {
            return try body(&reader.connection)
        } catch {
            isUsable = false
            if error.isFinal { database.writer.report(error) }
            throw error
        }
    }

    deinit {
        guard isUsable, (try? reader.connection.statement("COMMIT").run()) != nil else { return }
        database.putBack(reader)
    }
}

/// A connection on its way between the pool and who reads with it.
///
/// Sendable unchecked: `Database` takes it out of the pool under a lock before it is used and puts it back afterwards,
/// so one thread at a time has it.
fileprivate final class Reader: @unchecked Sendable {
    var connection: Connection

    init(_ path: String, patience: Duration) throws(StoreFailure) {
        connection = try Connection(path, for: .reading, patience: patience)
        // Not mapped: what is read of a mapped file that was cut short ends the program.
        try connection.execute("PRAGMA query_only = ON; PRAGMA cache_size = -2048")
    }
}
