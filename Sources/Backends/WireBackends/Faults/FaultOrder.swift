import WireBase
import WireConfig
import WireHTTP

/// A fault as somebody asks for it.
struct FaultOrder: Sendable {
    var kind: OrderedFault.Kind
    var lasts: Duration?
    var path: String
    var methods: [String]
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
        switch kind {
        case .status: self.kind = .status(status ?? 503, retryAfter: retryAfter.map { .seconds($0) })
        case .latency: self.kind = .latency(.milliseconds(latency ?? 1_000))
        case .reset: self.kind = .reset
        case .blackHole: self.kind = .blackHole
        case .drip: self.kind = .drip(bytesPerSecond: speed ?? 100)
        case .truncate: self.kind = .truncate
        case .wrongLength: self.kind = .wrongLength
        }
        lasts = try members.integerIfAny("seconds", in: 1...Self.longest).map { .seconds($0) }
        path = try members.textIfAny("on") ?? "/"
        methods = try members.texts("methods") ?? []
        percent = try Self.percent(&members)
        count = try members.integerIfAny("count", in: 1...1_000_000)
        seed = try members.integerIfAny("seed")
        guard path.hasPrefix("/"), Target(parsing: path) != nil, path.utf8.count <= 1_024 else {
            throw members.failure("found \(path.quoted), expected a path such as /api", "on")
        }
        guard methods.count <= 16, methods.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isMethodByte) }) else {
            throw members.failure("expected methods such as POST", "methods")
        }
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
