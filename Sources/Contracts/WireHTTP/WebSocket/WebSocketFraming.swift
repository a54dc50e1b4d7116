package import WireBase

/// Puts the messages of WebSockets together and takes them apart (RFC 6455, sections 5 to 7).
package protocol WebSocketFraming: Sendable {
    /// The frames of a new connection at one of its ends, on which no longer message is taken than the limit; nil where
    /// memory is short.
    func begin(as role: WebSocketRole, limit: ByteCount) -> (any WebSocketFrames)?
}

/// An end of a WebSocket: a client masks the frames it sends, and a server refuses those that are not masked.
package enum WebSocketRole: Sendable, CaseIterable {
    case client, server
}

/// The frames of one connection: bytes in, messages out, and the other way round.
///
/// It never waits. Pings are answered, a close is answered, and what breaks the protocol is answered with a close: all of it
/// is there to be sent with ``takeOutgoing()``.
package protocol WebSocketFrames: Sendable {
    /// What is complete with these bytes; nothing more once the connection is closed, by whichever end.
    func take(_ bytes: [UInt8]) -> [WebSocketEvent]
    /// Sends a text; false where the connection is closed.
    func send(_ text: String) -> Bool
    func ping() -> Bool
    /// Begins to close; nothing else is sent afterwards.
    func close(_ close: WebSocketClose) -> Bool
    /// The bytes that are to be sent, masked where the role has it so; each once.
    func takeOutgoing() -> [UInt8]
}

/// What has come on a WebSocket.
package enum WebSocketEvent: Sendable, Equatable {
    /// A whole text, valid UTF-8.
    case text(String)
    /// The other end has said something that is no message: it is there.
    case sign
    /// The other end closes.
    case closed(WebSocketClose)
    /// What came was refused, and the connection is closed from here, with this.
    case refused(WebSocketClose)
}

/// How a WebSocket is closed (RFC 6455, section 7.4).
package struct WebSocketClose: Sendable, Equatable {
    package let code: Int
    /// What the end that closes says of it; not meant for people.
    package let reason: String

    package init(_ code: Int, _ reason: String = "") {
        (self.code, self.reason) = (code, reason)
    }

    /// Nothing was wrong.
    package static let normal = WebSocketClose(1_000)
    /// Whoever closes goes away.
    package static let goingAway = WebSocketClose(1_001)
    /// No code was given; never sent.
    package static let none = WebSocketClose(1_005)

    /// The name of a code, where it has one.
    package var name: String? {
        switch code {
        case 1_000: "normal"
        case 1_001: "going away"
        case 1_002: "protocol error"
        case 1_003: "unsupported data"
        case 1_005: "no code"
        case 1_007: "invalid data"
        case 1_008: "policy"
        case 1_009: "message too large"
        case 1_010: "extension missing"
        case 1_011: "internal error"
        case 1_012: "restart"
        case 1_013: "try again later"
        case 1_014: "bad gateway"
        default: nil
        }
    }
}
