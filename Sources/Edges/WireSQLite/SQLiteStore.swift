package import WireStore

/// The store of a group: two files in a folder, shared by the processes that use it.
///
/// `state.db` holds durable data: when a write returns, the disk has confirmed it. Reads happen on the calling
/// thread, from memory where nothing has changed; writes on one thread, many in a transaction. `cache.db` holds data
/// that may be lost, and is recreated when damaged.
package final class SQLiteStore: ImmediateValues {
    let state: Database
    let changes: Changes
    let cache: CacheFile
    let uses = RecentUses()
    let sweeper: Sweeper
    let recent: RecentEntries
    let sealer: any Sealer
    let clock: StoreClock
    let limits: StoreLimits
    /// Whether the store was created when it was opened.
    package let isNew: Bool
    /// Whether no process had it open before, and no program of a former process still worked for it.
    package let wasIdle: Bool
    /// The descriptor that programs doing claimed work inherit.
    package let hold: WorkHold
    /// The owner of claims made with this store.
    let owner = Int64.random(in: 1 ... .max)
    private let presence: PresenceLock

    private init(
        _ connection: consuming Connection,
        cache: CacheFile,
        path: String,
        fileCheck: StoreFileCheck,
        mark: MarkUpdater?,
        notice: String,
        isNew: Bool,
        wasIdle: Bool,
        hold: WorkHold,
        sealer: any Sealer,
        clock: StoreClock,
        limits: StoreLimits,
        presence: PresenceLock
    ) {
        changes = Changes(by: notice, connection.logIndex, clock: clock) { presence.hasOthers }
        recent = RecentEntries(connection.logIndex, upTo: limits.recentSize)
        state = Database(
            path,
            writer: Writer(
                connection,
                name: "store: state",
                confirmation: Schema.state.confirmation,
                fileCheck: fileCheck,
                mark: mark,
                onCommit: changes.notify
            ),
            patience: limits.patience
        )
        sweeper = Sweeper(state.writer, clock: clock, history: limits.history)
        self.cache = cache
        self.sealer = sealer
        self.clock = clock
        self.limits = limits
        (self.isNew, self.wasIdle) = (isNew, wasIdle)
        self.hold = hold
        self.presence = presence
    }

    /// Opens the store of a folder, creating or migrating the folder and its files as necessary.
    ///
    /// A file that is damaged, of another program or of a newer version is not written to. Blocks while another
    /// process opens the same folder.
    package static func open(
        folder: String,
        sealer: any Sealer,
        clock: StoreClock = .system,
        limits: StoreLimits = StoreLimits()
    ) throws(StoreFailure) -> SQLiteStore {
        let opening = try Opening(folder, limits: limits)
        let mark = try Mark.read(in: opening.folder)
        let isNew = opening.folder.size(of: Opening.stateName) ?? 0 == 0
        var connection = try opening.open(Opening.stateName, as: .state, marked: mark)
        try connection.rebase(to: clock, endingLeases: opening.isIdle)
        let path = "\(opening.folder.path)/\(Opening.stateName)"
        let fileCheck = StoreFileCheck(of: Opening.stateName, in: opening.folder.path, lock: Opening.lockName)
        let markUpdater = try MarkUpdater(of: &connection, in: opening.folder, after: mark)
        let cache = try CacheFile(in: opening, limits: limits)
        let lock = "\(opening.folder.path)/\(Opening.lockName)"
        let store = SQLiteStore(
            connection,
            cache: cache,
            path: path,
            fileCheck: fileCheck,
            mark: markUpdater,
            notice: lock,
            isNew: isNew,
            wasIdle: opening.isIdle,
            hold: try WorkHold(lock),
            sealer: sealer,
            clock: clock,
            limits: limits,
            presence: try opening.finish()
        )
        store.sweeper.sweep()
        return store
    }

    // The index of the log ends with the connection.
    deinit { changes.close() }

    /// Finishes queued writes and closes the files; later calls fail.
    package func close() async {
        changes.close()
        recent.close()
        await state.close()
        await cache.close()
    }

    package func failure() async -> StoreFailure? { await state.writer.verdict.wait() }

    /// Deletes expired entries now.
    package func sweep() async throws(StoreFailure) {
        let (clock, history) = (clock, limits.history)
        var isMore = true
        while isMore {
            isMore = try await state.writer.write { connection throws(StoreFailure) in
                try connection.sweep(at: clock.now(), keeping: history)
            }
        }
    }
}
