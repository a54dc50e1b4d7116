import WireBase
import WireConfig
import WireHTTP

/// A trouble that somebody asked for: what happens to requests, to which of them, and for how long.
struct OrderedFault: Sendable {
    /// What happens instead of an answer, or to it.
    enum Kind: Sendable, Equatable {
        /// Another status, and when to come again.
        case status(Int, retryAfter: Duration?)
        /// The answer comes late.
        case latency(Duration)
        /// The connection is cut before anything is answered.
        case reset
        /// Nothing is answered, ever.
        case blackHole
        /// The body of the answer comes a few bytes a second.
        case drip(bytesPerSecond: Int)
        /// The connection is cut halfway through the body.
        case truncate
        /// The answer says that it is longer than it is, and the connection stays.
        case wrongLength
    }

    let id: String
    let kind: Kind
    /// What the paths begin with that it is about.
    let path: String
    /// The methods it is about; all where empty.
    let methods: [String]
    /// A header field that requests have which it is about; all requests where nil.
    let header: String?
    /// Which part of the requests it meets, in percent.
    let percent: Double
    /// How many requests it meets at the most.
    let count: Int?
    /// What chance begins with.
    let seed: UInt64
    /// When it ends, and when it was asked for, by the clock that only grows.
    let ends: Duration?
    /// How many requests it could have met, and how many it has.
    var seen: UInt64 = 0
    var met = 0

    /// Whether a request is one that it is about.
    func isAbout(_ request: Request) -> Bool {
        (methods.isEmpty || methods.contains(request.method.name)) && request.target.path.hasPath(path)
            && (header.map { request.fields[$0] != nil } ?? true)
    }

    /// Whether it meets the next request that it is about.
    mutating func strikes() -> Bool {
        if let count, met >= count { return false }
        defer { seen += 1 }
        guard percent >= 100 || SplitMix.part(of: seed, at: seen) * 100 < percent else { return false }
        met += 1
        return true
    }

    func isOver(at now: Duration) -> Bool {
        (ends.map { $0 <= now } ?? false) || (count.map { met >= $0 } ?? false)
    }

    /// Whether it is on until it is cleared, also when the runner starts again.
    var isLasting: Bool { ends == nil && count == nil }

    /// What is kept of a lasting fault.
    var kept: JSONValue {
        .object((json(at: .zero).members ?? []) + [("seed", .integer(Int(truncatingIfNeeded: seed)))])
    }

    func json(at now: Duration) -> JSONValue {
        var (status, retryAfter, latency, speed) = (Int?.none, Duration?.none, Duration?.none, Int?.none)
        switch kind {
        case .status(let code, let pause): (status, retryAfter) = (code, pause)
        case .latency(let delay): latency = delay
        case .drip(let bytes): speed = bytes
        case .reset, .blackHole, .truncate, .wrongLength: break
        }
        return .members([
            "id": .string(id), "kind": .string(kind.word.rawValue), "status": status.map(JSONValue.integer),
            "retryAfterSeconds": retryAfter.map { .integer(Int($0.components.seconds)) },
            "latencyMilliseconds": latency.map { .integer(Int($0.inMicroseconds / 1_000)) },
            "bytesPerSecond": speed.map(JSONValue.integer), "on": .string(path),
            "methods": methods.isEmpty ? nil : .array(methods.map(JSONValue.string)),
            "header": header.map(JSONValue.string), "percent": .number(percent), "count": count.map(JSONValue.integer),
            "met": .integer(met),
            "endsInSeconds": ends.map { .integer(max(0, Int(($0 - now).inSeconds.rounded(.up)))) },
        ])
    }
}

extension OrderedFault.Kind {
    /// The kinds as people write them.
    enum Word: String, CaseIterable, Sendable {
        case status, latency, reset, blackHole, drip, truncate, wrongLength
    }

    var word: Word {
        switch self {
        case .status: .status
        case .latency: .latency
        case .reset: .reset
        case .blackHole: .blackHole
        case .drip: .drip
        case .truncate: .truncate
        case .wrongLength: .wrongLength
        }
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
