import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("Discovery of identity servers", .timeLimit(.minutes(1)))
struct DiscoveryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: SignInFailure.Kind
        var changes: [(key: String, value: JSONValue)] = []
        var without: [String] = []
    }

    @Test(
        "an incomplete document, another issuer, or a forbidden endpoint is rejected",
        arguments: [
            Case(
                testDescription: "issuer mismatch",
                kind: .wrongIssuer,
                changes: [("issuer", .string("https://evil.example.com"))]
            ),
            Case(testDescription: "issuer missing", kind: .wrongAnswer, without: ["issuer"]),
            Case(testDescription: "no authorization endpoint", kind: .wrongAnswer, without: ["authorization_endpoint"]),
            Case(testDescription: "no token endpoint", kind: .wrongAnswer, without: ["token_endpoint"]),
            Case(testDescription: "no keys", kind: .wrongAnswer, without: ["jwks_uri"]),
            Case(testDescription: "no response types", kind: .wrongAnswer, without: ["response_types_supported"]),
            Case(
                testDescription: "no algorithms",
                kind: .wrongAnswer,
                without: ["id_token_signing_alg_values_supported"]
            ),
            Case(
                testDescription: "implicit only",
                kind: .unsupportedResponseType,
                changes: [("response_types_supported", .array([.string("id_token")]))]
            ),
            Case(
                testDescription: "plain PKCE only",
                kind: .unsupported,
                changes: [("code_challenge_methods_supported", .array([.string("plain")]))]
            ),
            Case(
                testDescription: "readable endpoint",
                kind: .wrongAnswer,
                changes: [("token_endpoint", .string("http://sso.example.com/token"))]
            ),
            Case(
                testDescription: "endpoint of another scheme",
                kind: .wrongAnswer,
                changes: [("jwks_uri", .string("file:///etc/passwd"))]
            ),
            Case(
                testDescription: "endpoint with fragment",
                kind: .wrongAnswer,
                changes: [("token_endpoint", .string("https://sso.example.com/#t"))]
            ),
            Case(
                testDescription: "endpoint is a number",
                kind: .wrongAnswer,
                changes: [("token_endpoint", .integer(1))]
            ),
            Case(
                testDescription: "methods are no list",
                kind: .wrongAnswer,
                changes: [("token_endpoint_auth_methods_supported", .string("none"))]
            ),
        ]
    )
    func refused(_ example: Case) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.publish(example.changes, without: example.without)
        let visitor = try Visitor(issuer)
        let failure = await failure {
            _ = try await visitor.server().beginAuthorization(redirectURI: Visitor.redirectURI)
        }
        #expect(failure?.kind == example.kind)
        await issuer.stop()
    }

    @Test("an optional member is null or valid, and of limited size")
    func leftOut() {
        func metadata(_ name: String, _ value: JSONValue) -> ServerMetadata? {
            let document = JSONValue.members([
                "issuer": .string("https://sso.example.com"),
                "authorization_endpoint": .string("https://sso.example.com/a"),
                "token_endpoint": .string("https://sso.example.com/t"),
                "jwks_uri": .string("https://sso.example.com/k"),
                "response_types_supported": .array([.string("code")]),
                "id_token_signing_alg_values_supported": .array([.string("RS256")]),
                name: value,
            ])
            return try? ServerMetadata(document, of: "https://sso.example.com")
        }
        func url(_ length: Int) -> JSONValue {
            let folder = "https://sso.example.com/"
            return .string(folder + String(repeating: "u", count: length - folder.utf8.count))
        }
        func texts(_ count: Int) -> JSONValue { .array(Array(repeating: .string("a"), count: count)) }
        for value in [JSONValue.null, url(2_048)] { #expect(metadata("userinfo_endpoint", value) != nil) }
        for value in [JSONValue.string(""), url(2_049)] { #expect(metadata("userinfo_endpoint", value) == nil) }
        for value in [JSONValue.null, texts(0), texts(1_024)] { #expect(metadata("scopes_supported", value) != nil) }
        for value in [JSONValue.array([.integer(1)]), texts(1_025)] {
            #expect(metadata("scopes_supported", value) == nil)
        }
        let flag = "authorization_response_iss_parameter_supported"
        #expect(metadata(flag, .null)?.announcesIssuer == false)
        #expect(metadata(flag, .boolean(true))?.announcesIssuer == true)
        #expect(metadata(flag, .string("true")) == nil)
    }

    @Test("endpoints on this machine require an issuer on this machine")
    func endpointsAtHome() throws {
        let document = JSONValue.members([
            "issuer": .string("https://sso.example.com"),
            "authorization_endpoint": .string("https://sso.example.com/a"),
            "token_endpoint": .string("http://127.0.0.1:9/token"), "jwks_uri": .string("https://sso.example.com/k"),
            "response_types_supported": .array([.string("code")]),
            "id_token_signing_alg_values_supported": .array([.string("RS256")]),
        ])
        #expect(throws: SignInFailure.self) { try ServerMetadata(document, of: "https://sso.example.com") }
        // Nor is what is no URL on any machine.
        let nowhere = document.merging([("issuer", .string("nowhere"))])
        #expect(throws: SignInFailure.self) { try ServerMetadata(nowhere, of: "nowhere") }
        let changed = document.merging([("token_endpoint", .string("https://localhost/token"))])
        #expect(throws: SignInFailure.self) { try ServerMetadata(changed, of: "https://sso.example.com") }
        let right = document.merging([("token_endpoint", .string("https://login.example.org/token"))])
        #expect(
            try ServerMetadata(right, of: "https://sso.example.com").tokenEndpoint == "https://login.example.org/token"
        )
    }

    @Test(
        "a body that is not a document is rejected",
        arguments: [
            ("a page for people", "text/html", "<html>sign in to the network</html>", 200),
            ("a page for people that is one, too", "text/html; charset=utf-8", "@", 200),
            ("not JSON", "application/json", "nope", 200),
            ("a list", "application/json", "[]", 200),
            ("a name twice", "application/json", #"{"issuer":"a","issuer":"b"}"#, 200),
            ("too deep", "application/json", String(repeating: "[", count: 100), 200),
            ("too large", "application/json", "@" + String(repeating: " ", count: 1 << 20), 200),
            ("not there", "application/json", "{}", 404),
            ("failing", "text/plain", "oops", 502),
        ]
    )
    func strange(name: String, type: String, body: String, status: Int) async throws {
        let issuer = try ScriptedIssuer.start()
        // The usual document, where there is nothing wrong with what it says.
        let text = issuer.document().text() + body.dropFirst()
        issuer.say(ScriptedIssuer.discovery, status, text: body.hasPrefix("@") ? text : body, type: type)
        let visitor = try Visitor(issuer)
        let failure = await failure { _ = try await visitor.server().metadata() }
        #expect(failure?.kind == (status == 502 ? .serverError : .wrongAnswer))
        #expect(failure?.endsSession == false)
        await issuer.stop()
    }

    @Test("concurrent callers share one request, and the document is cached until it expires")
    func once() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { (try? await server.metadata()) != nil } }
            for await went in group { #expect(went) }
        }
        #expect(issuer.asked(ScriptedIssuer.discovery).count == 1)
        visitor.clock.pass(.seconds(86_399))
        _ = try await server.metadata()
        #expect(issuer.asked(ScriptedIssuer.discovery).count == 1)
        visitor.clock.pass(.seconds(1))
        _ = try await server.metadata()
        #expect(issuer.asked(ScriptedIssuer.discovery).count == 2)
        await issuer.stop()
    }

    @Test(
        "a cached document is used if the server fails, is invalid, or announces another issuer",
        arguments: [
            (503, ""), (200, "<html>"), (200, #"{"issuer":"https://evil.example.com"}"#),
        ]
    )
    func kept(status: Int, body: String) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let before = try await server.metadata()
        // A gateway that answers for the server is asked once more.
        let each = status == 503 ? 2 : 1
        issuer.say(ScriptedIssuer.discovery, status, text: body)
        visitor.clock.pass(.seconds(90_000))
        #expect(try await server.metadata() == before)
        #expect(try await server.metadata() == before)
        // A server that could not be asked is left alone for a while.
        #expect(issuer.asked(ScriptedIssuer.discovery).count == 1 + each)
        visitor.clock.pass(.seconds(29))
        _ = try await server.metadata()
        #expect(issuer.asked(ScriptedIssuer.discovery).count == 1 + each)
        visitor.clock.pass(.seconds(1))
        _ = try await server.metadata()
        #expect(issuer.asked(ScriptedIssuer.discovery).count == 1 + 2 * each)
        await issuer.stop()
    }

    @Test("a cancelled caller leaves the request to the next waiting one")
    func takeOver() async throws {
        let work = SharedWork<Int>()
        let (began, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await work.value { () async throws(SignInFailure) in
                hasBegun.yield()
                let (never, _) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
                throw SignInFailure(.abandoned, "cancelled")
            }
        }
        for await _ in began { break }
        let second = Task { try await work.value { () async throws(SignInFailure) in 2 } }
        while !work.hasWaiting { await Task.yield() }
        first.cancel()
        #expect(try await second.value == 2)
        await #expect(throws: SignInFailure.self) { try await first.value }
    }
}
