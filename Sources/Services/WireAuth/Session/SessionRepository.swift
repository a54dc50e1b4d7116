import WireBase
import WireService
import WireStore

/// The repository of sessions, shared by all processes of a group: sealed, by environment and mode.
struct SessionRepository: Sendable {
    let stores: Stores
    /// The environment and the mode of the session.
    let scope: String

    /// The prefix keeps the records out of reach of apps.
    static let namespace = "corewire/auth"

    init(_ stores: Stores, environment: String, mode: String) {
        self.stores = stores
        scope = "\(environment)/\(mode)"
    }

    // MARK: Values

    /// A stored value with its version.
    struct Versioned<Value: Sendable>: Sendable {
        let value: Value
        let version: Int64
    }

    func session() throws(StoreFailure) -> Versioned<SessionRecord>? {
        guard let entry = try stores.values.entry("\(scope)/session", in: Self.namespace) else { return nil }
        do throws(Fault) {
            return Versioned(value: try SessionRecord(entry.bytes), version: entry.summary.version)
        } catch {
            throw StoreFailure(
                .newer,
                error.reason,
                help: "run the version that wrote the session, or sign out and in again"
            )
        }
    }

    /// Stores a session if it is unchanged since a version; returns the new version after the flush.
    func put(_ record: SessionRecord, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await put(record.bytes, under: "\(scope)/session", after: version)
    }

    func lock() throws(StoreFailure) -> Versioned<LockRecord>? {
        guard let entry = try stores.values.entry("\(scope)/lock", in: Self.namespace) else { return nil }
        guard let record = LockRecord(entry.bytes) else {
            // A lock that cannot be read must not count as open.
            throw StoreFailure(.newer, "the lock in the store has an unknown format")
        }
        return Versioned(value: record, version: entry.summary.version)
    }

    func put(_ lock: LockRecord, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await put(lock.bytes, under: "\(scope)/lock", after: version)
    }

    /// Removes the lock of a session; another session's stays.
    func removeLock(of session: String) async throws(StoreFailure) {
        guard let entry = try stores.values.entry("\(scope)/lock", in: Self.namespace),
            LockRecord(entry.bytes).map({ $0.session == session }) ?? true
        else { return }
        // Another process may have removed the lock, or begun another session.
        _ = try await nilOnConflict { () async throws(StoreFailure) in
            try await stores.values.remove("\(scope)/lock", in: Self.namespace, if: .version(entry.summary.version))
        }
    }

    private func put(_ bytes: [UInt8], under key: String, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await stores.values.put(
            NewValue(bytes, type: "application/json", isSealed: true),
            under: key,
            in: Self.namespace,
            if: version.map { .version($0) } ?? .absent
        ).version
    }

    // MARK: Erasing

    /// Erases the session and its lock, and counts them.
    ///
    /// No event is sent: watchers find no record.
    func forget(with eraser: Eraser, _ erased: inout ErasedSessions) async throws(StoreFailure) {
        try await Self.forget(keysBeginning: "\(scope)/", in: stores, with: eraser, &erased)
        try await eraser.forget(queues: endings)
    }

    /// Erases the sessions and locks of all environments, and counts them.
    static func forgetAll(in stores: Stores, with eraser: Eraser, _ erased: inout ErasedSessions)
        async throws(StoreFailure)
    {
        try await forget(keysBeginning: "", in: stores, with: eraser, &erased)
        try await eraser.forget(queues: endings)
    }

    private static func forget(
        keysBeginning prefix: String,
        in stores: Stores,
        with eraser: Eraser,
        _ erased: inout ErasedSessions
    ) async throws(StoreFailure) {
        try await eraser.clear(namespace, keysBeginning: prefix) { key throws(StoreFailure) in
            if key.hasSuffix("/lock") {
                erased.locks += 1
            } else if let entry = try? stores.values.entry(key, in: namespace),
                let record = try? SessionRecord(entry.bytes), record.session == nil
            {
                // The record of an ended session. One that cannot be read counts as a session.
                return
            } else {
                erased.sessions += 1
            }
        }
    }

    // MARK: Changes

    /// The latest version of the store, for watching later changes.
    func latest() throws(StoreFailure) -> Int64 {
        try stores.values.changes(after: .max, in: Self.namespace, limit: 1).version
    }

    // MARK: The renewal lease

    /// Claims the lease for renewing; nil while another process or generation has it.
    ///
    /// The lease is a queue entry: a clock change does not end it early, each claim has a greater number than those
    /// before, and a restart of the machine frees it.
    func claim(by owner: String) async throws(StoreFailure) -> ClaimedWork? {
        let item = NewWork(id: "renewal", lane: "renewal", payload: [])
        if let claim = try await stores.queue.claim(from: queue, by: owner, for: Self.lease) { return claim }
        guard try await stores.queue.add(item, to: queue) else { return nil }
        return try await stores.queue.claim(from: queue, by: owner, for: Self.lease)
    }

    func extend(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool {
        try await stores.queue.extend(claim, by: Self.lease)
    }

    func giveBack(_ claim: ClaimedWork) async {
        // If the lease cannot be given back, it ends by itself.
        _ = try? await stores.queue.requeue(claim, after: .zero, because: "")
    }

    /// Returns when the lease may be free.
    func claimable() async { try? await stores.queue.waitUntilDue(in: queue) }

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
