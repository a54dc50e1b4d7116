import Synchronization
import WireBase
import WireStore

/// Finds the kinds of notifications that no runner of the group claims, since the apps that they need are not connected
/// to any: then any runner handles them.
///
/// A runner that has the apps claims what is due longest first, however many wait. So a kind is abandoned if its first
/// notification stays the same.
final class AbandonedKinds: Sendable {
    private struct State {
        /// The first due notification of each kind, and since when it has been that.
        var first: [String: (id: String, since: Duration)] = [:]
        var kinds: Set<String> = []
    }

    private let state = Mutex(State())

    /// The pause between two looks.
    static let interval = Duration.seconds(10)
    /// Longer than the usual timeout of a handler, for which a claim may have to wait.
    private static let patience = Duration.seconds(30)

    var kinds: Set<String> { state.withLock { $0.kinds } }

    /// Looks for notifications that are due and of no kind of this runner.
    func look(at repository: NotificationRepository, besides own: Set<String>, _ clock: TimeSource)
        async throws(StoreFailure)
    {
        var first: [String: WaitingWork] = [:]
        if try await repository.work.nextDue(in: repository.queue) == .zero {
            for item in try await repository.work.list(repository.queue, after: nil, limit: 500)
            where !item.isClaimed && item.wait <= .zero && !own.contains(item.kind) {
                if let former = first[item.kind], former.due <= item.due { continue }
                first[item.kind] = item
            }
        }
        let (found, now) = (first, clock.monotonic())
        state.withLock { state in
            let former = state.first
            state.first = found.mapValues { item in
                if let same = former[item.kind], same.id == item.id { same } else { (item.id, now) }
            }
            state.kinds.formIntersection(found.keys)
            for (kind, item) in state.first where now - item.since >= Self.patience { state.kinds.insert(kind) }
        }
    }
}
