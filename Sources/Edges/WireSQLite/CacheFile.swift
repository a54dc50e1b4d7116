import Synchronization
import WireBase
import WireStore

/// The file of what may be lost: made anew when it is found to be damaged, by this process or another.
final class CacheFile: Sendable {
    private let folder: String
    private let limits: StoreLimits
    private let state: Mutex<State>

    private struct State {
        var shelf: Shelf
        /// Which file it is, so that one is noticed that another process has put in its place.
        var identity: Folder.Identity?
        var isRenewing = false
    }

    /// A file, and what was read from it lately; whoever has the one has the connection that the other looks at.
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

    /// Reads an answer, from memory where nothing was committed since it was read last; none where the file turns out to be
    /// damaged.
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

    /// How much a region holds; nothing where the file turns out to be damaged.
    func cacheUsage(of region: String) throws(StoreFailure) -> StoreUsage {
        try read(or: StoreUsage(entries: 0, size: .bytes(0))) { connection throws(StoreFailure) in
            try connection.cacheUsage(of: region)
        }
    }

    /// Reads several things as they were at one moment; another result where the file turns out to be damaged.
    func read<Result>(
        or other: Result,
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        try read(hold(), or: other, body)
    }

    /// The file at one moment, to be read several times.
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

    /// The state of the file, as far as it can be told without reading it.
    var glance: RecordGlance? { state.withLock { $0.shelf }.recent.glance }

    /// How much is answered from memory.
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

    /// Leaves nothing on the disk of what was forgotten.
    func shred() async throws(StoreFailure) {
        let shelf = state.withLock { $0.shelf }
        do throws(StoreFailure) {
            try await shelf.database.writer.shred()
        } catch  where error.kind == .corrupt {
            // One that is damaged is removed with whatever it holds.
            try renew(shelf, isDamaged: true)
        }
    }

    func close() async {
        await state.withLock { $0.shelf }.close()
    }

    /// Puts a file in the place of one that is damaged or gone.
    ///
    /// The old one is closed when nobody uses it any more.
    private func renew(_ former: Shelf, isDamaged: Bool) throws(StoreFailure) {
        let (isMine, identity) = state.withLock { state in
            let isMine = state.shelf === former && !state.isRenewing
            if isMine { state.isRenewing = true }
            return (isMine, state.identity)
        }
        // Somebody else is at it, or done; what is asked meanwhile fails once more and is asked again.
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
