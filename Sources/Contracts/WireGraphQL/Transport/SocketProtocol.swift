/// What is spoken on a WebSocket that carries GraphQL; the raw value is the name in `Sec-WebSocket-Protocol`.
///
/// The names of the libraries and those on the wire are swapped: `graphql-ws` on the wire is the older one, of the library
/// subscriptions-transport-ws.
package enum SocketProtocol: String, Sendable, CaseIterable {
    case graphqlTransportWs = "graphql-transport-ws"
    case subscriptionsTransportWs = "graphql-ws"

    /// The first of the names a client offers that is spoken here.
    package static func choose(from offered: [String]) -> SocketProtocol? {
        offered.lazy.compactMap(SocketProtocol.init).first
    }
}

/// The code and the reason with which a WebSocket is closed.
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

/// What a client does when its WebSocket has ended.
package enum CloseDecision: Sendable, Hashable {
    /// Connect again, after a back-off.
    case retry
    /// The token was refused: connect again with another one, once.
    case renewToken
    /// Connecting again would end in the same way.
    case fail

    /// Decides by the code of the close; nil where the connection was lost without one.
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
