import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

@Suite("Servers that get tokens")
struct StrangerTests {
    private static func call(
        _ url: String,
        _ authorization: ServerCall.Authorization = .usual,
        _ method: WireHTTP.Method = .get
    ) throws -> ServerCall {
        var call = ServerCall(method, .address(try Address(parsing: url)), from: "test")
        call.authorization = authorization
        return call
    }

    @Test("another port is another server: it gets no token, and a request that requires one is not sent")
    func strangers() async throws {
        let (server, stranger) = (try ScriptedServer(), try RecordingServer())
        let tokens = HandTokens()
        let workshop = try await Workshop(server.url, tokens: tokens)
        for mode in [nil, .app, .appPlus, .user] as [TokenMode?] {
            let failure = try await workshop.failure(of: Self.call("\(stranger.url)/x", .token(mode)))
            guard case .forbidden = failure.kind else {
                Issue.record("\(failure)")
                return
            }
            #expect(failure.wasNotSent && failure.help?.contains("network.tokenHosts") == true)
        }
        #expect(stranger.requests.isEmpty && tokens.state.withLock { $0.wishes.isEmpty })
        for authorization in [.usual, .none] as [ServerCall.Authorization] {
            #expect(try await workshop.ask(Self.call("\(stranger.url)/x", authorization)).status == 200)
        }
        #expect(stranger.requests.count == 2 && stranger.requests.allSatisfy { !$0.contains("token-1") })
        #expect(tokens.state.withLock { $0.wishes.isEmpty })
        // The server of the base URL, whether as a whole URL or not.
        #expect(try await workshop.ask(Self.call("\(server.url)/y")).status == 200)
        #expect(try await workshop.ask(Self.call("z", .token(.user))).status == 200)
        #expect(server.seen.map { $0.fields["Authorization"] } == ["Bearer token-1", "Bearer token-1"])
    }

    @Test("a server in 'tokenHosts' gets the token at this port only")
    func named() async throws {
        let (server, named, other) = (try ScriptedServer(), try RecordingServer(), try RecordingServer())
        let workshop = try await Workshop(
            server.url,
            "{ tokenHosts: [\"127.0.0.1:\(named.port)\"] }",
            tokens: HandTokens()
        )
        _ = try await workshop.ask(Self.call("\(named.url)/x", .token(.user)))
        _ = try await workshop.ask(Self.call("\(named.url)/x"))
        _ = try await workshop.ask(Self.call("\(other.url)/x"))
        #expect(named.requests.count == 2)
        #expect(named.requests.allSatisfy { $0.contains("\r\nAuthorization: Bearer token-1\r\n") })
        #expect(other.requests.count == 1 && !other.requests[0].contains("token-1"))
    }

    @Test("a 401 of another server is no token rejection, and is not retried")
    func refusing() async throws {
        let stranger = try RecordingServer { _, _ in RecordingServer.answer("", "401 Unauthorized") }
        let (server, tokens) = (try ScriptedServer(), HandTokens())
        let workshop = try await Workshop(server.url, tokens: tokens)
        #expect(try await workshop.ask(Self.call("\(stranger.url)/x")).status == 401)
        #expect(stranger.requests.count == 1 && tokens.state.withLock { $0.refused.isEmpty })
    }

    @Test(
        "a redirect to another port drops token, keys and body",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirected(status: Int) async throws {
        let stranger = try RecordingServer()
        let server = try ScriptedServer { _, _ in .text("", status, ["Location": "\(stranger.url)/far"]) }
        let workshop = try await Workshop(server.url, "{ redirects: follow }", tokens: HandTokens())
        let call = Workshop.call(.get, "x") { $0.fields = ["X-Api-Key": "secret-key", "Cookie": "a=secret-key"] }
        #expect(try await workshop.ask(call).status == 200)
        #expect(server.seen.first?.fields["Authorization"] == "Bearer token-1")
        let request = try #require(stranger.requests.first)
        #expect(stranger.requests.count == 1 && !request.contains("token-1") && !request.contains("secret-key"))
        let post = Workshop.call(.post, "x") { $0.body = .bytes(Array("secret-body".utf8)) }
        _ = try await workshop.ask(post)
        #expect(stranger.requests.allSatisfy { !$0.contains("secret-body") && !$0.contains("token-1") })
    }

    @Test("a request that must arrive is not changed by a redirect", arguments: [301, 302, 303, 307, 308])
    func unchanged(status: Int) async throws {
        let server = try RecordingServer { _, target in
            target == "/here"
                ? RecordingServer.answer("{}") : RecordingServer.answer("", "\(status) x", "Location: /here")
        }
        let workshop = try await Workshop(server.url)
        let call = Workshop.call(.post, "there") {
            $0.body = .bytes(Array("body".utf8))
            $0.redirects = .unchanged
        }
        let isKept = status >= 307
        #expect(try await workshop.ask(call).status == (isKept ? 200 : status))
        #expect(server.asked == (isKept ? ["POST /there", "POST /here"] : ["POST /there"]))
        #expect(server.requests.allSatisfy { $0.hasSuffix("body") })
    }
}
