import WireBase

/// A validated WebSocket upgrade request (RFC 6455, section 4.2).
///
/// Access control and origin checks run before the route is reached; framing is up to the handler of the stream.
package struct WebSocketHandshake: Sendable {
    /// The subprotocols that the client offers, in order of preference.
    package let protocols: [String]
    private let key: String

    private static let version = "13"

    /// Validates an upgrade request; throws a problem for an invalid one, or for a request without an upgrade.
    package init(_ request: Request) throws(Problem) {
        guard request.method == .get, request.lists("websocket", in: "Upgrade"),
            request.lists("upgrade", in: "Connection")
        else { throw .webSocketExpected("expected a GET with 'Connection: Upgrade' and 'Upgrade: websocket'") }
        guard request.fields.values(of: "Sec-WebSocket-Version") == [Self.version] else {
            let found = request.fields.values(of: "Sec-WebSocket-Version").joined(separator: ", ").shown(upTo: 40)
            throw .webSocketExpected("'Sec-WebSocket-Version': found \(found.quoted), expected '\(Self.version)'")
        }
        let keys = request.fields.values(of: "Sec-WebSocket-Key")
        guard keys.count == 1, let key = keys.first, Base64.bytes(of: key)?.count == 16 else {
            throw Problem(
                .badRequest,
                "malformed-field",
                "a field is malformed",
                detail: "'Sec-WebSocket-Key': expected 16 bytes in Base64, once"
            )
        }
        self.key = key
        protocols = request.list("Sec-WebSocket-Protocol")
    }

    /// The response that accepts the upgrade, with one of the client's subprotocols where one is given.
    package func accept(
        in subprotocol: String? = nil,
        _ run: @escaping @Sendable (any ByteStream) async throws -> Void
    ) -> Response {
        precondition(subprotocol.map(protocols.contains) ?? true, "the client has not offered this subprotocol")
        var fields: Fields = ["Upgrade": "websocket", "Sec-WebSocket-Accept": WebSocketOpening.proof(of: key)]
        if let subprotocol { fields.add("Sec-WebSocket-Protocol", subprotocol) }
        return Response(.switchingProtocols, fields: fields, body: .upgrade(run))
    }
}

extension Request {
    /// The members of a list field, from all its lines.
    fileprivate func list(_ name: String) -> [String] {
        fields.values(of: name).flatMap { $0.split(separator: ",") }
            .map { $0.drop { $0 == " " || $0 == "\t" } }
            .map { String($0.prefix { $0 != " " && $0 != "\t" }) }
            .filter { !$0.isEmpty }
    }

    fileprivate func lists(_ word: String, in name: String) -> Bool {
        list(name).contains { $0.isSameField(as: word) }
    }
}

extension Problem {
    fileprivate static func webSocketExpected(_ detail: String) -> Problem {
        Problem(
            .upgradeRequired,
            "websocket-expected",
            "WebSocket handshake expected",
            detail: detail,
            fields: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]
        )
    }
}
