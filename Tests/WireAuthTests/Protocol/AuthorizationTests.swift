import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireJOSE
import WireSecrets
import WireService

@testable import WireAuth

@Suite("Sign-in with an authorization code", .timeLimit(.minutes(1)))
struct AuthorizationTests {
    @Test("the request is complete, uses fresh values each time, and contains no secret")
    func request() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.publish([("authorization_endpoint", .string(issuer.url("authorize") + "?tenant=a"))])
        let visitor = try Visitor(issuer) {
            $0.parameters = [("prompt", "login"), ("ui_locales", "de en")]
            $0.audience = "https://api.example.com"
        }
        let server = visitor.server()
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        #expect(pending.url.hasPrefix(issuer.url("authorize") + "?tenant=a&"))
        let query = try #require(FormText.pairs(of: pending.url.drop { $0 != "?" }.dropFirst()))
        let digest = try visitor.server().means.secrecy.digest(Array(pending.verifier.reveal().utf8))
        #expect(
            query == [
                "tenant": "a", "response_type": "code", "client_id": "tasks", "redirect_uri": Visitor.redirectURI,
                "scope": "openid profile offline_access", "state": pending.state, "nonce": pending.nonce,
                "code_challenge": Base64URL.text(of: digest.bytes), "code_challenge_method": "S256",
                "resource": "https://api.example.com", "prompt": "login", "ui_locales": "de en",
            ]
        )
        #expect([pending.state, pending.nonce, pending.verifier.reveal()].allSatisfy { $0.utf8.count == 43 })
        #expect(!pending.url.contains(pending.verifier.reveal()))
        let other = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        #expect(
            Set([
                pending.state, pending.nonce, other.state, other.nonce, pending.verifier.reveal(),
                other.verifier.reveal(),
            ]).count == 6
        )
        await issuer.stop()
    }

    @Test(
        "parameters of the file cannot override those of the protocol",
        arguments: [
            "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
            "code_challenge", "code_challenge_method", "code_verifier", "request", "request_uri", "audience",
            "resource",
        ]
    )
    func reserved(name: String) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer) { $0.parameters = [(name, "x")] }
        let failure = await failure {
            _ = try await visitor.server().beginAuthorization(redirectURI: Visitor.redirectURI)
        }
        #expect(failure?.setting == .parameters)
        await issuer.stop()
    }

    /// What comes back, with `@` for the state of the sign-in and `#` for the issuer.
    struct Callback: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        var kind: SignInFailure.Kind?
        var announces = false
    }

    static let usual = Visitor.redirectURI

    /// So many parameters more.
    static func more(_ count: Int) -> String { (0..<count).map { "&p\($0)=" }.joined() }

    @Test(
        "the response is accepted only if all of it is valid",
        arguments: [
            Callback(testDescription: "as it must be", text: "\(usual)?code=c&state=@"),
            Callback(testDescription: "the query alone", text: "code=c&state=@"),
            Callback(testDescription: "the query with its mark", text: "?code=c&state=@"),
            Callback(
                testDescription: "unknown parameters are passed over",
                text: "\(usual)?code=c&state=@&session_state=1"
            ),
            Callback(testDescription: "an empty fragment", text: "\(usual)?code=c&state=@#_=_"),
            Callback(testDescription: "the issuer named", text: "\(usual)?code=c&state=@&iss=~"),
            Callback(
                testDescription: "the issuer named as announced",
                text: "\(usual)?code=c&state=@&iss=~",
                announces: true
            ),
            Callback(testDescription: "no state", text: "\(usual)?code=c", kind: .wrongState),
            Callback(testDescription: "an empty state", text: "\(usual)?code=c&state=", kind: .wrongState),
            Callback(testDescription: "another state", text: "\(usual)?code=c&state=@x", kind: .wrongState),
            Callback(
                testDescription: "an error without the state",
                text: "\(usual)?error=access_denied",
                kind: .wrongState
            ),
            Callback(testDescription: "the state twice", text: "\(usual)?code=c&state=@&state=@", kind: .wrongAnswer),
            Callback(testDescription: "the code twice", text: "\(usual)?code=c&code=d&state=@", kind: .wrongAnswer),
            Callback(
                testDescription: "a name twice, once encoded",
                text: "\(usual)?code=c&c%6fde=d&state=@",
                kind: .wrongAnswer
            ),
            Callback(testDescription: "wrongly encoded", text: "\(usual)?code=%zz&state=@", kind: .wrongAnswer),
            Callback(testDescription: "not UTF-8", text: "\(usual)?code=%ff&state=@", kind: .wrongAnswer),
            Callback(testDescription: "a line break", text: "\(usual)?code=c&state=@\r\n", kind: .wrongAnswer),
            Callback(testDescription: "neither code nor error", text: "\(usual)?state=@", kind: .wrongAnswer),
            Callback(testDescription: "an empty code", text: "\(usual)?code=&state=@", kind: .wrongAnswer),
            Callback(
                testDescription: "a code with a line break",
                text: "\(usual)?code=c%0ad&state=@",
                kind: .wrongAnswer
            ),
            Callback(
                testDescription: "more parameters than are read",
                text: "\(usual)?code=c&state=@\(more(63))",
                kind: .wrongAnswer
            ),
            Callback(
                testDescription: "as many parameters as are read",
                text: "\(usual)?code=c&state=@\(more(62))"
            ),
            Callback(testDescription: "in the fragment", text: "\(usual)#code=c&state=@", kind: .wrongAnswer),
            Callback(
                testDescription: "too long",
                text: "\(usual)?code=\(String(repeating: "c", count: 70_000))&state=@",
                kind: .wrongAnswer
            ),
            Callback(
                testDescription: "at another path",
                text: "http://127.0.0.1:49152/other?code=c&state=@",
                kind: .wrongState
            ),
            Callback(
                testDescription: "at another port",
                text: "http://127.0.0.1:49153/callback?code=c&state=@",
                kind: .wrongState
            ),
            Callback(
                testDescription: "by another scheme",
                text: "com.example:/callback?code=c&state=@",
                kind: .wrongState
            ),
            Callback(
                testDescription: "mix-up: another issuer",
                text: "\(usual)?code=c&state=@&iss=https://evil.example.com",
                kind: .wrongIssuer
            ),
            Callback(
                testDescription: "mix-up: no issuer though announced",
                text: "\(usual)?code=c&state=@",
                kind: .wrongIssuer,
                announces: true
            ),
            Callback(
                testDescription: "mix-up: an error of another issuer",
                text: "\(usual)?error=access_denied&state=@&iss=https://evil.example.com",
                kind: .wrongIssuer
            ),
            Callback(testDescription: "refused", text: "\(usual)?error=access_denied&state=@", kind: .accessDenied),
            Callback(
                testDescription: "blocked at Auth0",
                text: "\(usual)?error=unauthorized&error_description=user%20is%20blocked&state=@",
                kind: .blocked
            ),
            Callback(
                testDescription: "login required",
                text: "\(usual)?error=login_required&state=@",
                kind: .loginRequired
            ),
            Callback(
                testDescription: "busy",
                text: "\(usual)?error=temporarily_unavailable&state=@",
                kind: .temporarilyUnavailable
            ),
        ]
    )
    func callback(example: Callback) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.publish([("authorization_response_iss_parameter_supported", .boolean(example.announces))])
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        issuer.grant(visitor.claims(nonce: pending.nonce))
        let callback = example.text.split(separator: "@", omittingEmptySubsequences: false).joined(
            separator: pending.state
        )
        .split(separator: "~", omittingEmptySubsequences: false).joined(separator: FormText.encoded(issuer.issuer))
        let failure = await failure { _ = try await server.finish(pending, callback: callback) }
        #expect(failure?.kind == example.kind)
        #expect(issuer.asked("token").isEmpty == (example.kind != nil), "a code is shown to nobody but its issuer")
        await issuer.stop()
    }

    @Test("private-scheme redirect URIs, and ones with a query, are matched unchanged")
    func otherRedirects() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        for (redirect, callback, kind) in [
            ("com.example.tasks://restore", "com.example.tasks://restore?code=c&state=@", nil),
            ("com.example.tasks:/restore", "COM.example.tasks:/restore?code=c&state=@", nil),
            ("https://example.com/a?b=c", "https://example.com/a?b=c&code=c&state=@", nil),
            ("https://example.com/a?b=c", "https://example.com/a?code=c&state=@", SignInFailure.Kind.wrongState),
            ("com.example.tasks://restore", "com.example.tasks://other?code=c&state=@", .wrongState),
        ] {
            let pending = try await server.beginAuthorization(redirectURI: redirect)
            issuer.grant(visitor.claims(nonce: pending.nonce))
            let text = callback.split(separator: "@", omittingEmptySubsequences: false).joined(separator: pending.state)
            #expect(await failure { _ = try await server.finish(pending, callback: text) }?.kind == kind, "\(callback)")
        }
        await issuer.stop()
    }

    @Test("a sign-in started at another issuer is not completed at this one")
    func otherIssuer() async throws {
        let (first, second) = (try ScriptedIssuer.start("/a"), try ScriptedIssuer.start("/b"))
        let pending = try await Visitor(first).server().beginAuthorization(redirectURI: Visitor.redirectURI)
        let server = try Visitor(second).server()
        let failure = await failure { _ = try await server.finish(pending, callback: Visitor.callback(pending)) }
        #expect(failure?.kind == .wrongIssuer)
        #expect(second.asked("token").isEmpty)
        await first.stop()
        await second.stop()
    }

    @Test(
        "the code is redeemed with the verifier and the client authentication of the server",
        arguments: [
            (nil, nil, nil, "tasks app"), ("se+cret", nil, "Basic dGFza3MlMjBhcHA6c2UlMkJjcmV0", nil),
            ("se+cret", ["client_secret_post", "client_secret_basic"], "Basic dGFza3MlMjBhcHA6c2UlMkJjcmV0", nil),
            ("se+cret", ["client_secret_post"], nil, "tasks app"), (nil, ["client_secret_basic"], nil, "tasks app"),
        ] as [(String?, [String]?, String?, String?)]
    )
    func redemption(secret: String?, methods: [String]?, basic: String?, id: String?) async throws {
        let issuer = try ScriptedIssuer.start()
        if let methods {
            issuer.publish([("token_endpoint_auth_methods_supported", .array(methods.map(JSONValue.string)))])
        }
        let visitor = try Visitor(issuer) {
            $0.clientID = "tasks app"
            $0.clientSecret = secret.map { Secret($0) }
        }
        let server = visitor.server()
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        issuer.grant(visitor.claims([("aud", .string("tasks app"))], nonce: pending.nonce))
        let grant = try await server.finish(pending, callback: Visitor.callback(pending))
        let asked = try #require(issuer.asked("token").first)
        var form = [
            "grant_type": "authorization_code", "code": "code-canary", "redirect_uri": Visitor.redirectURI,
            "code_verifier": pending.verifier.reveal(),
        ]
        form["client_id"] = id
        if basic == nil { form["client_secret"] = secret }
        #expect(asked.form == form)
        #expect(asked.fields["Authorization"] == basic)
        #expect(asked.fields["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(asked.query.isEmpty)
        #expect(grant.accessToken.reveal() == "access-canary")
        #expect(grant.refreshToken?.reveal() == "refresh-canary")
        #expect(grant.expires == visitor.clock.clockwork.wall() + 300_000)
        #expect(grant.scopes == ["openid", "profile", "offline_access"])
        #expect(grant.user?.authTime == Int64(visitor.now - 10))
        await issuer.stop()
    }

    @Test("a server without a supported client authentication gets no secret")
    func strangeAuthentication() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.publish([("token_endpoint_auth_methods_supported", .array([.string("private_key_jwt")]))])
        let visitor = try Visitor(issuer) { $0.clientSecret = Secret("secret") }
        #expect(await failure { _ = try await visitor.signIn() }?.setting == .clientSecret)
        #expect(issuer.asked("token").isEmpty)
        await issuer.stop()
    }
}
