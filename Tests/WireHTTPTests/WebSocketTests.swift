import Testing
import WireHTTP

@Suite("A WebSocket's handshake")
struct WebSocketTests {
    private static let fields: Fields = [
        "Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "graphql-ws, graphql-transport-ws",
    ]

    @Test("answers with a digest of the key, and the subprotocol that was chosen")
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
        "refuses what is not as RFC 6455 has it",
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
}
