import ClientConformance
import Support
import Testing
import WireBase
import WireHTTP
import WireTransfer

@Suite("Transfers through a proxy")
struct ProxyTests {
    private func options(_ server: HostileServer, _ change: (inout TransferOptions) -> Void = { _ in })
        -> TransferOptions
    {
        var options = TransferOptions()
        options.proxies = .none
        options.proxies.http = server.proxy
        options.proxies.https = server.proxy
        change(&options)
        return options
    }

    @Test("a tunnel leads to the server, and the proxy sees nothing of the request")
    func tunnel() async throws {
        let authority = try Authority()
        let server = try await HostileServer.start(
            certificate: authority.certificate(for: "service.test", in: "service")
        )
        let client = try TransferClient(options(server) { $0.authorities = authority.file })
        let place = "service.test:\(try #require(server.securePort))"
        var request = OutgoingRequest(.get, "https://\(place)/echo")
        request.fields = ["X-Secret": "a", "Authorization": "Bearer secret"]
        let seen = try Seen(await client.text(request).text)
        #expect(seen["X-Secret"] == "a" && seen["Host"] == place)
        #expect(try await server.events("proxy") == ["proxy CONNECT \(place) clean"])
    }

    @Test("a proxy that requires a password is reported, and nothing was sent")
    func locked() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient(options(server))
        let failure = try await client.failure(of: OutgoingRequest(.get, "https://locked.test/?token=secret"))
        #expect(failure.kind == .unreachable && failure.wasNotSent)
        #expect(failure.reason == "the proxy rejected a tunnel to https://locked.test with status 407")
    }

    @Test("plain HTTP is sent to the proxy, if allowed")
    func plain() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient(options(server))
        var request = OutgoingRequest(.get, "http://service.test/a")
        request.allowsPlainText = true
        let text = try await client.text(request).text
        #expect(text == "by proxy!")
    }

    @Test("upgraded connections use a tunnel, also in plain text")
    func upgrade() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient(options(server))
        let port = try #require(server.base.split(separator: ":").last)
        let fed = Fed()
        var request = OutgoingRequest(.get, "http://service.test:\(port)/switch")
        request.allowsPlainText = true
        request.body = .upgrade(to: "turned", fed)
        let answer = try await client.send(request)
        #expect(answer.status == .switchingProtocols)
        fed.feed.yield(Array("abc\n".utf8))
        #expect(try await answer.body.read() == Array("cba\n".utf8))
        #expect(try await server.events("proxy") == ["proxy CONNECT service.test:\(port) clean"])
    }

    @Test("this machine, Unix sockets and exceptions bypass the proxy")
    func exceptions() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient(options(server) { $0.proxies.exceptions = "service.test" })
        #expect(try await client.text(server.get("/hello")).text == "hello")
        var request = OutgoingRequest(.get, "http://service.test/hello")
        request.socket = server.socket
        #expect(try await client.text(request).text == "hello")
        let failure = try await client.failure(of: OutgoingRequest(.get, "https://service.test/"))
        #expect(failure.kind == .unresolved)
        #expect(try await server.events("proxy").isEmpty)
    }

    @Test("with address checks, no proxy resolves names")
    func judged() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient(options(server) { $0.allowsAddress = { _ in true } })
        let failure = try await client.failure(of: OutgoingRequest(.get, "https://service.test/"))
        #expect(failure.kind == .unresolved)
        #expect(try await server.events("proxy").isEmpty)
    }

    @Test("proxy variables are read like by curl")
    func environment() {
        func proxies(_ variables: [String: String]) -> Proxies { Proxies { variables[$0] } }
        #expect(proxies(["HTTP_PROXY": "http://a"]).http == nil)
        #expect(proxies(["http_proxy": "http://a", "all_proxy": "http://b"]).http == "http://a")
        #expect(proxies(["http_proxy": "", "all_proxy": "http://b"]).http == "http://b")
        #expect(proxies(["HTTPS_PROXY": "http://a"]).https == "http://a")
        #expect(proxies(["https_proxy": "http://b", "HTTPS_PROXY": "http://a"]).https == "http://b")
        #expect(proxies(["ALL_PROXY": "http://c", "NO_PROXY": "x,y"]).exceptions == "x,y")
    }
}
