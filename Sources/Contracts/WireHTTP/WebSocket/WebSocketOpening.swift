import WireBase

/// The client side of the opening handshake (RFC 6455, section 4.1).
package struct WebSocketOpening: Sendable {
    private let key: String
    private let protocols: [String]

    /// Makes a handshake from 16 random bytes and the subprotocols, in order of preference.
    package init(nonce: [UInt8], protocols: [String]) {
        precondition(nonce.count == 16, "a key has 16 bytes")
        key = Base64.text(of: nonce)
        self.protocols = protocols
    }

    /// The fields of the request.
    package var fields: Fields {
        var fields: Fields = ["Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key]
        if !protocols.isEmpty { fields.add("Sec-WebSocket-Protocol", protocols.joined(separator: ", ")) }
        return fields
    }

    /// Validates the response and returns the subprotocol chosen by the server; throws where it does not match the
    /// request.
    package func check(_ answer: Fields) throws(WebSocketMismatch) -> String? {
        guard answer.values(of: "Sec-WebSocket-Accept") == [Self.proof(of: key)] else {
            throw WebSocketMismatch("'Sec-WebSocket-Accept' does not belong to the key that was sent")
        }
        guard answer["Sec-WebSocket-Extensions"] == nil else {
            throw WebSocketMismatch("the server uses an extension, and none was offered")
        }
        let chosen = answer.values(of: "Sec-WebSocket-Protocol")
        guard let name = chosen.first else {
            guard protocols.isEmpty else {
                throw WebSocketMismatch(
                    "the server supports none of the subprotocols \(protocols.joined(separator: ", ").quoted)"
                )
            }
            return nil
        }
        guard chosen.count == 1, protocols.contains(name) else {
            throw WebSocketMismatch(
                "the server chose the subprotocol \(chosen.joined(separator: ", ").shown(upTo: 60).quoted), "
                    + (protocols.isEmpty ? "expected none" : "expected \(protocols.joined(separator: " or "))")
            )
        }
        return name
    }

    /// The expected `Sec-WebSocket-Accept` value for a key.
    package static func proof(of key: String) -> String {
        Base64.text(of: SHA1.digest(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }
}

/// Why a response does not open a WebSocket.
package struct WebSocketMismatch: Error, Equatable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
