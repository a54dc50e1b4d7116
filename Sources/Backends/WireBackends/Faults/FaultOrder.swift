import WireBase
import WireConfig
import WireHTTP

/// A fault as somebody asks for it.
struct FaultOrder: Sendable {
    var kind: OrderedFault.Kind
    var lasts: Duration?
    var path: String
    var methods: [String]
    var header: String?
    var percent: Double
    var count: Int?
    var seed: Int?

    /// How long a fault may last.
    static let longest = 86_400

    /// Reads the body of a request; what does not belong to its kind is refused.
    init(_ members: inout JSONMembers) throws(Problem) {
        let word = try members.word("kind", as: OrderedFault.Kind.Word.self)
        let status = try members.integerIfAny("status", in: 200...599)
        let retryAfter = try members.integerIfAny("retryAfterSeconds", in: 0...86_400)
        let latency = try members.integerIfAny("latencyMilliseconds", in: 1...3_600_000)
        let speed = try members.integerIfAny("bytesPerSecond", in: 1...1_000_000_000)
        // A status alone is a fault of that kind.
        let kind = word ?? (status != nil ? .status : latency != nil ? .latency : speed != nil ? .drip : nil)
        guard let kind else {
            let words = OrderedFault.Kind.Word.allCases.map(\.rawValue)
            throw members.failure("'kind' is missing, expected \(words.listed())", "kind")
        }
        for (name, isThere, home) in [
            ("status", status != nil, [OrderedFault.Kind.Word.status]),
            ("retryAfterSeconds", retryAfter != nil, [.status]), ("latencyMilliseconds", latency != nil, [.latency]),
            ("bytesPerSecond", speed != nil, [.drip]),
        ] where isThere && !home.contains(kind) {
            throw members.failure("it is not for the kind '\(kind.rawValue)'", name)
        }
        self.kind = OrderedFault.Kind(kind, status: status, retryAfter: retryAfter, latency: latency, speed: speed)
        lasts = try members.integerIfAny("seconds", in: 1...Self.longest).map { .seconds($0) }
        path = try members.textIfAny("on") ?? "/"
        methods = try members.texts("methods") ?? []
        header = try members.textIfAny("header")
        percent = try Self.percent(&members)
        count = try members.integerIfAny("count", in: 1...1_000_000)
        seed = try members.integerIfAny("seed")
        guard path.hasPrefix("/"), Target(parsing: path) != nil, path.utf8.count <= 1_024 else {
            throw members.failure("found \(path.quoted), expected a path such as /api", "on")
        }
        guard methods.count <= 16, methods.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isMethodByte) }) else {
            throw members.failure("expected methods such as POST", "methods")
        }
        if let header, header.isEmpty || header.utf8.count > 256 || !header.utf8.allSatisfy(\.isTokenByte) {
            throw members.failure("expected the name of a header field such as Authorization", "header")
        }
    }

    /// A fault as `OrderedFault.kept` tells it.
    init?(kept json: JSONValue) {
        guard let word = json["kind"]?.string.flatMap(OrderedFault.Kind.Word.init), let on = json["on"]?.string else {
            return nil
        }
        kind = OrderedFault.Kind(
            word,
            status: json["status"]?.integer,
            retryAfter: json["retryAfterSeconds"]?.integer,
            latency: json["latencyMilliseconds"]?.integer,
            speed: json["bytesPerSecond"]?.integer
        )
        (path, methods) = (on, json["methods"]?.array?.compactMap(\.string) ?? [])
        (header, percent, seed) = (json["header"]?.string, json["percent"]?.double ?? 100, json["seed"]?.integer)
    }

    private static func percent(_ members: inout JSONMembers) throws(Problem) -> Double {
        guard let value = try members.value("percent"), !value.isNull else { return 100 }
        guard let percent = value.double, percent > 0, percent <= 100 else {
            throw members.failure("expected a number above 0, up to 100", "percent")
        }
        return percent
    }
}

extension UInt8 {
    fileprivate var isMethodByte: Bool { (0x41...0x5a).contains(self) }
}

extension OrderedFault.Kind {
    /// A kind with its numbers, where they were given.
    fileprivate init(_ word: Word, status: Int?, retryAfter: Int?, latency: Int?, speed: Int?) {
        switch word {
        case .status: self = .status(status ?? 503, retryAfter: retryAfter.map { .seconds($0) })
        case .latency: self = .latency(.milliseconds(latency ?? 1_000))
        case .reset: self = .reset
        case .blackHole: self = .blackHole
        case .drip: self = .drip(bytesPerSecond: speed ?? 100)
        case .truncate: self = .truncate
        case .wrongLength: self = .wrongLength
        }
    }
}
