package import WireBase
import WireConfig
package import WireHTTP
package import WireNetworkContract

/// How the reading of a stream has ended, as far as it matters for when it begins again.
package struct StreamEnd: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The connection is over, as connections are.
        case over
        /// The server, or the file, does not want this: it would say so again.
        case refused
    }

    package var kind = Kind.over
    /// Whether anything came.
    package var hasRead = false
    /// Whether it was open, and said nothing for as long as the file lets it.
    package var wasSilent = false
    /// Whether the connection has stood for a while.
    package var hasStood = false
    /// Whether what it brings cannot be taken here for now.
    package var isHeldUp = false

    /// Whether the connection was good for as long as there was one.
    package var wasGood: Bool { !isHeldUp && (hasRead || wasSilent || hasStood) }
    /// In words, for the log.
    package var reason: String
    /// How long the server wants to be left alone, at least.
    package var atLeast: Duration?
    /// How long it wants to be left alone, exactly.
    package var exactly: Duration?
    package var origin: ValueOrigin?

    package init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
    package init(_ reason: String) { self.reason = reason }
}

/// How long a stream is left alone before it is read again: values in, values out.
package struct StreamPause: Sendable {
    private var failures = 0
    private var refusals = 0

    package init() {}

    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(300)
    static let longestRefused = Duration.seconds(3_600)
    private static let longestAsked = Duration.seconds(86_400)

    /// `chance`, from 0 to 1, is what keeps thousands from coming back at once after a server has restarted.
    package mutating func after(_ end: StreamEnd, chance: Double) -> Duration {
        switch end.kind {
        case .refused: refusals = min(refusals + 1, 8)
        case .over: refusals = 0
        }
        failures = end.wasGood ? 0 : min(failures + 1, 16)
        if let exactly = end.exactly { return exactly }
        let full =
            end.kind == .refused
            ? min(Self.longest * (1 << (refusals - 1)), Self.longestRefused)
            : min(Self.shortest * (1 << max(0, failures - 1)), Self.longest)
        let own = full * (0.5 + 0.5 * chance)
        guard let asked = end.atLeast.map({ min($0, Self.longestAsked) }) else { return own }
        return max(own, asked + min(asked, .seconds(10)) * chance)
    }
}

extension StreamEnd {
    /// A server that answered, and not with a stream.
    package init(_ status: Status, _ fields: Fields, at wall: Int64, origin: ValueOrigin?) {
        let mayPass = status.isTransient || status.code < 400
        self.init(mayPass ? .over : .refused, "the server answered with \(status.code)")
        if let text = fields["Retry-After"] {
            if let seconds = Int64(text), seconds >= 0 {
                atLeast = .seconds(min(seconds, 86_400))
            } else if let date = HTTPDate(parsing: text) {
                atLeast = .milliseconds(max(0, date.seconds * 1_000 - wall))
            }
        }
        self.origin = origin
    }

    package init(_ failure: CallFailure) {
        self.init(failure.mayPass ? .over : .refused, failure.reason)
        (atLeast, origin) = (failure.retryAfter, failure.origin)
    }

    /// What a close of the server's means (RFC 6455, section 7.4, and the codes registered since).
    package init(_ close: WebSocketClose) {
        let words = close.name.map { "\(close.code), \($0)" } ?? "\(close.code)"
        let said = close.reason.isEmpty ? "" : ": \(close.reason.shown(upTo: 120).quoted)"
        switch close.code {
        // What was sent, or who sent it, would be the same the next time.
        case 1_002, 1_003, 1_007, 1_008, 1_009, 1_010: self.init(.refused, "the server has closed with \(words)\(said)")
        default: self.init(.over, "the server has closed with \(words)\(said)")
        }
        switch close.code {
        // Restarts take a while, and everybody comes back.
        case 1_012: atLeast = .seconds(5)
        case 1_013: atLeast = .seconds(30)
        default: break
        }
    }
}
