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

    var records: Repository<TaskRecord> {
        Repository(in: stores.values, namespace: Self.namespace, prefix: "\(scope)/", of: "record of the task")
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
