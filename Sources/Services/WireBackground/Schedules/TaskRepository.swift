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
    /// How long a claim lasts without an extension.
    ///
    /// In a store of a group a run goes on while the store is away, until the others have given this runner up.
    var lease: Duration { max(.seconds(30), (store.givesUpAfter ?? .zero) + Self.leasePulse) }

    /// The repositories of an environment: that of the file's tasks first, that of services' tasks last, which may be
    /// the same.
    static func all(_ scope: String, in stores: Stores) -> [TaskRepository] {
        let store = stores[.tasks]
        guard stores.isShared(.tasks) else {
            return [TaskRepository(store: store, scope: scope, isLocal: false)]
        }
        return [
            TaskRepository(store: store, scope: scope, isLocal: false),
            TaskRepository(store: stores.device, scope: scope, isLocal: true),
        ]
    }

    /// The prefix keeps the records out of reach of apps.
    static let namespace = SharedData.tasks.root

    var records: Repository<TaskRecord> {
        Repository(in: store.values, namespace: Self.namespace, prefix: "\(scope)/", of: "record of the task")
    }

    // MARK: Leases

    /// Claims the lease of a group; nil while another process has it.
    ///
    /// The lease is a queue entry: a clock change does not end it early, each claim has a greater number than those
    /// before, and a restart of the machine frees it.
    func claim(_ group: String, _ clock: TimeSource) async throws(StoreFailure) -> HeldClaim? {
        let (queue, lease) = (queue(of: group), lease)
        func claim() async throws(StoreFailure) -> HeldClaim? {
            let began = clock.uptime()
            return try await store.queue.claim(from: queue, for: lease).map { HeldClaim($0, since: began, for: lease) }
        }
        if let claim = try await claim() { return claim }
        // The entry is never completed, only given back and claimed again.
        guard try await store.queue.add(NewWork(id: "run", lane: "run", payload: []), to: queue) else { return nil }
        return try await claim()
    }

    func extend(_ held: HeldClaim, _ clock: TimeSource) async throws(StoreFailure) {
        try await store.queue.extend([held], by: lease, clock)
    }

    func giveBack(_ held: HeldClaim) async throws(StoreFailure) {
        var delay = WorkDelay(.zero, because: "")
        // Only claims of processes that died count: after many the lease lasts, as a pause.
        delay.isAttempt = false
        _ = try await store.queue.complete(
            [WorkEnding(held.claim, .later(delay))],
            claiming: nil,
            in: held.claim.queue
        )
    }

    /// The queue of a group, with a name within the limit: a custom environment is named by its URL.
    ///
    /// Two groups with the same shortened name only exclude each other.
    private func queue(of group: String) -> String {
        "\(Self.namespace)/\(String(decoding: "\(scope)/\(group)".utf8.suffix(200), as: UTF8.self))"
    }

    static let leasePulse = Duration.seconds(10)
}
