import Testing
import WireHTTP

@Suite("WebSocket handshakes")
struct WebSocketTests {
    private static let fields: Fields = [
        "Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "graphql-ws, graphql-transport-ws",
    ]

    @Test("the response has the digest of the key, and the chosen sub-protocol")
    func accepts() throws {
        let handshake = try WebSocketHandshake(request(.get, "/", Self.fields))
        #expect(handshake.protocols == ["graphql-ws", "graphql-transport-ws"])
        let answer = handshake.accept(in: "graphql-transport-ws") { _ in }
        #expect(answer.status == .switchingProtocols)
        #expect(answer.fields["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(answer.fields["Sec-WebSocket-Protocol"] == "graphql-transport-ws")
        #expect(handshake.accept { _ in }.fields["Sec-WebSocket-Protocol"] == nil)
    }

    @Test(
        "an upgrade that violates RFC 6455 is rejected",
        arguments: [
            ("Connection", "keep-alive", 426), ("Upgrade", "h2c", 426), ("Sec-WebSocket-Version", "8", 426),
            ("Sec-WebSocket-Version", "13, 8", 426), ("Sec-WebSocket-Key", "", 400),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ", 400), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZQ==", 400),
        ]
    )
    func refuses(name: String, value: String, status: Int) throws {
        var fields = Self.fields
        fields[name] = value
        let asked = try request(.get, "/", fields)
        let problem = #expect(throws: Problem.self) { try WebSocketHandshake(asked) }
        #expect(problem?.status.code == status)
        #expect((problem?.fields["Sec-WebSocket-Version"] == "13") == (status == 426))
    }

    @Test("a client accepts only the response to its key, and an offered sub-protocol")
    func opens() throws {
        let opening = WebSocketOpening(nonce: Array("the sample nonce".utf8), protocols: ["b", "a"])
        #expect(opening.fields["Sec-WebSocket-Key"] == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(opening.fields["Sec-WebSocket-Protocol"] == "b, a" && opening.fields["Sec-WebSocket-Version"] == "13")
        let proof = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        let right: Fields = ["sec-websocket-accept": proof, "Sec-WebSocket-Protocol": "a"]
        #expect(try opening.check(right) == "a")
        let wrong: [Fields] = [
            ["Sec-WebSocket-Protocol": "a"], ["Sec-WebSocket-Accept": proof],
            ["Sec-WebSocket-Accept": proof.lowercased(), "Sec-WebSocket-Protocol": "a"],
            ["Sec-WebSocket-Accept": proof, "Sec-WebSocket-Protocol": "c"],
            ["Sec-WebSocket-Accept": proof, "Sec-WebSocket-Protocol": "A"],
            ["Sec-WebSocket-Accept": proof, "Sec-WebSocket-Protocol": "a, b"],
            ["Sec-WebSocket-Accept": proof, "Sec-WebSocket-Protocol": "a", "sec-websocket-protocol": "a"],
            ["Sec-WebSocket-Accept": proof, "sec-websocket-accept": proof, "Sec-WebSocket-Protocol": "a"],
            ["Sec-WebSocket-Accept": proof, "Sec-WebSocket-Protocol": "a", "Sec-WebSocket-Extensions": "x"],
        ]
        for fields in wrong { #expect(throws: WebSocketMismatch.self, "\(fields.all)") { try opening.check(fields) } }
        let mismatch = #expect(throws: WebSocketMismatch.self) { try opening.check(wrong[3]) }
        #expect(mismatch?.reason == "the server chose the subprotocol 'c', expected b or a")
        let plain = WebSocketOpening(nonce: Array("the sample nonce".utf8), protocols: [])
        #expect(try plain.check(["Sec-WebSocket-Accept": proof]) == nil)
        let unwanted = #expect(throws: WebSocketMismatch.self) { try plain.check(right) }
        #expect(unwanted?.reason == "the server chose the subprotocol 'a', expected none")
    }
}
