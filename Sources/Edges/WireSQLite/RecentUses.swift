import Synchronization

/// The entries of the cache read since its last write; reads alone write nothing.
final class RecentUses: Sendable {
    struct Use: Hashable, Sendable {
        let region: String
        let key: String
    }

    private let uses = Mutex<(order: [Use], known: Set<Use>)>(([], []))

    /// Records a use; beyond a limit further uses are ignored, which is accurate enough.
    func record(_ key: String, in region: String) {
        let use = Use(region: region, key: key)
        uses.withLock { uses in
            if uses.order.count < Self.most, uses.known.insert(use).inserted { uses.order.append(use) }
        }
    }

    /// Returns the recorded uses in order and clears them.
    func drain() -> [Use] {
        uses.withLock { uses in
            defer { uses = ([], []) }
            return uses.order
        }
    }

    private static let most = 1_024
}
