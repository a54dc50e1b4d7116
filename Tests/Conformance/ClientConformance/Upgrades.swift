import Testing
import WireBase
import WireHTTP

extension ClientConformance {
    static let upgrades: [ClientConformance] = [
        ClientConformance("after an upgrade bytes pass unchanged in both directions") {
            client,
            server in
            let fed = Fed()
            var request = server.get("/switch", ["name": "a", "first": "early"])
            request.body = .upgrade(to: "turned", fed)
            fed.feed.yield(Array("abc\n".utf8))
            let answer = try await client.send(request)
            #expect(answer.status == .switchingProtocols && answer.fields["Upgrade"] == "turned")
            try await server.event("switching Upgrade turned None")
            #expect(try await text(answer.body, 9) == "earlycba\n")
            for number in 0..<50 {
                fed.feed.yield(Array("\(number + 100)\n".utf8))
                #expect(try await text(answer.body, 4) == String("\(number + 100)".reversed()) + "\n")
            }
            fed.feed.yield([UInt8](repeating: 0x78, count: 60_000) + [0x0a])
            #expect(try await text(answer.body, 60_001).utf8.count == 60_001)
            fed.feed.yield(Array("half\n".utf8))
            #expect(try await text(answer.body, 3) == "bye")
            // Nothing is sent, and the body ends nevertheless.
            #expect(try await answer.body.read() == nil)
            try await server.event("closed a")
        },
        ClientConformance("a response without an upgrade is returned with an unread body") { client, server in
            for path in ["/hello", "/echo", "/gzip", "/half-close"] {
                let parts = Parts([Array("never".utf8)])
                var request = server.get(path)
                request.body = .upgrade(to: "turned", parts)
                let (status, text) = try await client.text(request)
                #expect(status == 200 && !text.isEmpty, "\(path)")
                #expect(try await parts.read() != nil, "\(path)")
            }
        },
        ClientConformance("releasing the reader closes an upgraded connection, and a reset is reported") {
            client,
            server in
            let fed = Fed()
            var request = server.get("/switch", ["name": "b"])
            request.body = .upgrade(to: "turned", fed)
            var answer: IncomingResponse? = try await client.send(request)
            answer = nil
            #expect(answer == nil)
            try await server.event("turned b")
            let other = Fed()
            request.body = .upgrade(to: "turned", other)
            let second = try await client.send(request)
            other.feed.yield(Array("reset\n".utf8))
            await #expect(throws: TransferFailure.self) { while try await second.body.read() != nil {} }
        },
        ClientConformance(
            "an upgrade to another protocol, or an incomplete one, is a failure",
            each: [
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: close\r\nUpgrade: turned\r\n\r\n",
                "HTTP/1.1 101 S\r\nUpgrade: turned\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: turned\r\nContent-Length: 2\r\n\r\nab",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: turned\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            ]
        ) { client, server, head in
            var request = server.get("/raw", ["bytes": head, "then": "wait"])
            request.body = .upgrade(to: "turned", Fed())
            let failure = try await client.failure(of: request)
            #expect(failure.kind == .protocolError, "\(failure.reason)")
        },
        ClientConformance("an upgrade requires GET, and the deadline applies to its response") { client, server in
            var posted = server.post("/switch", sending: .upgrade(to: "turned", Fed()))
            let refused = try await client.failure(of: posted)
            #expect(refused.kind == .invalidRequest)
            posted = server.get("/black-hole", ["name": "c"])
            posted.body = .upgrade(to: "turned", Fed())
            posted.headTimeout = .milliseconds(50)
            let late = try await client.failure(of: posted)
            #expect(late.kind == .timeout)
        },
    ]

    private init(
        _ rule: String,
        each cases: [String],
        _ check: @escaping @Sendable (any HTTPClient, HostileServer, String) async throws -> Void
    ) {
        self.init(rule) { client, server in for item in cases { try await check(client, server, item) } }
    }

    /// Reads a number of bytes as they arrive.
    private static func text(_ body: any BodyReader, _ count: Int) async throws -> String {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = try await body.read() { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }
}
