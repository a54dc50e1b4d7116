import WireBase
import WireConfig
import WireService
import WireStore

/// The stored records of an environment's tasks, with the leases for running them.
///
/// The tasks of the file are those of the group; the tasks of services are each machine's own.
struct TaskRepository: Sendable {
    let store: DataStore
    /// The environment.
    let scope: String
    /// Whether no other machine sees it, while another repository is shared.
    let isLocal: Bool

    /// The repositories of an environment: that of the file's tasks first, that of services' tasks last, which may be
    /// the same.
    static func all(_ scope: String, in stores: Stores) -> [TaskRepository] {
        let usual = TaskRepository(store: stores[.tasks], scope: scope, isLocal: false)
        guard stores.isShared(.tasks) else { return [usual] }
        return [usual, TaskRepository(store: stores.device, scope: scope, isLocal: true)]
    }

    /// The prefix keeps the records out of reach of apps.
    static let namespace = "corewire/tasks"

    var records: Repository<TaskRecord> {
        Repository(in: store.values, namespace: Self.namespace, prefix: "\(scope)/", of: "record of the task")
    }

    // MARK: Leases

    /// Claims the lease of a group; nil while another process has it.
    ///
    /// The lease is a queue entry: a clock change does not end it early, each claim has a greater number than those
    /// before, and a restart of the machine frees it.
    func claim(_ group: String) async throws(StoreFailure) -> ClaimedWork? {
        let queue = queue(of: group)
        if let claim = try await store.queue.claim(from: queue, for: Self.lease) { return claim }
        // The entry is never completed, only given back and claimed again.
        guard try await store.queue.add(NewWork(id: "run", lane: "run", payload: []), to: queue) else { return nil }
        return try await store.queue.claim(from: queue, for: Self.lease)
    }

    func extend(_ claim: ClaimedWork) async throws(StoreFailure) -> Bool {
        try await store.queue.extend(claim, by: Self.lease)
    }

    func giveBack(_ claim: ClaimedWork) async {
        // If the lease cannot be given back, it ends by itself.
        _ = try? await store.queue.requeue(claim, after: .zero, because: "")
    }

    /// The queue of a group, with a name within the limit: a custom environment is named by its URL.
    ///
    /// Two groups with the same shortened name only exclude each other.
    private func queue(of group: String) -> String {
        "\(Self.namespace)/\(String(decoding: "\(scope)/\(group)".utf8.suffix(200), as: UTF8.self))"
    }

    static let lease = Duration.seconds(30)
    static let leasePulse = Duration.seconds(10)
}
