import WireBase
import WireService
import WireStore

/// Where a session is kept, for all processes of a group: sealed, by environment and mode.
struct SessionVault: Sendable {
    let stores: Stores
    /// The environment and the mode it is of.
    let scope: String

    /// No name that apps can reach begins so.
    static let namespace = "corewire/auth"

    init(_ stores: Stores, environment: String, mode: String) {
        self.stores = stores
        scope = "\(environment)/\(mode)"
    }

    // MARK: Values

    /// Something that is kept, and which version of it.
    struct Kept<Value: Sendable>: Sendable {
        let value: Value
        let version: Int64
    }

    func session() throws(StoreFailure) -> Kept<SessionRecord>? {
        guard let entry = try stores.values.entry("\(scope)/session", in: Self.namespace) else { return nil }
        do throws(Fault) {
            return Kept(value: try SessionRecord(entry.bytes), version: entry.summary.version)
        } catch {
            throw StoreFailure(.newer, error.reason, help: "run the version that wrote it, or sign out and in again")
        }
    }

    /// Keeps a session where nobody has changed it since; returns its version when it is on the disk.
    func put(_ record: SessionRecord, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await put(record.bytes, under: "\(scope)/session", after: version)
    }

    func lock() throws(StoreFailure) -> Kept<LockRecord>? {
        guard let entry = try stores.values.entry("\(scope)/lock", in: Self.namespace) else { return nil }
        guard let record = LockRecord(entry.bytes) else {
            // Whoever cannot read whether it is locked must not take it for open.
            throw StoreFailure(.newer, "the lock in the store is not as this program writes it")
        }
        return Kept(value: record, version: entry.summary.version)
    }

    func put(_ lock: LockRecord, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await put(lock.bytes, under: "\(scope)/lock", after: version)
    }

    /// Removes the lock of a session; another session's stays.
    func removeLock(of session: String) async throws(StoreFailure) {
        guard let entry = try stores.values.entry("\(scope)/lock", in: Self.namespace),
            LockRecord(entry.bytes).map({ $0.session == session }) ?? true
        else { return }
        // Another process may have removed it, or begun another.
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

    // MARK: Forgetting

    /// Forgets the session and its lock; how many of each there were.
    ///
    /// Nobody is told: whoever watches finds nothing.
    func forget() async throws(StoreFailure) -> (sessions: Int, locks: Int) {
        // What cannot be read is one as well.
        let isSession = (try? session()).map { $0?.value.session != nil } ?? true
        let hadSession = try await stores.values.remove("\(scope)/session", in: Self.namespace, if: .always)
        let hadLock = try await stores.values.remove("\(scope)/lock", in: Self.namespace, if: .always)
        _ = try await stores.queue.forget(queues: endings)
        return (hadSession && isSession ? 1 : 0, hadLock ? 1 : 0)
    }

    /// Forgets those of all environments.
    static func forgetAll(in stores: Stores) async throws(StoreFailure) -> (sessions: Int, locks: Int) {
        var counts = (sessions: 0, locks: 0)
        while true {
            let page = try stores.values.list(Self.namespace, prefix: "", after: nil, limit: 100)
            guard !page.isEmpty else {
                _ = try await stores.queue.forget(queues: endings)
                return counts
            }
            for summary in page {
                let isLock = summary.key.hasSuffix("/lock")
                let entry = try? stores.values.entry(summary.key, in: Self.namespace)
                let record = entry.flatMap { try? SessionRecord($0.bytes) }
                guard try await stores.values.remove(summary.key, in: Self.namespace, if: .always) else { continue }
                if isLock {
                    counts.locks += 1
                } else if record.map({ $0.session != nil }) ?? true {
                    counts.sessions += 1
                }
            }
        }
    }

    // MARK: Changes

    /// The version everything that happens from now on is after.
    func latest() throws(StoreFailure) -> Int64 {
        try stores.values.changes(after: .max, in: Self.namespace, limit: 1).version
    }

    // MARK: Who may renew

    /// The right to renew, for as long as the lease is extended; nil while another process or generation has it.
    ///
    /// An item of a queue is what a lease needs: no setting of a clock ends it early, each claim has a greater number than
    /// those before, and a restart of the machine sets it free.
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
        // Where it cannot be given back it is free when the lease ends.
        _ = try? await stores.queue.giveBack(claim, after: .zero, because: "")
    }

    /// Returns when the right to renew may be free.
    func claimable() async { try? await stores.queue.due(in: queue) }

    private var queue: String { "\(Self.namespace)/\(scope)" }

    /// The queue of tokens to be taken back.
    var endings: String { "\(Self.endings)\(scope)" }
    private static let endings = "\(namespace)-end/"

    static let lease = Duration.seconds(6)
    static let leasePulse = Duration.seconds(2)
}
