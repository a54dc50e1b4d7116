/// A subprotocol for GraphQL over WebSocket; the raw value is the name in `Sec-WebSocket-Protocol`.
///
/// Beware of swapped names: `graphql-ws` on the wire is the older protocol, of the library subscriptions-transport-ws.
package enum SocketProtocol: String, Sendable, CaseIterable {
    case graphqlTransportWs = "graphql-transport-ws"
    case subscriptionsTransportWs = "graphql-ws"

    /// The first supported name that a client offers.
    package static func choose(from offered: [String]) -> SocketProtocol? {
        offered.lazy.compactMap(SocketProtocol.init).first
    }
}

/// The code and the reason of a WebSocket close.
package struct SocketClose: Sendable, Hashable {
    package let code: Int
    package let reason: String

    package init(_ code: Int, _ reason: String = "") {
        (self.code, self.reason) = (code, reason)
    }

    package static let normal = SocketClose(1_000)
    package static let goingAway = SocketClose(1_001)
    package static let tooLarge = SocketClose(1_009, "message too large")
    package static let internalError = SocketClose(1_011, "internal error")
    package static let badResponse = SocketClose(4_004, "bad response")
    package static let unauthorized = SocketClose(4_401, "Unauthorized")
    package static let forbidden = SocketClose(4_403, "Forbidden")
    package static let notAcceptable = SocketClose(4_406, "Subprotocol not acceptable")
    package static let initialisationTimeout = SocketClose(4_408, "Connection initialisation timeout")
    package static let tooManyInitialisations = SocketClose(4_429, "Too many initialisation requests")
    package static let acknowledgementTimeout = SocketClose(4_504, "Connection acknowledgement timeout")

    package static func badRequest(_ reason: String) -> SocketClose { SocketClose(4_400, reason) }

    package static func subscriberExists(_ id: String) -> SocketClose {
        SocketClose(4_409, "Subscriber for \(id) already exists")
    }
}

/// What a client does after its WebSocket has closed.
package enum CloseDecision: Sendable, Hashable {
    /// Reconnect after a backoff.
    case retry
    /// The token was rejected: reconnect once with another one.
    case renewToken
    /// Do not reconnect, since the result would be the same.
    case fail

    /// The decision for a close code; nil where the connection was lost without one.
    package init(code: Int?) {
        self =
            switch code {
            case nil, 1_000, 1_001, 1_005, 1_006, 1_012, 1_013, 1_014: .retry
            case 4_401, 4_403: .renewToken
            case 4_004, 4_005, 4_400, 4_406, 4_409, 4_429, 4_500: .fail
            case let code? where (1_000..<2_000).contains(code): .fail
            default: .retry
            }
    }
}
