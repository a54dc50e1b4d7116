import WireBase
package import WireHTTP

// Fault injection for the embedded servers.

/// A fault to inject: the effect, the affected requests, and the duration.
package struct BackendFaultOrder: JSONRecord, Equatable {
    /// The effect on a request or its response.
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
    package static let form = JSONForm<Self>("BackendFaultOrder", "A fault to inject.")

    package init() {}

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        let kindHelp = "The kind of fault; implied by 'status', 'latencyMilliseconds' or 'bytesPerSecond'."
        kind = try members.optional("kind", \.kind, kindHelp, .example(.status))
        status = try members.optional(
            "status",
            \.status,
            "The status of the response.",
            .in(200...599),
            .example(503)
        )
        let retryHelp = "The value of 'Retry-After'."
        retryAfterSeconds = try members.optional("retryAfterSeconds", \.retryAfterSeconds, retryHelp, .in(0...86_400))
        latencyMilliseconds = try members.optional(
            "latencyMilliseconds",
            \.latencyMilliseconds,
            "The delay of responses in milliseconds.",
            .in(1...3_600_000)
        )
        let speedHelp = "The speed of bodies in bytes per second."
        bytesPerSecond = try members.optional("bytesPerSecond", \.bytesPerSecond, speedHelp, .in(1...1_000_000_000))
        let secondsHelp = "The duration in seconds; by default until the fault is removed."
        seconds = try members.optional("seconds", \.seconds, secondsHelp, .in(1...86_400))
        path = try members.optional(
            "on",
            \.path,
            "The prefix of affected paths; all paths by default.",
            .path,
            .example("/v1/")
        )
        methods = try members.optional("methods", \.methods, "The affected methods.", .methods)
        let headerHelp = "The name of a header field that affected requests have."
        header = try members.optional("header", \.header, headerHelp, .fieldName)
        let percentHelp = "The percentage of affected requests; all by default."
        percent = try members.optional("percent", \.percent, percentHelp, .percent)
        count = try members.optional("count", \.count, "The maximum number of affected requests.", .in(1...1_000_000))
        seed = try members.optional("seed", \.seed, "The seed of the random choice; 'backends.seed' by default.")
        if !members.isDescribing { try complete(members) }
    }

    /// Completes the kind from the given numbers, and rejects members that do not belong to the kind.
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
            throw members.mismatch("not allowed for the kind '\(kind.rawValue)'", name)
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

/// An active fault.
package struct BackendFault: JSONRecord {
    package let id: String
    /// The requested fault, with defaults filled in.
    package let order: BackendFaultOrder
    package let met: Int
    package let endsInSeconds: Int?
    package static let form = JSONForm<Self>("BackendFault", "An active fault.")

    package init(_ id: String, _ order: BackendFaultOrder, met: Int, endsInSeconds: Int?) {
        (self.id, self.order, self.met, self.endsInSeconds) = (id, order, met, endsInSeconds)
    }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        var order = BackendFaultOrder()
        id = try members.required("id", \.id, "The id of the fault.", .example("fault-1"))
        order.kind = try members.required("kind", { $0.order.kind ?? .status }, "The kind of fault.")
        order.status = try members.optional("status", \.order.status, "The status of the response.", .example(503))
        let retryHelp = "The value of 'Retry-After'."
        order.retryAfterSeconds = try members.optional("retryAfterSeconds", \.order.retryAfterSeconds, retryHelp)
        let lateHelp = "The delay of responses in milliseconds."
        order.latencyMilliseconds = try members.optional("latencyMilliseconds", \.order.latencyMilliseconds, lateHelp)
        order.bytesPerSecond = try members.optional(
            "bytesPerSecond",
            \.order.bytesPerSecond,
            "The speed of bodies in bytes per second."
        )
        order.path = try members.required(
            "on",
            { $0.order.path ?? "/" },
            "The prefix of affected paths.",
            .example("/v1/")
        )
        order.methods = try members.optional("methods", \.order.methods, "The affected methods; all by default.")
        let headerHelp = "A header field that affected requests have."
        order.header = try members.optional("header", \.order.header, headerHelp)
        let percentHelp = "The percentage of affected requests."
        order.percent = try members.required("percent", { $0.order.percent ?? 100 }, percentHelp, .percent)
        order.count = try members.optional("count", \.order.count, "The maximum number of affected requests.")
        met = try members.required("met", \.met, "The number of affected requests.", .count)
        endsInSeconds = try members.optional("endsInSeconds", \.endsInSeconds, "The remaining time in seconds.", .count)
        self.order = order
    }
}

/// The active faults.
package struct BackendFaults: JSONRecord {
    package let faults: [BackendFault]
    package static let form = JSONForm<Self>("BackendFaults", "The active faults.")

    package init(_ faults: [BackendFault]) { self.faults = faults }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        faults = try members.required("faults", \.faults, "The faults.")
    }
}

/// The number of removed faults.
package struct BackendFaultsEnded: JSONRecord {
    package let ended: Int
    package static let form = JSONForm<Self>("BackendFaultsEnded", "The number of removed faults.")

    package init(_ ended: Int) { self.ended = ended }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        ended = try members.required("ended", \.ended, "The number of removed faults.", .count, .example(1))
    }
}

/// The id of a fault.
package struct BackendFaultName: JSONRecord {
    package let id: String
    package static let form = JSONForm<Self>("BackendFaultName", "The id of a fault.")

    package init(_ id: String) { self.id = id }

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the fault.", .example("fault-1"))
    }
}
