package import WireBase

/// Encodes and decodes WebSocket messages (RFC 6455, sections 5 to 7).
package protocol WebSocketFraming: Sendable {
    /// Makes the frame codec for one end of a connection, with a limit for incoming messages; nil where memory is
    /// short. Binary messages are refused with 1003 unless they are accepted.
    func begin(as role: WebSocketRole, limit: ByteCount, acceptsBinary: Bool) -> (any WebSocketFrames)?
}

extension WebSocketFraming {
    package func begin(as role: WebSocketRole, limit: ByteCount) -> (any WebSocketFrames)? {
        begin(as: role, limit: limit, acceptsBinary: false)
    }
}

/// The end of a WebSocket: a client masks its frames, and a server rejects frames without a mask.
package enum WebSocketRole: Sendable, CaseIterable {
    case client, server
}

/// The frame codec of one connection.
///
/// The codec never waits. It answers pings, closes and protocol errors itself; the output is collected with
/// ``takeOutgoing()``.
package protocol WebSocketFrames: Sendable {
    /// Decodes bytes into events; returns nothing once the connection is closed.
    func consume(_ bytes: [UInt8]) -> [WebSocketEvent]
    /// Queues a text; returns false where the connection is closed.
    func send(_ text: String) -> Bool
    /// Queues a binary message; returns false where the connection is closed.
    func send(_ bytes: [UInt8]) -> Bool
    func ping() -> Bool
    /// Starts the closing handshake; nothing else can be sent afterwards.
    func close(_ close: WebSocketClose) -> Bool
    /// Returns the encoded output once, masked where the role requires it.
    func takeOutgoing() -> [UInt8]
}

/// An incoming WebSocket event.
package enum WebSocketEvent: Sendable, Equatable {
    /// A complete text message in valid UTF-8.
    case text(String)
    /// A complete binary message.
    case binary([UInt8])
    /// A control frame, which shows that the peer is alive.
    case sign
    /// The peer closes the connection.
    case closed(WebSocketClose)
    /// The peer's data was rejected, and the connection is closed with this.
    case refused(WebSocketClose)
}

/// A close code with its reason (RFC 6455, section 7.4).
package struct WebSocketClose: Sendable, Equatable {
    package let code: Int
    /// The reason given by the closing end; not meant for users.
    package let reason: String

    package init(_ code: Int, _ reason: String = "") {
        (self.code, self.reason) = (code, reason)
    }

    /// Normal closure.
    package static let normal = WebSocketClose(1_000)
    /// The closing end goes away.
    package static let goingAway = WebSocketClose(1_001)
    /// No code was given; never sent.
    package static let none = WebSocketClose(1_005)

    /// The name of the code, if any.
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
