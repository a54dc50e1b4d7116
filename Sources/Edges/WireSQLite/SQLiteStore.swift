package import WireStore

/// The store of a group: two files in a folder, shared by the processes that use it.
///
/// `state.db` holds what must not be lost: when a write returns, the disk has confirmed it. Reading is done on the
/// calling thread; writing by one thread, many writes at a time.
package final class SQLiteStore: KeyValueStore {
    let state: Database
    let changes: Changes
    let sealer: any Sealer
    let clock: StoreClock
    let limits: StoreLimits
    private let presence: PresenceKept

    private init(
        state: Database,
        changes: Changes,
        sealer: any Sealer,
        clock: StoreClock,
        limits: StoreLimits,
        presence: PresenceKept
    ) {
        self.state = state
        self.changes = changes
        self.sealer = sealer
        self.clock = clock
        self.limits = limits
        self.presence = presence
    }

    /// Opens the store of a folder, and makes what is missing: the folder, its files, their newest version.
    ///
    /// Nothing is written to a file that is damaged, of another program or of a newer version of this one. Blocks while
    /// another process opens the same folder.
    package static func open(
        folder: String,
        sealer: any Sealer,
        clock: StoreClock = .system,
        limits: StoreLimits = StoreLimits()
    ) throws(StoreFailure) -> SQLiteStore {
        let opening = try Opening(folder, limits: limits)
        let connection = try opening.open("state.db", as: .state)
        let path = "\(opening.folder.path)/state.db"
        let changes = Changes(log: "\(path)-wal")
        let writer = Writer(connection, name: "store: state", onCommit: changes.tell)
        return SQLiteStore(
            state: Database(path, writer: writer, patience: limits.patience),
            changes: changes,
            sealer: sealer,
            clock: clock,
            limits: limits,
            presence: try opening.finish()
        )
    }

    /// Writes what waits, and closes the files; everything asked for afterwards is refused.
    package func close() async {
        changes.close()
        await state.close()
    }
}
