import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireService

@Suite("The network proxy of the local API")
struct RouteTests {
    @Test("the request is forwarded with method, path, query and body, and the response returned")
    func passes() async throws {
        let server = try ScriptedServer { _, request in
            .text("\(request.method.name) \(request.bodyText)", 418, ["X-Answer": "yes", "Content-Type": "text/plain"])
        }
        let workshop = try await Workshop("\(server.url)/base")
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let body = ["GET", "OPTIONS"].contains(method) ? nil : Array("körper".utf8)
            let answer = try await workshop.route(Method(method), "/v1/network/a%20b/c?x=1%202&x&&=y", body: body)
            #expect(answer.status.code == 418, "\(method)")
            #expect(answer.text == (body == nil ? "\(method) " : "\(method) körper"))
            #expect(answer.fields["X-Answer"] == "yes" && answer.fields["Content-Type"] == "text/plain")
            #expect(answer.fields["Corewire-Attempts"] == "1" && answer.fields["Corewire-Waited"] == nil)
        }
        #expect(server.paths.allSatisfy { $0 == "/base/a%20b/c?x=1%202&x&&=y" })
        let head = try await workshop.route(.head, "/v1/network/a")
        #expect(head.status.code == 418 && head.text == "")
        #expect(server.seen.last?.method == .head)
    }

    @Test("hop-by-hop, corewire and local API secret fields are not forwarded")
    func sent() async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop(server.url, tokens: HandTokens())
        _ = try await workshop.route(
            .get,
            "/v1/network/a",
            [
                "Authorization": "Bearer local", "cookie": "session=1", "Host": "localhost:7420", "X-Corewire": "1",
                "Corewire-Retries": "0", "corewire-Anything": "1", "Connection": "x-hop, keep-alive", "X-Hop": "1",
                "Keep-Alive": "5", "TE": "trailers", "Upgrade": "h2c", "Proxy-Authorization": "Basic x", "Proxy": "x",
                "Trailer": "x", "Accept": "text/x", "X-Own": "1", "x-own": "2", "If-None-Match": "\"1\"",
            ]
        )
        let seen = try #require(server.seen.first)
        var names = seen.fields.all.map { $0.name.lowercased() }
        names.removeAll { $0 == "host" }
        #expect(names.sorted() == ["accept", "authorization", "if-none-match", "x-own", "x-own"])
        #expect(seen.fields["Authorization"] == "Bearer token-1")
        #expect(seen.fields.values(of: "X-Own") == ["1", "2"])
    }

    @Test("fields that affect the API's origin, or imitate corewire, are not returned")
    func received() async throws {
        let server = try ScriptedServer { _, _ in
            .text(
                "x",
                200,
                [
                    "Set-Cookie": "corewire=1", "Strict-Transport-Security": "max-age=1",
                    "Access-Control-Allow-Origin": "*",
                    "Content-Security-Policy": "default-src *", "Corewire-Attempts": "9", "Corewire-Generation": "9",
                    "ETag": "\"1\"", "Keep-Alive": "timeout=1", "Clear-Site-Data": "\"*\"",
                ]
            )
        }
        let answer = try await Workshop(server.url).route(.get, "/v1/network/a")
        #expect(
            answer.fields.all.map(\.name).filter { $0 != "Date" && $0 != "Content-Length" } == [
                "ETag", "Corewire-Attempts", "Content-Security-Policy",
            ]
        )
        #expect(answer.fields.values(of: "Corewire-Attempts") == ["1"])
        #expect(answer.fields["Content-Security-Policy"]?.contains("sandbox") ?? false)
    }

    @Test("header fields control the request")
    func fields() async throws {
        let server = try ScriptedServer { number, _ in .text("\(number)", number < 3 ? 503 : 200) }
        let tokens = HandTokens()
        let workshop = try await Workshop(
            server.url,
            "{ backoff: { first: 1ms, max: 1ms, jitter: 0 } }",
            tokens: tokens
        )
        let answer = Task {
            try await workshop.route(
                .post,
                "/v1/network/a",
                ["Corewire-Retries": "2", "Corewire-Token": "app", "Idempotency-Key": "17"],
                body: [1]
            )
        }
        for _ in 0..<2 {
            #expect(await eventually { workshop.clock.sleepers >= 2 })
            workshop.clock.pass(.milliseconds(1))
        }
        let told = try await answer.value
        #expect(
            told.status == .ok && told.fields["Corewire-Attempts"] == "3" && told.fields["Corewire-Waited"] == "2ms"
        )
        #expect(tokens.state.withLock { $0.wishes } == [.app])
        #expect(server.seen.allSatisfy { $0.fields["Idempotency-Key"] == "17" })
        _ = try await workshop.route(.get, "/v1/network/a", ["Corewire-Token": "none"])
        #expect(server.seen.last?.fields["Authorization"] == nil)
    }

    @Test(
        "an invalid control field is rejected, and nothing is sent",
        arguments: [
            ("Corewire-Token", "users"), ("Corewire-Retries", "11"), ("Corewire-Retries", "-1"),
            ("Corewire-Timeout", "5"), ("Corewire-Timeout", "99ms"), ("Corewire-Timeout", "3601s"),
            ("Corewire-Offline-Policy", "None"),
        ]
    )
    func misread(name: String, value: String) async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop(server.url)
        let answer = try await workshop.route(.get, "/v1/network/a", Fields(dictionaryLiteral: (name, value)))
        #expect(answer.status == .badRequest && answer.text.contains("'\(name)': found "), "\(answer.text)")
        let twice = try await workshop.route(
            .get,
            "/v1/network/a",
            Fields(dictionaryLiteral: (name, value), (name, value))
        )
        #expect(twice.status == .badRequest)
        #expect(server.seen.isEmpty)
    }

    @Test(
        "a control field at its limit is accepted",
        arguments: [
            ("Corewire-Retries", "0"), ("Corewire-Retries", "10"), ("Corewire-Timeout", "100ms"),
            ("Corewire-Timeout", "1h"),
        ]
    )
    func edges(name: String, value: String) async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop(server.url)
        let answer = try await workshop.route(.get, "/v1/network/a", Fields(dictionaryLiteral: (name, value)))
        // What becomes of it in so short a time is another matter.
        #expect(answer.status != .badRequest, "\(answer.text)")
    }

    @Test("the timeout is that of the request's field")
    func ownTimeout() async throws {
        let barrier = OneShot()
        let server = try ScriptedServer { _, _ in
            await barrier.wait()
            return .text("x")
        }
        let workshop = try await Workshop(server.url)
        let answer = try await workshop.route(.get, "/v1/network/a", ["Corewire-Timeout": "100ms"])
        #expect(answer.status == .gatewayTimeout && answer.text.contains("0.1 seconds"), "\(answer.text)")
        barrier.fire()
    }

    @Test(
        "each reason for a missing response has its status and type",
        arguments: [
            (.offline, 503, "offline"), (.notStored, 504, "not-stored"), (.noToken(.signedOut), 401, "signed-out"),
            (.noToken(.locked), 423, "locked"), (.noToken(.blocked), 403, "blocked"),
            (.noToken(.distrusted), 403, "distrusted"), (.noToken(.unavailable), 503, "token-unavailable"),
            (.noToken(.undeclared), 409, "undeclared-mode"), (.resting, 503, "host-resting"), (.busy, 503, "busy"),
            (.noAddress, 409, "no-address"), (.forbidden, 403, "forbidden"), (.timeout, 504, "timeout"),
            (.transfer(.timeout), 504, "timeout"), (.transfer(.invalidURL), 400, "invalid-request"),
            (.transfer(.exhausted), 503, "exhausted"), (.transfer(.unresolved), 502, "unresolved"),
            (.transfer(.protocolError), 502, "protocol-error"), (.transfer(.tls), 502, "tls"),
            (.transfer(.tooManyRedirects), 502, "too-many-redirects"), (.transfer(.interrupted), 502, "interrupted"),
            (.ended, 503, "ended"), (.cancelled, 503, "cancelled"),
        ] as [(CallFailure.Kind, Int, String)]
    )
    func kinds(kind: CallFailure.Kind, status: Int, type: String) {
        #expect(kind.requestFailure.facts.status.code == status && kind.requestFailure.type == type)
    }

    @Test("failures are problems with their place, without the query")
    func problems() async throws {
        let server = try ScriptedServer { _, _ in .text("x", 500) }
        let tokens = HandTokens()
        let workshop = try await Workshop(server.url, "{ circuit: { failures: 1, pause: 10s } }", tokens: tokens)
        _ = try await workshop.route(.get, "/v1/network/a?secret=s3cret")
        let resting = try await workshop.route(.get, "/v1/network/a?secret=s3cret")
        #expect(resting.status == .unavailable && resting.fields["Retry-After"] == "10")
        #expect(resting.text.contains("\"path\":\"network.circuit\"") && resting.text.contains("file.yaml:"))
        tokens.state.withLock { $0.refusal = TokenRefusal(.signedOut, guidance: "Sign in.") }
        let out = try await workshop.route(.get, "/v1/network/a?secret=s3cret")
        #expect(out.status == .unauthorized && out.fields["WWW-Authenticate"] == "Bearer realm=\"auth\"")
        let path = try await workshop.route(.get, "/v1/network/a%2f..%2fb?secret=s3cret")
        #expect(path.status == .badRequest)
        let nowhere = try await Workshop("https://nowhere.invalid").route(.get, "/v1/network/a?secret=s3cret")
        #expect(nowhere.status == .badGateway && nowhere.text.contains("unresolved"))
        for answer in [resting, out, path, nowhere] {
            #expect(answer.fields["Content-Type"] == "application/problem+json")
            #expect(!answer.text.contains("s3cret"))
        }
        // The path was never made into a request.
        let attempts = [resting, out, path, nowhere].map { $0.fields["Corewire-Attempts"] }
        #expect(attempts == ["0", "0", nil, "1"])
    }

    @Test("a response that breaks off before anything was forwarded is a failure")
    func brokenOff() async throws {
        let server = try ScriptedServer { _, request in
            Response(
                .ok,
                fields: request.target.path == "/known" ? ["Content-Length": "8"] : [:],
                body: .stream { writer in
                    try await writer.write(Array("half".utf8))
                    throw ConnectionGone()
                }
            )
        }
        let workshop = try await Workshop(server.url)
        let failure = try await workshop.route(.get, "/v1/network/known")
        #expect(failure.status == .badGateway && failure.fields["Content-Type"] == "application/problem+json")
        #expect(!failure.text.contains("half"))
        // Its length is not known, so it is passed on as it comes, and breaks off there too.
        let answer = try await workshop.route(.get, "/v1/network/a")
        guard case .stream(let write) = answer.body else {
            Issue.record("no stream")
            return
        }
        let heard = Heard()
        await #expect(throws: TransferFailure.self) { try await write(heard) }
        #expect(heard.text == "half")
    }

    @Test("a body over the limit is rejected with the place of the limit")
    func tooLarge() async throws {
        let server = try ScriptedServer()
        let workshop = try await Workshop(server.url, "{ limits: { maxBodySize: 1KiB } }")
        let answer = try await workshop.route(.put, "/v1/network/a", body: [UInt8](repeating: 1, count: 1_025))
        #expect(answer.status == .contentTooLarge && answer.text.contains("network.limits.maxBodySize"))
        #expect(server.seen.isEmpty)
    }

    @Test(
        "a body of exactly the limit passes, one byte more does not",
        arguments: [(1, 1_024), (100, 102_400)]
    )
    func limit(kibibytes: Int, bytes: Int) async throws {
        let server = try ScriptedServer { _, request in .text("\(request.body.count)") }
        let workshop = try await Workshop(server.url, "{ limits: { maxBodySize: \(kibibytes)KiB } }")
        let body = [UInt8](repeating: 1, count: bytes)
        #expect(try await workshop.route(.put, "/v1/network/a", body: body).text == "\(bytes)")
        #expect(try await workshop.route(.put, "/v1/network/a", body: body + [1]).status == .contentTooLarge)
    }

    @Test("a small body can be retried, a larger one is streamed once", arguments: [65_536, 65_537])
    func again(bytes: Int) async throws {
        let server = try ScriptedServer { number, _ in .text("", number == 1 ? 503 : 200, ["Retry-After": "0"]) }
        let workshop = try await Workshop(server.url, "{ retries: 1 }")
        async let answer = workshop.route(.put, "/v1/network/a", body: [UInt8](repeating: 1, count: bytes))
        if bytes == 65_536 {
            // It waits for the clock before it sends it again.
            #expect(
                await eventually {
                    workshop.clock.pass(.seconds(1))
                    return server.seen.count == 2
                }
            )
        }
        #expect(try await answer.status == (bytes == 65_536 ? .ok : Status(503)))
        #expect(server.seen.count == (bytes == 65_536 ? 2 : 1))
    }
}

/// What was written to a body.
private final class Heard: BodyWriter {
    private let bytes = Mutex<[UInt8]>([])

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    func write(_ bytes: [UInt8]) async throws { self.bytes.withLock { $0 += bytes } }
}

extension Response {
    fileprivate var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
