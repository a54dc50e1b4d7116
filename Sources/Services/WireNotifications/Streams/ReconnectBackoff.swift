package import WireBase
import WireConfig
package import WireHTTP
package import WireNetworkContract
package import WireNotificationContract

/// Why reading a stream ended, as far as it affects the reconnect.
package struct StreamEnd: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The connection ended normally.
        case over
        /// The server rejects the stream, or the file is wrong: a retry would fail too.
        case refused
    }

    package var kind = Kind.over
    /// Whether there was an event.
    package var hasRead = false
    /// Whether it was open and silent for the whole limit.
    package var wasSilent = false
    /// Whether the connection was stable.
    package var hasStood = false
    /// Whether the server has ended the response completely.
    package var isComplete = false
    /// Whether the server has rejected the credentials, or needs some.
    package var isUnauthorized = false
    /// Whether its events cannot be stored now.
    package var isDeferred = false
    /// How the server has closed a WebSocket.
    package var close: WebSocketClose?

    /// Whether the connection was good while it lasted.
    package var wasGood: Bool { !isDeferred && (hasRead || wasSilent || hasStood) }
    /// The reason for the log.
    package var reason: String
    /// The minimum pause that the server asks for.
    package var atLeast: Duration?
    /// The exact pause that the server asks for; a minimum where its events cannot be stored.
    package var exactly: Duration?
    package var origin: ValueOrigin?

    package init(_ kind: Kind, _ reason: String, at origin: ValueOrigin? = nil) {
        (self.kind, self.reason, self.origin) = (kind, reason, origin)
    }
    package init(_ reason: String) { self.reason = reason }
}

/// Computes the pause before a stream is read again.
package struct ReconnectBackoff: Sendable {
    private var failures = 0
    private var refusals = 0

    package init() {}

    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(300)
    static let longestRefused = Duration.seconds(3_600)
    private static let longestAsked = Duration.seconds(86_400)

    /// Returns the next pause; `chance`, from 0 to 1, spreads the reconnects of clients after a server restart.
    package mutating func after(_ end: StreamEnd, chance: Double) -> Duration {
        switch end.kind {
        case .refused: refusals = min(refusals + 1, 8)
        case .over: refusals = 0
        }
        failures = end.wasGood ? 0 : min(failures + 1, 16)
        let full =
            end.kind == .refused
            ? min(Self.longest * (1 << (refusals - 1)), Self.longestRefused)
            : min(Self.shortest * (1 << max(0, failures - 1)), Self.longest)
        let own = full * (0.5 + 0.5 * chance)
        // The pause of the server is for lost connections, not for notifications that cannot be stored.
        if let exactly = end.exactly { return end.isDeferred ? max(exactly, own) : exactly }
        guard let asked = end.atLeast.map({ min($0, Self.longestAsked) }) else { return own }
        return max(own, asked + min(asked, .seconds(10)) * chance)
    }
}

extension StreamEnd {
    /// Makes the end of a response that is no stream.
    package init(_ status: Status, _ fields: Fields, at wall: Int64, origin: ValueOrigin?) {
        let mayPass = status.isTransient || status.code < 400
        self.init(mayPass ? .over : .refused, "the server responded with status \(status.code)")
        if let text = fields["Retry-After"] {
            if let seconds = Int64(text), seconds >= 0 {
                atLeast = .seconds(min(seconds, 86_400))
            } else if let date = HTTPDate(parsing: text) {
                atLeast = .milliseconds(max(0, date.seconds * 1_000 - wall))
            }
        }
        self.origin = origin
        isUnauthorized = [401, 403].contains(status.code)
    }

    /// Makes the end of a stream whose notification cannot be stored now: the queue must shrink first.
    package init(_ failure: NotificationFailure) {
        self.init(failure.reason)
        (origin, isDeferred) = (failure.origin, true)
    }

    package init(_ failure: CallFailure) {
        self.init(failure.mayPass ? .over : .refused, failure.reason)
        (atLeast, origin) = (failure.retryAfter, failure.origin)
    }

    /// Makes the end of a server's close (RFC 6455, section 7.4, and later registered codes).
    package init(_ close: WebSocketClose) {
        let words = close.name.map { "\(close.code), \($0)" } ?? "\(close.code)"
        let said = close.reason.isEmpty ? "" : ": \(close.reason.shown(upTo: 120).quoted)"
        switch close.code {
        // The data and the sender would be the same on a retry.
        case 1_002, 1_003, 1_007, 1_008, 1_009, 1_010:
            self.init(.refused, "the server closed the connection with \(words)\(said)")
        default: self.init(.over, "the server closed the connection with \(words)\(said)")
        }
        self.close = close
        switch close.code {
        // Restarts take a while, and all clients reconnect.
        case 1_012: atLeast = .seconds(5)
        case 1_013: atLeast = .seconds(30)
        default: break
        }
    }
}
