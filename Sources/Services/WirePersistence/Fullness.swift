import Synchronization
import WireConfig
import WireService
import WireStateContract
import WireStore
import WireTelemetry

/// Tells once that a namespace has reached a limit, and again only when it had room in between.
final class Fullness: Sendable {
    private let host: ServiceHost
    private let full = Mutex<Set<String>>([])

    init(_ host: ServiceHost) {
        self.host = host
    }

    /// A write was refused for a limit.
    func note(_ limit: StoreRoom.Limit, in namespace: String) {
        guard limit != .value else { return }
        let isOfNamespaces = limit == .namespaces || limit == .namespacesTogether
        // Whoever makes up names meets the limit with each of them: that is one piece of news.
        tell(
            namespace,
            noted: isOfNamespaces ? Self.anyNamespace : namespace,
            "a limit is reached, writes are refused",
            limit: limit
        )
    }

    /// Something was removed, and a namespace may have gone with it.
    func noteRemoval() { full.withLock { _ = $0.remove(Self.anyNamespace) } }

    /// No name of a namespace.
    private static let anyNamespace = ""

    /// A write has succeeded, and so many entries made room for it.
    func note(room removed: Int, in namespace: String) {
        if removed > 0 {
            tell(
                namespace,
                noted: namespace,
                "a limit is reached, the oldest entries make room"
            )
        } else {
            full.withLock { _ = $0.remove(namespace) }
        }
    }

    private func tell(
        _ namespace: String,
        noted: String,
        _ message: String,
        limit: StoreRoom.Limit? = nil
    ) {
        let isNews = full.withLock { full in
            // Whoever makes up names without end is not remembered without end.
            if full.count >= 1_000 { full = [] }
            return full.insert(noted).inserted
        }
        guard isNews else { return }
        host.log.warning(message, ["namespace": .text(namespace)])
        var event = StateEvent(namespace)
        (event.limit, event.removesOldest) = (limit?.rawValue, limit == nil ? true : nil)
        host.emit(StateEvents.full, event)
    }
}
