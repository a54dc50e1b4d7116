import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

/// An injected fault: which requests fail, how, and for how long.
struct OrderedFault: Sendable {
    let id: String
    let order: BackendFaultOrder
    /// The seed of the random choices.
    let seed: UInt64
    /// The end, on the monotonic clock.
    let ends: Duration?
    /// The number of requests that matched, and of those that failed.
    var seen: UInt64 = 0
    var met = 0

    /// Whether the fault applies to a request.
    func isAbout(_ request: Request) -> Bool {
        (order.methods.map { $0.contains(request.method.name) } ?? true)
            && request.target.path.hasPath(order.path ?? "/")
            && (order.header.map { request.fields[$0] != nil } ?? true)
    }

    /// Counts a matching request and decides whether it fails.
    mutating func strikes() -> Bool {
        if let count = order.count, met >= count { return false }
        defer { seen += 1 }
        let percent = order.percent ?? 100
        guard percent >= 100 || SplitMix.part(of: seed, at: seen) * 100 < percent else { return false }
        met += 1
        return true
    }

    func isOver(at now: Duration) -> Bool {
        (ends.map { $0 <= now } ?? false) || (order.count.map { met >= $0 } ?? false)
    }

    /// Whether the fault lasts until it is cleared, across restarts of the runner.
    var isLasting: Bool { ends == nil && order.count == nil }

    /// The stored form of a lasting fault, with all members that earlier releases need.
    var kept: JSONValue {
        var kept = order
        (kept.path, kept.percent) = (order.path ?? "/", order.percent ?? 100)
        kept.seed = Int(truncatingIfNeeded: seed)
        return kept.json
    }

    func report(at now: Duration) -> BackendFault {
        BackendFault(id, order, met: met, endsInSeconds: ends.map { max(0, Int(($0 - now).inSeconds.rounded(.up))) })
    }
}

extension String {
    /// Whether a path equals another or is below it: `/api/x` is below `/api`, `/apix` is not.
    fileprivate func hasPath(_ prefix: String) -> Bool {
        if prefix == "/" { return true }
        let bare = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        return self == bare || hasPrefix(bare + "/")
    }
}
