import ClientConformance
import Support
import Testing
import WireBase
import WireHTTP
import WireTransfer

@Suite("Connections without HTTP")
struct ConnectionTests {
    /// A connection to the HTTP server, on which the test writes HTTP itself.
    private static func request(_ port: Int, scheme: String = "mqtt", host: String = "127.0.0.1", _ fed: Fed)
        -> OutgoingRequest
    {
        var request = OutgoingRequest(.get, "\(scheme)://\(host):\(port)")
        request.body = .connection(fed)
        (request.connectTimeout, request.headTimeout) = (.seconds(3_600), .seconds(3_600))
        request.idleTimeout = .seconds(3_600)
        return request
    }

    private static func port(_ server: HostileServer) throws -> Int {
        try #require(server.base.split(separator: ":").last.flatMap { Int($0) })
    }

    private static let turn = Array(
        "GET /switch?name=raw HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: turned\r\n\r\n".utf8
    )

    private static func text(_ body: any BodyReader, until end: String) async throws -> String {
        var text = ""
        while !text.hasSuffix(end), let bytes = try await body.read() { text += String(decoding: bytes, as: UTF8.self) }
        return text
    }

    @Test("bytes pass unchanged in both directions, and nothing else is sent")
    func both() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient()
        let fed = Fed()
        fed.feed.yield(Self.turn)
        let answer = try await client.send(Self.request(try Self.port(server), fed))
        #expect(answer.status == .switchingProtocols && answer.fields.all.isEmpty)
        #expect(try await Self.text(answer.body, until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        for number in 0..<50 {
            fed.feed.yield(Array("\(number + 100)\n".utf8))
            #expect(try await Self.text(answer.body, until: "\n") == String("\(number + 100)".reversed()) + "\n")
        }
        // Meanwhile other requests have connections of their own.
        #expect(try await client.text(server.get("/hello")).text == "hello")
        fed.feed.yield([UInt8](repeating: 0x78, count: 60_000) + [0x0a])
        #expect(try await Self.text(answer.body, until: "\n").utf8.count == 60_001)
        fed.feed.yield(Array("half\n".utf8))
        #expect(try await Self.text(answer.body, until: "bye") == "bye")
        #expect(try await answer.body.read() == nil)
        try await server.event("closed raw")
    }

    @Test("over TLS certificates and pins are verified, and no protocol is offered")
    func secure() async throws {
        let authority = try Authority()
        let server = try await HostileServer.start(certificate: authority.certificate(for: "localhost", in: "own"))
        let port = try #require(server.securePort)
        var options = TransferOptions()
        options.authorities = authority.file
        let client = try TransferClient(options)
        let fed = Fed()
        fed.feed.yield(Self.turn)
        let answer = try await client.send(Self.request(port, scheme: "mqtts", host: "localhost", fed))
        #expect(try await Self.text(answer.body, until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        // More than a record of TLS.
        fed.feed.yield([UInt8](repeating: 0x78, count: 60_000) + [0x0a])
        #expect(try await Self.text(answer.body, until: "\n").utf8.count == 60_001)
        var pinned = Self.request(port, scheme: "mqtts", host: "localhost", Fed())
        pinned.pins = ["n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE="]
        #expect(try await client.failure(of: pinned).kind == .pin)
        let stranger = try TransferClient()
        let failure = try await stranger.failure(of: Self.request(port, scheme: "mqtts", host: "localhost", Fed()))
        #expect(failure.kind == .tls && failure.wasNotSent)
        #expect(failure.reason.contains("mqtts://localhost:\(port)"))
    }

    @Test("a proxy makes a tunnel, also in plain text")
    func proxy() async throws {
        let server = try await HostileServer.start()
        var options = TransferOptions()
        (options.proxies, options.proxies.http) = (.none, server.proxy)
        let client = try TransferClient(options)
        let fed = Fed()
        fed.feed.yield(Self.turn)
        var request = Self.request(try Self.port(server), host: "service.test", fed)
        #expect(try await client.failure(of: request).kind == .forbidden)
        request.allowsPlainText = true
        let answer = try await client.send(request)
        #expect(try await Self.text(answer.body, until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
        #expect(try await server.events("proxy") == ["proxy CONNECT service.test:\(try Self.port(server)) clean"])
    }

    @Test("a slow reader slows the server down, and loses nothing")
    func slow() async throws {
        let server = try await HostileServer.start()
        var options = TransferOptions()
        options.buffer = .kibibytes(16)
        let client = try TransferClient(options)
        let fed = Fed()
        fed.feed.yield(Self.turn)
        let answer = try await client.send(Self.request(try Self.port(server), fed))
        _ = try await Self.text(answer.body, until: "\r\n\r\n")
        for _ in 0..<40 { fed.feed.yield([UInt8](repeating: 0x79, count: 50_000) + [0x0a]) }
        var count = 0
        while count < 40 * 50_001, let bytes = try await answer.body.read() { count += bytes.count }
        #expect(count == 40 * 50_001)
        #expect(client.counts.mostHeldBytes < 300_000, "\(client.counts)")
    }

    @Test("releasing the reader closes the connection; nothing to connect to is a failure before sending")
    func ends() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient()
        let fed = Fed()
        fed.feed.yield(Self.turn)
        var answer: IncomingResponse? = try await client.send(Self.request(try Self.port(server), fed))
        _ = try await Self.text(try #require(answer).body, until: "\r\n\r\n")
        answer = nil
        #expect(answer == nil)
        try await server.event("turned raw")
        let failure = try await client.failure(of: Self.request(1, Fed()))
        #expect(failure.kind == .unreachable && failure.wasNotSent)
        #expect(failure.reason.hasPrefix("no connection to mqtt://127.0.0.1:1"))
    }

    @Test("the schemes of HTTP are for requests, and those of brokers for connections")
    func schemes() async throws {
        let client = try TransferClient()
        #expect(try await client.failure(of: OutgoingRequest(.get, "mqtt://127.0.0.1:1")).kind == .invalidURL)
        #expect(try await client.failure(of: Self.request(1, scheme: "http", Fed())).kind == .invalidURL)
    }
}
