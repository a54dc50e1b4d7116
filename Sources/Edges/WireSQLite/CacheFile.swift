import Synchronization
import WireBase
import WireStore

/// The file of the cache, which is replaced when this or another process finds it damaged.
final class CacheFile: Sendable {
    private let folder: String
    private let limits: StoreLimits
    private let state: Mutex<State>

    private struct State {
        var shelf: Shelf
        /// The identity of the file, by which a replacement by another process is noticed.
        var identity: Folder.Identity?
        var isRenewing = false
    }

    /// A file with the answers recently read from it; holding the shelf keeps the connection open that the answers
    /// depend on.
    fileprivate final class Shelf: Sendable {
        let recent: RecentAnswers
        let database: Database

        init(_ connection: consuming Connection, _ path: String, _ limits: StoreLimits) {
            recent = RecentAnswers(connection.logIndex, upTo: limits.recentSize)
            let writer = Writer(
                connection,
                name: "store: cache",
                confirmation: Schema.cache.confirmation,
                onCommit: {}
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
        let (shelf, identity) = try Self.open(in: opening, limits)
        state = Mutex(State(shelf: shelf, identity: identity))
    }

    /// Returns an answer, from memory where nothing was committed since the last read; nil where the file is damaged.
    func answer(_ key: String, in region: String) throws(StoreFailure) -> CachedValue? {
        let shelf = state.withLock { $0.shelf }
        let place = RecentAnswers.Place(key, in: region)
        let head: LogIndex.Head?
        switch shelf.recent.look(for: place) {
        case .found(let value): return value
        case .ask(let found): head = found
        }
        do throws(StoreFailure) {
            let value = try shelf.database.read { connection throws(StoreFailure) in
                try connection.answer(key, in: region)
            }
            if let head { shelf.recent.take(value, at: place, since: head) }
            return value
        } catch  where error.kind == .corrupt {
            try renew(shelf, isDamaged: true)
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
        fileprivate let shelf: Shelf
        fileprivate let snapshot: Snapshot
    }

    func hold() throws(StoreFailure) -> Held {
        let known = state.withLock { $0.shelf }
        do throws(StoreFailure) {
            return Held(shelf: known, snapshot: try known.database.snapshot())
        } catch  where error.kind == .corrupt {
            try renew(known, isDamaged: true)
            let shelf = state.withLock { $0.shelf }
            return Held(shelf: shelf, snapshot: try shelf.database.snapshot())
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
            try renew(held.shelf, isDamaged: true)
            return other
        }
    }

    /// The state of the file, as far as it is known without reading.
    var glance: RecordGlance? { state.withLock { $0.shelf }.recent.glance }

    /// The usage of the answers in memory.
    var recentUsage: StoreUsage { state.withLock { $0.shelf }.recent.usage }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let (known, identity) = state.withLock { ($0.shelf, $0.identity) }
        if Folder.identity(of: known.database.path) != identity { try renew(known, isDamaged: false) }
        let shelf = state.withLock { $0.shelf }
        do throws(StoreFailure) {
            return try await shelf.database.writer.write(body)
        } catch  where error.kind == .corrupt {
            try renew(shelf, isDamaged: true)
            return try await state.withLock { $0.shelf }.database.writer.write(body)
        }
    }

    /// Removes deleted data from the disk.
    func shred() async throws(StoreFailure) {
        let shelf = state.withLock { $0.shelf }
        do throws(StoreFailure) {
            try await shelf.database.writer.shred()
        } catch  where error.kind == .corrupt {
            // A damaged file is removed with its contents.
            try renew(shelf, isDamaged: true)
        }
    }

    func close() async {
        await state.withLock { $0.shelf }.close()
    }

    /// Replaces a file that is damaged or missing.
    ///
    /// The old file is closed after its last use.
    private func renew(_ former: Shelf, isDamaged: Bool) throws(StoreFailure) {
        let (isMine, identity) = state.withLock { state in
            let isMine = state.shelf === former && !state.isRenewing
            if isMine { state.isRenewing = true }
            return (isMine, state.identity)
        }
        // Another thread is replacing or has replaced the file; a failed read is repeated once.
        guard isMine else { return }
        defer { state.withLock { $0.isRenewing = false } }
        let opening = try Opening(folder, limits: limits)
        if isDamaged, Folder.identity(of: former.database.path) == identity { try opening.remove(Self.name) }
        let (shelf, found) = try Self.open(in: opening, limits)
        opening.endOpening()
        state.withLock { state in
            state.shelf = shelf
            state.identity = found
        }
    }

    private static func open(
        in opening: borrowing Opening,
        _ limits: StoreLimits
    ) throws(StoreFailure) -> (Shelf, Folder.Identity?) {
        let path = "\(opening.folder.path)/\(name)"
        var connection: Connection
        do throws(StoreFailure) {
            connection = try opening.open(name, as: .cache)
        } catch  where error.kind == .corrupt {
            try opening.remove(name)
            connection = try opening.open(name, as: .cache)
        }
        return (Shelf(connection, path, limits), Folder.identity(of: path))
    }
}
