import WireBase
import WireHTTP
import WireService
import WireStore

/// The repository of sessions, shared by all processes of a group: sealed, by environment and mode.
struct SessionRepository: Sendable {
    let store: DataStore
    /// Whether other machines, whose clocks may differ, use the same records.
    let isShared: Bool
    /// The environment and the mode of the session.
    let scope: String
    private let sessions: Repository<SessionRecord>
    private let locks: Repository<LockRecord>

    /// The prefix keeps the records out of reach of apps.
    static let namespace = SharedData.auth.root

    init(_ stores: Stores, environment: String, mode: String) {
        (store, isShared) = (stores[.auth], stores.isShared(.auth))
        scope = "\(environment)/\(mode)"
        sessions = Self.sessions(store, prefix: "\(scope)/")
        locks = Repository(in: store.values, namespace: Self.namespace, prefix: "\(scope)/", isSealed: true) { _, _ in
            // A lock that cannot be read must not count as open.
            StoreFailure(.newer, "the lock in the store has an unknown format")
        }
    }

    private static func sessions(_ store: DataStore, prefix: String = "") -> Repository<SessionRecord> {
        Repository(in: store.values, namespace: namespace, prefix: prefix, isSealed: true) { _, mismatch in
            // The stored value may be a token, so neither the value nor the mismatch is shown.
            let reason =
                if mismatch.isOfNewerVersion {
                    "the session in the store was written by a later version"
                } else if mismatch.pointer.isEmpty {
                    "the session in the store is not JSON"
                } else {
                    "the session in the store has an unknown format"
                }
            return StoreFailure(
                .newer,
                reason,
                help: "run the version that wrote the session, or sign out and in again"
            )
        }
    }

    /// The names of the records of a scope.
    private static let (session, lock) = ("session", "lock")

    // MARK: Values

    func session() async throws(StoreFailure) -> Repository<SessionRecord>.Stored? {
        try await sessions.read(Self.session)
    }

    /// The session with its version; where there is none, the version of the store before it was read.
    func present() async throws(StoreFailure) -> Present {
        let latest = try await sessions.latest()
        let session = try await session()
        return (session, session?.version ?? latest)
    }

    typealias Present = (session: Repository<SessionRecord>.Stored?, version: Int64)

    /// Stores a session if it is unchanged since a version; returns the new version after the flush.
    func put(_ record: SessionRecord, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await sessions.put(record, of: Self.session, after: version)
    }

    /// Changes the session, safe against concurrent changes.
    func editSession<Answer>(
        _ change: (inout SessionRecord?) async throws(StoreFailure) -> Answer
    ) async throws(StoreFailure) -> (answer: Answer, stored: Repository<SessionRecord>.Stored?) {
        try await sessions.edit(Self.session, change)
    }

    func lock() async throws(StoreFailure) -> Repository<LockRecord>.Stored? { try await locks.read(Self.lock) }

    /// How long ago the lock was stored, by the clock of the store that machines share; nil for that of this machine, and
    /// where the store can only be read.
    func lockAge() async throws(StoreFailure) -> Duration? {
        guard isShared, let lock = try await store.values.summary("\(scope)/\(Self.lock)", in: Self.namespace) else {
            return nil
        }
        // The time of a write is that of the store.
        let probe = NewValue(Array("now".utf8), type: "text/plain")
        guard let now = try? await store.values.put(probe, under: scope, in: Self.clock, if: .always).modified else {
            return nil
        }
        _ = try? await store.values.remove(scope, in: Self.clock, if: .always)
        return .milliseconds(max(0, now - lock.modified))
    }

    private static let clock = "\(namespace)-clock"

    /// Changes the lock, safe against concurrent changes.
    func editLock<Answer>(
        _ change: (inout LockRecord?) async throws(StoreFailure) -> Answer
    ) async throws(StoreFailure) -> (answer: Answer, stored: Repository<LockRecord>.Stored?) {
        try await locks.edit(Self.lock, change)
    }

