import WireBase
package import WireHTTP

// Faults on demand of the servers built in.

/// A fault as it is asked for: what happens to requests, to which of them, and for how long.
package struct BackendFaultOrder: JSONRecord, Equatable {
    /// What happens instead of an answer, or to it.
    package enum Kind: String, JSONWord, PlainCodable {
        case status, latency, reset, blackHole, drip, truncate, wrongLength
    }

    package var kind: Kind?
    package var status, retryAfterSeconds, latencyMilliseconds, bytesPerSecond, seconds: Int?
    package var path: String?
    package var methods: [String]?
    package var header: String?
    package var percent: Double?
    package var count, seed: Int?
    package static let form = JSONForm<Self>("BackendFaultOrder", "A fault that is to begin.")

    package init() {}

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let kindHelp = "What happens; it follows from 'status', 'latencyMilliseconds' and 'bytesPerSecond'."
        kind = try members.optional("kind", \.kind, kindHelp, .example(.status))
        status = try members.optional(
            "status",
            \.status,
            "The status instead of an answer.",
            .in(200...599),
            .example(503)
        )
        let retryHelp = "What 'Retry-After' says then."
        retryAfterSeconds = try members.optional("retryAfterSeconds", \.retryAfterSeconds, retryHelp, .in(0...86_400))
        latencyMilliseconds = try members.optional(
            "latencyMilliseconds",
            \.latencyMilliseconds,
            "How late answers come.",
            .in(1...3_600_000)
        )
        let speedHelp = "How slowly bodies come."
        bytesPerSecond = try members.optional("bytesPerSecond", \.bytesPerSecond, speedHelp, .in(1...1_000_000_000))
        let secondsHelp = "How long it lasts; until it is ended where it does not say."
        seconds = try members.optional("seconds", \.seconds, secondsHelp, .in(1...86_400))
        path = try members.optional(
            "on",
            \.path,
            "What the paths begin with that it is about; all without it.",
            .path,
            .example("/v1/")
        )
        methods = try members.optional("methods", \.methods, "The methods it is about.", .methods)
        let headerHelp = "The name of a header field that the requests have which it is about."
        header = try members.optional("header", \.header, headerHelp, .fieldName)
        let percentHelp = "Which part of the requests it meets; all of them without it."
        percent = try members.optional("percent", \.percent, percentHelp, .percent)
        count = try members.optional("count", \.count, "How many requests it meets at the most.", .in(1...1_000_000))
        seed = try members.optional("seed", \.seed, "What chance begins with; 'backends.seed' without it.")
        if !members.isDescribing { try complete(members) }
    }

    /// A number alone is a fault of its kind; what does not belong to the kind is refused.
    private mutating func complete(_ members: Members<Self>) throws(JSONMismatch) {
        let implied: Kind? =
            status != nil ? .status : latencyMilliseconds != nil ? .latency : bytesPerSecond != nil ? .drip : nil
        guard let kind = kind ?? implied else {
            throw members.mismatch("'kind' is missing, expected \(Kind.words.listed())", "kind")
        }
        for (name, number, home) in [
            ("status", status, Kind.status), ("retryAfterSeconds", retryAfterSeconds, .status),
            ("latencyMilliseconds", latencyMilliseconds, .latency), ("bytesPerSecond", bytesPerSecond, .drip),
        ] where number != nil && home != kind {
            throw members.mismatch("it is not for the kind '\(kind.rawValue)'", name)
        }
        self.kind = kind
        if methods?.isEmpty ?? false { methods = nil }
        switch kind {
        case .status: status = status ?? 503
        case .latency: latencyMilliseconds = latencyMilliseconds ?? 1_000
        case .drip: bytesPerSecond = bytesPerSecond ?? 100
        case .reset, .blackHole, .truncate, .wrongLength: break
        }
    }
}

extension JSONRule<String> {
    fileprivate static var path: Self {
        Self(schema: .text(pattern: "^/")) { path in
            path.hasPrefix("/") && Target(parsing: path) != nil && path.utf8.count <= 1_024
                ? nil : "found \(path.quoted), expected a path such as /api"
        }
    }

