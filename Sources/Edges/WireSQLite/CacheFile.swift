import Synchronization
import WireBase
import WireStore

/// The file of the cache, which is replaced when this or another process finds it damaged.
final class CacheFile: Sendable {
    private let folder: String
    private let limits: StoreLimits
    private let state: Mutex<State>

    private struct State {
        var openFile: OpenFile
        /// The identity of the file, by which a replacement by another process is noticed.
        var identity: Folder.Identity?
        var isRenewing = false
    }

    /// A file with the answers recently read from it; holding the file keeps the connection open that the answers
    /// depend on.
    fileprivate final class OpenFile: Sendable {
        let recent: RecentAnswers
        let database: Database

        init(_ connection: consuming Connection, _ path: String, _ limits: StoreLimits) {
            recent = RecentAnswers(connection.logIndex, upTo: limits.recentSize)
            let writer = Writer(
                connection,
                name: "store: cache",
                confirmation: Schema.cache.confirmation,
                onCommit: { _ in }
            )
            database = Database(path, writer: writer, patience: limits.patience)
        }

        func close() async {
            recent.close()
            await database.close()
        }
    }

    static let name = "cache.db"

    init(in opening: borrowing Opening, limits: StoreLimits) throws(StoreFailure) {
        folder = opening.folder.path
        self.limits = limits
        let (openFile, identity) = try Self.open(in: opening, limits)
        state = Mutex(State(openFile: openFile, identity: identity))
    }

    /// Returns an answer, from memory where nothing was committed since the last read; nil where the file is damaged.
    func answer(_ key: String, in region: String) throws(StoreFailure) -> CachedValue? {
        let openFile = state.withLock { $0.openFile }
        let place = RecentAnswers.Place(key, in: region)
        let head: LogIndex.Head?
        switch openFile.recent.lookUp(for: place) {
        case .found(let value): return value
        case .ask(let found): head = found
        }
        do throws(StoreFailure) {
            let value = try openFile.database.read { connection throws(StoreFailure) in
                try connection.answer(key, in: region)
            }
            if let head { openFile.recent.insert(value, at: place, since: head) }
            return value
        } catch  where error.kind == .corrupt {
            try renew(openFile, isDamaged: true)
            return nil
        }
    }

    /// Returns the usage of a region; none where the file is damaged.
    func cacheUsage(of region: String) throws(StoreFailure) -> StoreUsage {
        try read(or: StoreUsage(entries: 0, size: .bytes(0))) { connection throws(StoreFailure) in
            try connection.cacheUsage(of: region)
        }
    }

    /// Reads several values in one snapshot; returns another result where the file is damaged.
    func read<Result>(
        or other: Result,
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try read(hold(), or: other, body)
    }

    /// A snapshot of the file for several reads.
    struct Held {
        fileprivate let openFile: OpenFile
        fileprivate let snapshot: Snapshot
    }

    func hold() throws(StoreFailure) -> Held {
        let known = state.withLock { $0.openFile }
        do throws(StoreFailure) {
            return Held(openFile: known, snapshot: try known.database.snapshot())
        } catch  where error.kind == .corrupt {
            try renew(known, isDamaged: true)
            let openFile = state.withLock { $0.openFile }
            return Held(openFile: openFile, snapshot: try openFile.database.snapshot())
        }
    }

    func read<Result>(
        _ held: Held,
        or other: Result,
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        do throws(StoreFailure) {
            return try held.snapshot.read(body)
        } catch  where error.kind == .corrupt {
            try renew(held.openFile, isDamaged: true)
            return other
        }
    }

    /// The state of the file, as far as it is known without reading.
    var glance: RecordGlance? { state.withLock { $0.openFile }.recent.glance }

    /// The usage of the answers in memory.
    var recentUsage: StoreUsage { state.withLock { $0.openFile }.recent.usage }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let (known, identity) = state.withLock { ($0.openFile, $0.identity) }
        if Folder.identity(of: known.database.path) != identity { try renew(known, isDamaged: false) }
        let openFile = state.withLock { $0.openFile }
        do throws(StoreFailure) {
            return try await openFile.database.writer.write(body)
        } catch  where error.kind == .corrupt {
            try renew(openFile, isDamaged: true)
            return try await state.withLock { $0.openFile }.database.writer.write(body)
        }
    }

    /// Removes deleted data from the disk.
    func shred() async throws(StoreFailure) {
        let openFile = state.withLock { $0.openFile }
        do throws(StoreFailure) {
            try await openFile.database.writer.shred()
        } catch  where error.kind == .corrupt {
            // A damaged file is removed with its contents.
            try renew(openFile, isDamaged: true)
        }
    }

    func close() async {
        await state.withLock { $0.openFile }.close()
    }

    /// Replaces a file that is damaged or missing.
    ///
    /// The old file is closed after its last use.
    private func renew(_ former: OpenFile, isDamaged: Bool) throws(StoreFailure) {
        let (isMine, identity) = state.withLock { state in
            let isMine = state.openFile === former && !state.isRenewing
            if isMine { state.isRenewing = true }
            return (isMine, state.identity)
        }
        // Another thread is replacing or has replaced the file; a failed read is repeated once.
        guard isMine else { return }
        defer { state.withLock { $0.isRenewing = false } }
        let opening = try Opening(folder, limits: limits)
        if isDamaged, Folder.identity(of: former.database.path) == identity { try opening.remove(Self.name) }
        let (openFile, found) = try Self.open(in: opening, limits)
        opening.endOpening()
        state.withLock { state in
            state.openFile = openFile
            state.identity = found
        }
    }

    private static func open(
        in opening: borrowing Opening,
        _ limits: StoreLimits
    ) throws(StoreFailure) -> (OpenFile, Folder.Identity?) {
        let path = "\(opening.folder.path)/\(name)"
        var connection: Connection
        do throws(StoreFailure) {
            connection = try opening.open(name, as: .cache)
        } catch  where error.kind == .corrupt || error.kind == .lost {
            try opening.remove(name)
            connection = try opening.open(name, as: .cache)
        }
        return (OpenFile(connection, path, limits), Folder.identity(of: path))
    }
}
