import Synchronization

/// What was read from the cache since it was last written to: reading itself writes nothing.
final class RecentUses: Sendable {
    struct Use: Hashable, Sendable {
        let region: String
        let key: String
    }

    private let uses = Mutex<(order: [Use], known: Set<Use>)>(([], []))

    /// Notes a use; past a bound only the first ones are known, which is near enough.
    func note(_ key: String, in region: String) {
        let use = Use(region: region, key: key)
        uses.withLock { uses in
            if uses.order.count < Self.most, uses.known.insert(use).inserted { uses.order.append(use) }
        }
    }

    /// The uses noted, in the order they happened, which are then no longer noted.
    func take() -> [Use] {
        uses.withLock { uses in
            defer { uses = ([], []) }
            return uses.order
        }
    }

    private static let most = 1_024
}