    fileprivate static var fieldName: Self {
        Self(schema: .text) { name in
            (1...256).contains(name.utf8.count) && name.utf8.allSatisfy(\.isTokenByte)
                ? nil : "expected the name of a header field such as Authorization"
        }
    }
}

extension JSONRule<[String]> {
    fileprivate static var methods: Self {
        Self(schema: .array(of: .text(pattern: "^[A-Z]+$"))) { methods in
            methods.count <= 16
                && methods.allSatisfy { name in !name.isEmpty && name.utf8.allSatisfy { (0x41...0x5a).contains($0) } }
                ? nil : "expected methods such as POST"
        }
    }
}

extension JSONRule<Double> {
    fileprivate static var percent: Self {
        Self(schema: .number(above: 0, upTo: 100)) { percent in
            percent > 0 && percent <= 100 ? nil : "expected a number above 0, up to 100"
        }
    }
}

/// A fault that is on.
package struct BackendFault: JSONRecord {
    package let id: String
    /// What was asked for, with what it left open.
    package let order: BackendFaultOrder
    package let met: Int
    package let endsInSeconds: Int?
    package static let form = JSONForm<Self>("BackendFault", "A fault that is on.")

    package init(_ id: String, _ order: BackendFaultOrder, met: Int, endsInSeconds: Int?) {
        (self.id, self.order, self.met, self.endsInSeconds) = (id, order, met, endsInSeconds)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        var order = BackendFaultOrder()
        id = try members.required("id", \.id, "Its name, by which it is ended.", .example("fault-1"))
        order.kind = try members.required("kind", { $0.order.kind ?? .status }, "What happens.")
        order.status = try members.optional("status", \.order.status, "The status instead of an answer.")
        let retryHelp = "What 'Retry-After' says then."
        order.retryAfterSeconds = try members.optional("retryAfterSeconds", \.order.retryAfterSeconds, retryHelp)
        let lateHelp = "How late answers come."
        order.latencyMilliseconds = try members.optional("latencyMilliseconds", \.order.latencyMilliseconds, lateHelp)
        order.bytesPerSecond = try members.optional("bytesPerSecond", \.order.bytesPerSecond, "How slowly bodies come.")
        order.path = try members.required(
            "on",
            { $0.order.path ?? "/" },
            "What the paths begin with that it is about.",
            .example("/v1/")
        )
        order.methods = try members.optional("methods", \.order.methods, "The methods it is about; all without them.")
        let headerHelp = "A header field of the requests it is about; all without it."
        order.header = try members.optional("header", \.order.header, headerHelp)
        let percentHelp = "Which part of the requests it meets."
        order.percent = try members.required("percent", { $0.order.percent ?? 100 }, percentHelp, .percent)
        order.count = try members.optional("count", \.order.count, "How many requests it meets at the most.")
        met = try members.required("met", \.met, "How many it has met.", .count)
        endsInSeconds = try members.optional("endsInSeconds", \.endsInSeconds, "When it ends by itself.", .count)
        self.order = order
    }
}

/// The faults that are on.
package struct BackendFaults: JSONRecord {
    package let faults: [BackendFault]
    package static let form = JSONForm<Self>("BackendFaults", "The faults that are on.")

    package init(_ faults: [BackendFault]) { self.faults = faults }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        faults = try members.required("faults", \.faults, "The faults.")
    }
}

/// How many faults were ended.
package struct BackendFaultsEnded: JSONRecord {
    package let ended: Int
    package static let form = JSONForm<Self>("BackendFaultsEnded", "How many faults were ended.")

    package init(_ ended: Int) { self.ended = ended }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        ended = try members.required("ended", \.ended, "How many faults there were.", .count)
    }
}

/// The name of a fault.
package struct BackendFaultName: JSONRecord {
    package let id: String
    package static let form = JSONForm<Self>("BackendFaultName", "The name of a fault.")

    package init(_ id: String) { self.id = id }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The name of the fault.", .example("fault-1"))
    }
}
