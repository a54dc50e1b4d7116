import WireBase

/// A request that asks a server for a WebSocket, and what its answer must say (RFC 6455, section 4.1).
package struct WebSocketOpening: Sendable {
    private let key: String
    private let protocols: [String]

    /// Goes by 16 bytes nobody can foresee, and the subprotocols, the one that is liked best first.
    package init(nonce: [UInt8], protocols: [String]) {
        precondition(nonce.count == 16, "a key is 16 bytes")
        key = Base64.text(of: nonce)
        self.protocols = protocols
    }

    /// What the request says.
    package var fields: Fields {
        var fields: Fields = ["Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key]
        if !protocols.isEmpty { fields.add("Sec-WebSocket-Protocol", protocols.joined(separator: ", ")) }
        return fields
    }

    /// The subprotocol the server has chosen; throws for an answer to another request, or with what was not offered.
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
                    "the server speaks none of the subprotocols \(protocols.joined(separator: ", ").quoted)"
                )
            }
            return nil
        }
        guard chosen.count == 1, protocols.contains(name) else {
            throw WebSocketMismatch(
                "the server speaks the subprotocol \(chosen.joined(separator: ", ").shown(upTo: 60).quoted), "
                    + (protocols.isEmpty ? "expected none" : "expected \(protocols.joined(separator: " or "))")
            )
        }
        return name
    }

    /// What an answer has to say to a key: both ends speak the same protocol.
    package static func proof(of key: String) -> String {
        Base64.text(of: SHA1.digest(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }
}

/// Why an answer opens no WebSocket.
package struct WebSocketMismatch: Error, Equatable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
