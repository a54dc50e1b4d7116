import Synchronization
import WireConfig
import WireService
import WireStateContract
import WireStore
import WireTelemetry

/// Reports once that a namespace has reached a limit, and again only after there was room.
final class Fullness: Sendable {
    private let host: ServiceHost
    private let full = Mutex<Set<String>>([])

    init(_ host: ServiceHost) {
        self.host = host
    }

    /// Reports a write that was rejected for a limit.
    func record(_ limit: StorageQuota.Limit, in namespace: String) {
        guard limit != .value else { return }
        let isOfNamespaces = limit == .namespaces || limit == .namespacesTogether
        // A caller that generates names meets the limit with each of them; it is reported once.
        tell(
            namespace,
            noted: isOfNamespaces ? Self.anyNamespace : namespace,
            "a limit is reached, writes are rejected",
            limit: limit
        )
    }

    /// An entry was removed, and a namespace may have gone with it.
    func noteRemoval() { full.withLock { _ = $0.remove(Self.anyNamespace) } }

    /// A value that is no valid namespace.
    private static let anyNamespace = ""

    /// Notes a successful write, for which some entries were removed.
    func record(quota removed: Int, in namespace: String) {
        if removed > 0 {
            tell(
                namespace,
                noted: namespace,
                "a limit is reached, the oldest entries are removed"
            )
        } else {
            full.withLock { _ = $0.remove(namespace) }
        }
    }

    private func tell(
        _ namespace: String,
        noted: String,
        _ message: String,
        limit: StorageQuota.Limit? = nil
    ) {
        let isChange = full.withLock { full in
            // Bounds the memory for generated names.
            if full.count >= 1_000 { full = [] }
            return full.insert(noted).inserted
        }
        guard isChange else { return }
        host.log.warning(message, ["namespace": .text(namespace)])
        var event = StateEvent(namespace)
        (event.limit, event.removesOldest) = (limit?.rawValue, limit == nil ? true : nil)
        host.emit(StateEvents.full, event)
    }
}
