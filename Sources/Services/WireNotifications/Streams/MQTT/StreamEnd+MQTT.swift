import WireBase
import WireMQTT

extension StreamEnd {
    /// Makes the end of a refused connection.
    init(_ ack: ConnectAck) {
        self.init(
            ack.code.mayPass ? .over : .refused,
            "the broker rejected the connection with \(ack.code)"
        )
        isUnauthorized = [.badCredentials, .notAuthorized].contains(ack.code)
        if ack.code == .serverBusy || ack.code == .connectionRateExceeded { atLeast = .seconds(30) }
    }

    /// Makes the end of a broker's DISCONNECT.
    init(_ disconnect: Disconnect) {
        self.init(
            disconnect.code.mayPass ? .over : .refused,
            "the broker closed the connection with \(disconnect.code)"
        )
        if disconnect.code == .serverShuttingDown { atLeast = .seconds(5) }
    }

    /// Notes that the broker has closed an open connection without a reason, which 3.1.1 has no way to send.
    mutating func mayBeTakenOver() {
        reason += "; another client with the same 'clientId' may have connected"
    }
}

extension ReasonCode {
    /// Whether the same client may be accepted later.
    ///
    /// A session that was taken over has two clients with one id, which would take it from each other for ever.
    fileprivate var mayPass: Bool {
        switch self {
        case .unspecified, .implementationSpecific, .serverUnavailable, .serverBusy, .serverShuttingDown,
            .keepAliveTimeout, .receiveMaximumExceeded, .messageRateTooHigh, .quotaExceeded, .administrativeAction,
            .connectionRateExceeded, .maximumConnectTime:
            true
        default: !isFailure
        }
    }
}
