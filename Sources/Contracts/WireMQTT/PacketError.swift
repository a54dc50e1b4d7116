/// Why bytes are not a packet, or a packet cannot be encoded.
package struct PacketError: Error, Sendable, Equatable {
    /// The reason for the peer.
    package let code: ReasonCode
    /// The reason in words, without content of the packet.
    package let reason: String

    package init(_ code: ReasonCode, _ reason: String) { (self.code, self.reason) = (code, reason) }

    static func malformed(_ reason: String) -> Self { Self(.malformedPacket, reason) }
    static func invalid(_ reason: String) -> Self { Self(.protocolError, reason) }
}