    /// Removes the lock of a session, or one that cannot be read; another session's stays.
    func removeLock(of session: String) async throws(StoreFailure) {
        guard let version = try await locks.version(of: Self.lock) else { return }
        if let lock = try await locks.readable(Self.lock), lock.record.session != session { return }
        // Another process may have removed the lock, or begun another session.
        _ = try await nilOnConflict { () async throws(StoreFailure) in
            try await locks.remove(Self.lock, if: .version(version))
        }
    }

    // MARK: Erasing

    /// Erases the session and its lock, and counts them.
    ///
    /// No event is sent: watchers find no record.
    func forget(with eraser: Eraser, _ erased: inout ErasedSessions) async throws(StoreFailure) {
        try await Self.forget(keysBeginning: "\(scope)/", with: eraser, &erased)
        try await eraser.forget(queues: endings)
    }

    /// Erases the sessions and locks of all environments, and counts them.
    static func forgetAll(with eraser: Eraser, _ erased: inout ErasedSessions) async throws(StoreFailure) {
        try await forget(keysBeginning: "", with: eraser, &erased)
        try await eraser.forget(queues: endings)
    }

    private static func forget(
        keysBeginning prefix: String,
        with eraser: Eraser,
        _ erased: inout ErasedSessions
    ) async throws(StoreFailure) {
        try await eraser.clear(namespace, keysBeginning: prefix) { key throws(StoreFailure) in
            if key.hasSuffix("/\(lock)") {
                erased.locks += 1
            } else if let stored = try? await sessions(eraser.store).read(key), stored.record.session == nil {
                // The record of an ended session. One that cannot be read counts as a session.
                return
            } else {
                erased.sessions += 1
            }
        }
    }

    // MARK: Changes

    /// Calls back at first, and whenever the session or its lock may have changed; returns when the task is cancelled.
    ///
    /// A call that fails is repeated after a delay.
    func follow(_ clock: TimeSource, _ changed: () async throws(StoreFailure) -> Void) async {
        await sessions.follow(clock, withPresent: true) { _ async throws(StoreFailure) in try await changed() }
    }

    /// Returns when the session has another version than a known one.
    func sessionChanged(from version: Int64?) async throws(StoreFailure) {
        var seen = try await sessions.latest()
        guard try await sessions.version(of: Self.session) == version else { return }
        while true {
            _ = try await store.values.changed(after: seen)
            let changes = try await sessions.changes(after: seen)
            if changes.hasGap || changes.names.contains(Self.session) { return }
            seen = changes.version
        }
    }

    // MARK: The renewal lease

    /// Claims the lease for renewing; nil while another process or generation has it.
    ///
    /// The lease is a queue entry: a clock change does not end it early, each claim has a greater number than those
    /// before, and a restart of the machine frees it.
    func claim() async throws(StoreFailure) -> ClaimedWork? {
        let item = NewWork(id: "renewal", lane: "renewal", payload: [])
        if let claim = try await store.queue.claim(from: queue, for: Self.lease) { return claim }
        guard try await store.queue.add(item, to: queue) else { return nil }
        return try await store.queue.claim(from: queue, for: Self.lease)
    }

    func extend(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool {
        try await store.queue.extend(claim, by: Self.lease)
    }

    func giveBack(_ claim: ClaimedWork) async {
        // If the lease cannot be given back, it ends by itself.
        _ = try? await store.queue.requeue(claim, after: .zero, because: "")
    }

    /// Returns when the lease may be free.
    func claimable() async { try? await store.queue.waitUntilDue(in: queue) }

    private var queue: String { "\(Self.namespace)/\(scope)" }

    /// The queue of tokens to be revoked.
    var endings: String { "\(Self.endings)\(scope)" }
    private static let endings = "\(namespace)-end/"

    static let lease = Duration.seconds(6)
    static let leasePulse = Duration.seconds(2)
}

/// The numbers of erased sessions and locks.
struct ErasedSessions {
    var sessions = 0
    var locks = 0
}
