import WireBase
import WireConfig
import WireService
import WireStore

/// What is kept of the tasks of an environment, and who may run them, for all processes of a group.
struct TaskShelf: Sendable {
    let stores: Stores
    /// The environment.
    let scope: String
    /// Tells this process, and this generation of it, from others.
    let owner: String

    /// No name that apps can reach begins so.
    static let namespace = "corewire/tasks"

    /// A record, and which version of it.
    struct Kept: Sendable {
        let record: TaskRecord
        let version: Int64
    }

    // MARK: Records

    func version(of name: String) throws(StoreFailure) -> Int64? {
        try stores.values.summary(key(name), in: Self.namespace)?.version
    }

    func record(of name: String) throws(StoreFailure) -> Kept? {
        guard let entry = try stores.values.entry(key(name), in: Self.namespace) else { return nil }
        guard let record = TaskRecord(entry.bytes) else {
            throw StoreFailure(
                .newer,
                "what is kept of the task \(name.quoted) is not as this program writes it",
                help: "run the version that wrote it"
            )
        }
        return Kept(record: record, version: entry.summary.version)
    }

    /// Keeps a record where nobody has changed it since; returns its version when it is on the disk.
    func put(_ record: TaskRecord, of name: String, after version: Int64?) async throws(StoreFailure) -> Int64 {
        try await stores.values.put(
            NewValue(record.bytes, type: "application/json"),
            under: key(name),
            in: Self.namespace,
            if: version.map { .version($0) } ?? .absent
        ).version
    }

    private func key(_ name: String) -> String { "\(scope)/\(name)" }

    // MARK: Changes

    /// Returns when something is kept anew, by this process or another one; nil where that cannot be told.
    func changed(after version: Int64) async -> Int64? {
        var version = version
        do throws(StoreFailure) {
            while true {
                let found = try stores.values.changes(after: version, in: Self.namespace, limit: 256)
                version = found.version
                if found.hasGap || !found.changes.isEmpty { return version }
                _ = try await stores.values.changed(after: version)
            }
        } catch {
            return nil
        }
    }

    func latest() throws(StoreFailure) -> Int64 {
        try stores.values.changes(after: .max, in: Self.namespace, limit: 1).version
    }

    // MARK: Who may run

    /// The right to run what is of a group, for as long as the lease is extended; nil while somebody else has it.
    ///
    /// An item of a queue is what a lease needs: no setting of a clock ends it early, each claim has a greater number than
    /// those before, and a restart of the machine sets it free.
    func claim(_ group: String) async throws(StoreFailure) -> ClaimedWork? {
        let queue = queue(of: group)
        if let claim = try await stores.queue.claim(from: queue, by: owner, for: Self.lease) { return claim }
        // Never done, only given back: the same item is claimed again and again.
        guard try await stores.queue.add(NewWork(id: "run", lane: "run", payload: []), to: queue) else { return nil }
        return try await stores.queue.claim(from: queue, by: owner, for: Self.lease)
    }

    func extend(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool {
        try await stores.queue.extend(claim, by: Self.lease)
    }

    func giveBack(_ claim: ClaimedWork) async {
        // Where it cannot be given back it is free when the lease ends.
        _ = try? await stores.queue.giveBack(claim, after: .zero, because: "")
    }

    /// The queue of a group, by a name no longer than those of queues may be: an environment may be called by a long URL.
    ///
    /// Of two groups that share a name nothing runs beside the other, and nothing else comes of it.
    private func queue(of group: String) -> String {
        "\(Self.namespace)/\(String(decoding: "\(scope)/\(group)".utf8.suffix(200), as: UTF8.self))"
    }

    static let lease = Duration.seconds(30)
    static let leasePulse = Duration.seconds(10)
}
