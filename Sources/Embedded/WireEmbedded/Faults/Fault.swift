import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

/// A fault that was asked for: what happens to requests, to which of them, and for how long.
struct OrderedFault: Sendable {
    let id: String
    let order: BackendFaultOrder
    /// What chance begins with.
    let seed: UInt64
    /// When it ends, by the clock that only grows.
    let ends: Duration?
    /// How many requests it could have met, and how many it has.
    var seen: UInt64 = 0
    var met = 0

    /// Whether a request is one that it is about.
    func isAbout(_ request: Request) -> Bool {
        (order.methods.map { $0.contains(request.method.name) } ?? true)
            && request.target.path.hasPath(order.path ?? "/")
            && (order.header.map { request.fields[$0] != nil } ?? true)
    }

    /// Whether it meets the next request that it is about.
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

    /// Whether it is on until it is cleared, also when the runner starts again.
    var isLasting: Bool { ends == nil && order.count == nil }

    /// What is kept of a lasting fault, with all that former programs ask for.
    var kept: JSONValue {
        var kept = order
        (kept.path, kept.percent) = (order.path ?? "/", order.percent ?? 100)
        kept.seed = Int(truncatingIfNeeded: seed)
        return kept.json
    }

    func told(at now: Duration) -> BackendFault {
        BackendFault(id, order, met: met, endsInSeconds: ends.map { max(0, Int(($0 - now).inSeconds.rounded(.up))) })
    }
}

extension String {
    /// Whether a path is another one, or below it: `/api` has `/api/x` below it, and not `/apix`.
    fileprivate func hasPath(_ prefix: String) -> Bool {
        if prefix == "/" { return true }
        let bare = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
        return self == bare || hasPrefix(bare + "/")
    }
}
