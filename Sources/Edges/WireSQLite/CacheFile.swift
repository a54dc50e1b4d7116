import Synchronization
import WireStore

/// The file of what may be lost: made anew when it is found to be damaged, by this process or another.
final class CacheFile: Sendable {
    private let folder: String
    private let limits: StoreLimits
    private let state: Mutex<State>

    private struct State {
        var database: Database
        /// Which file it is, so that one is noticed that another process has put in its place.
        var identity: Folder.Identity?
        var isRenewing = false
    }

    static let name = "cache.db"

    init(in opening: borrowing Opening, limits: StoreLimits) throws(StoreFailure) {
        folder = opening.folder.path
        self.limits = limits
        let (database, identity) = try Self.open(in: opening, limits)
        state = Mutex(State(database: database, identity: identity))
    }

    /// Reads what is cached; nothing where the file turns out to be damaged.
    func read<Result>(
        orElse nothing: Result,
        _ body: (inout Connection) throws(StoreFailure) -> Result
    ) throws(StoreFailure) -> Result {
        let database = state.withLock { $0.database }
        do throws(StoreFailure) {
            return try database.read(body)
        } catch  where error.kind == .corrupt {
            try renew(database, isDamaged: true)
            return nothing
        }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (inout Connection) throws(StoreFailure) -> Result
    ) async throws(StoreFailure) -> Result {
        let (known, identity) = state.withLock { ($0.database, $0.identity) }
        if Folder.identity(of: known.path) != identity { try renew(known, isDamaged: false) }
        let database = state.withLock { $0.database }
        do throws(StoreFailure) {
            return try await database.writer.write(body)
        } catch  where error.kind == .corrupt {
            try renew(database, isDamaged: true)
            return try await state.withLock { $0.database }.writer.write(body)
        }
    }

    func close() async {
        await state.withLock { $0.database }.close()
    }

    /// Puts a file in the place of one that is damaged or gone.
    ///
    /// The old one is closed when nobody uses it any more.
    private func renew(_ former: Database, isDamaged: Bool) throws(StoreFailure) {
        let (isMine, identity) = state.withLock { state in
            let isMine = state.database === former && !state.isRenewing
            if isMine { state.isRenewing = true }
            return (isMine, state.identity)
        }
        // Somebody else is at it, or done; what is asked meanwhile fails once more and is asked again.
        guard isMine else { return }
        defer { state.withLock { $0.isRenewing = false } }
        let opening = try Opening(folder, limits: limits)
        if isDamaged, Folder.identity(of: former.path) == identity { try opening.remove(Self.name) }
        let (database, found) = try Self.open(in: opening, limits)
        opening.endOpening()
        state.withLock { state in
            state.database = database
            state.identity = found
        }
    }

    private static func open(
        in opening: borrowing Opening,
        _ limits: StoreLimits
    ) throws(StoreFailure) -> (Database, Folder.Identity?) {
        let path = "\(opening.folder.path)/\(name)"
        var connection: Connection
        do throws(StoreFailure) {
            connection = try opening.open(name, as: .cache)
        } catch  where error.kind == .corrupt {
            try opening.remove(name)
            connection = try opening.open(name, as: .cache)
        }
        let writer = Writer(connection, name: "store: cache", onCommit: {})
        return (Database(path, writer: writer, patience: limits.patience), Folder.identity(of: path))
    }
}
