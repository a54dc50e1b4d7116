import ClientConformance
import Foundation
import Support
import Testing
import WireBase
import WireHTTP
import WireTransfer

@Suite("Transfers over TLS")
struct SecureTests {
    let authority: Authority
    let nginx: Nginx
    let client: TransferClient

    init() throws {
        authority = try Authority()
        nginx = try Nginx(
            authority,
            certificates: [
                "right": authority.certificate(for: "localhost", in: "right"),
                "other": authority.certificate(for: "other.test", in: "other"),
                "expired": authority.certificate(for: "localhost", in: "expired", until: "20210101000000Z"),
                "self": authority.certificate(for: "localhost", in: "self", bySelf: true),
            ]
        )
        var options = TransferOptions()
        options.authorities = authority.file
        client = try TransferClient(options)
    }

    private func request(_ server: String = "right", _ path: String = "/which") -> OutgoingRequest {
        var request = OutgoingRequest(.get, "https://localhost" + path)
        request.socket = nginx.path(server)
        // A busy machine is no reason.
        request.connectTimeout = .seconds(3_600)
        request.headTimeout = .seconds(3_600)
        return request
    }

    private func connection(_ request: OutgoingRequest) async throws -> String {
        try await client.text(request).text
    }

    @Test("HTTP/1.1 is used even if the server offers HTTP/2, and the connection is kept")
    func version() async throws {
        let first = try await connection(request())
        #expect(first.hasSuffix(" HTTP/1.1"))
        #expect(try await connection(request()) == first)
    }

    @Test("a server that responds before reading a small body keeps its connection", arguments: ["right", "plain"])
    func smallBodies(server: String) async throws {
        var request = request(server)
        if server == "plain" { request.url = "http://localhost/which" }
        request.method = .post
        request.body = .bytes(Array(repeating: 0x61, count: 300))
        var connections: Set<String> = []
        for _ in 0..<20 { connections.insert(try await connection(request)) }
        #expect(connections.count == 1, "found \(connections)")
    }

    @Test("hundreds of concurrent requests complete")
    func hundreds() async throws {
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<300 { group.addTask { try await connection(request()) } }
            for try await connection in group { #expect(connection.hasSuffix(" HTTP/1.1")) }
        }
        #expect(client.counts.transfers == 0)
    }

    @Test("a slow reader blocks no other, and buffers little")
    func slowReader() async throws {
        try nginx.folder.write(Data(count: 20 << 20), to: "large")
        let slow = try await client.send(request("right", "/large"))
        let seen = try #require(try await slow.body.read()).count
        for _ in 0..<20 { #expect(try await client.text(request()).status == 200) }
        // What libcurl hands over in one piece may go past the bound it is paused at.
        #expect(client.counts.mostHeldBytes <= (256 + 16) << 10)
        let rest = try await slow.body.collect(upTo: .mebibytes(20))
        #expect(seen + rest.count == 20 << 20)
        #expect(client.counts.heldBytes == 0)
    }

    @Test("an upload works over TLS")
    func upload() async throws {
        var up = request()
        up.method = .post
        up.body = .stream(length: nil, Numbered(1 << 20, by: 10_000))
        #expect(try await client.text(up).status == 200)
    }

    @Test("a pinned key is accepted, alone and as a backup")
    func rightPin() async throws {
        let (right, other) = try (authority.pin(of: "right"), authority.pin(of: "other"))
        for pins in [[right], [other, right]] {
            var pinned = request()
            pinned.pins = pins
            #expect(try await client.text(pinned).status == 200)
        }
    }

    @Test("an unpinned key is rejected, on shared connections too")
    func wrongPin() async throws {
        _ = try await connection(request())
        var pinned = request()
        pinned.pins = [try authority.pin(of: "other")]
        let failure = try await client.failure(of: pinned)
        #expect(failure.kind == .pin && failure.wasNotSent)
        #expect(failure.reason == "the public key of https://localhost matches none of the 1 pins")
        for pins in [["sha256"], [String(repeating: "A", count: 44)], [";" + String(repeating: "A", count: 42) + "="]] {
            pinned.pins = pins
            #expect(try await client.failure(of: pinned).kind == .invalidRequest)
        }
    }

    @Test("pins require TLS")
    func pinsWithoutTLS() async throws {
        var pinned = request("plain")
        pinned.url = "http://localhost/which"
        pinned.pins = [try authority.pin(of: "right")]
        #expect(try await client.failure(of: pinned).kind == .forbidden)
    }

    @Test(
        "an untrusted certificate is rejected before anything is sent",
        arguments: [
            ("other", "no alternative certificate subject name matches"), ("expired", "certificate has expired"),
            ("self", "self-signed certificate"),
        ]
    )
    func untrusted(server: String, words: String) async throws {
        let failure = try await client.failure(of: request(server, "/which?token=secret"))
        #expect(failure.kind == .tls && failure.wasNotSent)
        #expect(failure.reason.contains(words) && !failure.reason.contains("secret"), "\(failure.reason)")
    }

    @Test("an undeclared authority is not trusted")
    func unknownAuthority() async throws {
        let failure = try await TransferClient().failure(of: request())
        #expect(failure.kind == .tls && failure.wasNotSent)
        var options = TransferOptions()
        options.authorities = "/nowhere/ca.pem"
        let missing = try await TransferClient(options).failure(of: request())
        #expect(missing.kind == .tls)
        #expect(missing.reason == "the CA file '/nowhere/ca.pem' cannot be read")
    }

    @Test("TLS 1.1 is rejected")
    func oldVersion() async throws {
        let server = try OldServer(certificate: authority.path("right"))
        let failure = try await client.failure(of: OutgoingRequest(.get, "https://localhost:\(server.port)/"))
        #expect(failure.kind == .tls && failure.wasNotSent, "\(failure)")
    }

    @Test("a redirect from https to http is rejected")
    func downgrade() async throws {
        let server = try await HostileServer.start(certificate: authority.path("right"))
        let port = try #require(server.securePort)
        var request = OutgoingRequest(
            .get,
            "https://localhost:\(port)/redirect" + HostileServer.query(["to": server.base + "/echo"])
        )
        request.allowsPlainText = true
        for rule in [OutgoingRequest.Redirects.sameHost(upTo: 3), .anywhere(upTo: 3)] {
            request.redirects = rule
            let failure = try await client.failure(of: request)
            #expect(failure.kind == .forbidden && failure.reason.hasSuffix("from https to http"))
        }
    }
}

/// `openssl s_server` that speaks TLS 1.1 alone.
final class OldServer: Sendable {
    let port: Int
    private let id: Int32

    init(certificate: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_server", "-accept", "localhost:0", "-cert", certificate, "-key", certificate]
            + ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-www"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        id = process.processIdentifier
        var text = ""
        while !text.contains("ACCEPT") || !text.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "openssl does not listen: \(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ACCEPT") })
        port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
    }

    deinit {
        // Started from a thread that blocks every signal but this, it blocks them too.
        kill(id, SIGKILL)
    }
}
