import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("Token responses", .timeLimit(.minutes(1)))
struct TokenAnswerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        var type: String? = "application/json"
        var status = 200
        /// What is right about it; milliseconds until the token ends.
        var kind: SignInFailure.Kind? = .wrongAnswer
        var lifetime: Int64?
    }

    static func tokens(_ rest: String) -> String { #"{"access_token":"a","token_type":"Bearer"\#(rest)}"# }

    static let century: Int64 = 100 * 365 * 86_400_000

    @Test(
        "a token response is accepted only if every member is valid",
        arguments: [
            Case(testDescription: "as small as can be", text: tokens(""), kind: nil),
            Case(
                testDescription: "type in lower case",
                text: #"{"access_token":"a","token_type":"bearer"}"#,
                kind: nil
            ),
            Case(testDescription: "type in capitals", text: #"{"access_token":"a","token_type":"BEARER"}"#, kind: nil),
            Case(testDescription: "no media type", text: tokens(""), type: nil, kind: nil),
            Case(testDescription: "a byte order mark", text: "\u{feff}" + tokens(""), kind: nil),
            Case(testDescription: "unknown members", text: tokens(#","x":{"y":[1]}"#), kind: nil),
            Case(
                testDescription: "null is as nothing",
                text: tokens(#","refresh_token":null,"expires_in":null,"scope":null"#),
                kind: nil
            ),
            Case(testDescription: "an end", text: tokens(#","expires_in":60"#), kind: nil, lifetime: 60_000),
            Case(testDescription: "an end as text", text: tokens(#","expires_in":"60""#), kind: nil, lifetime: 60_000),
            Case(
                testDescription: "an end with a fraction",
                text: tokens(#","expires_in":60.5"#),
                kind: nil,
                lifetime: 60_500
            ),
            Case(testDescription: "an end at once", text: tokens(#","expires_in":0"#), kind: nil, lifetime: 0),
            Case(
                testDescription: "the largest number there is",
                text: tokens(#","expires_in":9223372036854775807"#),
                kind: nil,
                lifetime: century
            ),
            Case(
                testDescription: "an end in the far future",
                text: tokens(#","expires_in":1e300"#),
                kind: nil,
                lifetime: century
            ),
            Case(testDescription: "an end before the beginning", text: tokens(#","expires_in":-1"#)),
            Case(testDescription: "an end that is no number", text: tokens(#","expires_in":"soon""#)),
            Case(testDescription: "an end that is a list", text: tokens(#","expires_in":[60]"#)),
            Case(testDescription: "no token", text: #"{"token_type":"Bearer"}"#),
            Case(testDescription: "an empty token", text: #"{"access_token":"","token_type":"Bearer"}"#),
            Case(testDescription: "a token that is a number", text: #"{"access_token":1,"token_type":"Bearer"}"#),
            Case(
                testDescription: "a token with a line break",
                text: #"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#
            ),
            Case(
                testDescription: "a token larger than any",
                text: #"{"access_token":"\#(String(repeating: "a", count: 66_000))","token_type":"Bearer"}"#
            ),
            Case(testDescription: "no type", text: #"{"access_token":"a"}"#),
            Case(testDescription: "a type that needs a proof", text: #"{"access_token":"a","token_type":"DPoP"}"#),
            Case(testDescription: "a type of no use", text: #"{"access_token":"a","token_type":"N_A"}"#),
            Case(testDescription: "a refresh token that is an object", text: tokens(#","refresh_token":{}"#)),
            Case(testDescription: "scopes that are a list", text: tokens(#","scope":["a"]"#)),
            Case(testDescription: "a scope with a control", text: tokens(#","scope":"a\u0000b""#)),
            Case(testDescription: "a member twice", text: tokens(#","access_token":"b""#)),
            Case(testDescription: "a list", text: "[\(tokens(""))]"),
            Case(testDescription: "nothing", text: ""),
            Case(testDescription: "half of it", text: String(tokens("").dropLast(3))),
            Case(testDescription: "something behind it", text: tokens("") + "x"),
            Case(testDescription: "a page for people", text: "<html>", type: "text/html"),
            Case(
                testDescription: "right, but called a page for people",
                text: tokens(""),
                type: "text/html;charset=utf-8"
            ),
            Case(
                testDescription: "larger than any answer",
                text: tokens(#","x":"\#(String(repeating: "a", count: 300_000))""#)
            ),
            Case(
                testDescription: "deeper than any answer",
                text: tokens(#","x":\#(String(repeating: "[", count: 5_000))"#)
            ),
            Case(testDescription: "no content", text: "", status: 204),
            Case(testDescription: "a redirect", text: "", status: 307),
        ]
    )
    func answer(example: Case) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("token") { [base = issuer.base] _ in
            var response = Response.json(example.status, example.text, type: example.type)
            if example.status == 307 { response.fields["Location"] = "\(base)/elsewhere" }
            return response
        }
        let visitor = try Visitor(issuer) { $0.clientSecret = Secret("secret-canary") }
        let failure = await failure {
            let grant = try await visitor.server().signInApp()
            #expect(grant.accessToken.reveal() == "a")
            #expect(grant.type == "Bearer")
            #expect(grant.expires == example.lifetime.map { visitor.clock.clockwork.wall() + $0 })
        }
        #expect(failure?.kind == example.kind)
        #expect(failure?.endsSession != true)
        // Nothing was lost on its way: the same is not asked for again at once.
        #expect(failure?.mayHaveTakenEffect != true)
        #expect(!issuer.asked.contains { $0.path == "/elsewhere" }, "no secret goes where a redirect leads")
        await issuer.stop()
    }

    @Test(
        "Keycloak's refresh_expires_in is stored, and 0 means unlimited",
        arguments: [(1_800, 1_800_000), (0, nil)]
    )
    func refreshExpires(seconds: Int, expected: Int64?) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let pending = try await server.beginAuthorization(redirectURI: Visitor.redirectURI)
        issuer.grant(visitor.claims(nonce: pending.nonce), [("refresh_expires_in", .integer(seconds))])
        let grant = try await server.finish(pending, callback: Visitor.callback(pending))
        #expect(grant.refreshExpires == expected.map { visitor.clock.clockwork.wall() + $0 })
        await issuer.stop()
    }

    @Test("a missing refresh_expires_in is no expiry")
    func noRefreshToken() throws {
        let body = JSONValue.members([
            "access_token": .string("a"), "token_type": .string("Bearer"), "refresh_expires_in": .integer(60),
        ])
        let other = body.merging([("refresh_token", .string("r"))])
        #expect(try TokenAnswer(body).grant(at: 0, asking: [], user: nil).refreshExpires == nil)
        #expect(try TokenAnswer(other).grant(at: 0, asking: [], user: nil).refreshExpires == 60_000)
    }

    @Test("a token has at most 64 KiB, scopes at most 16 KiB, of visible characters")
    func limits() throws {
        let read = { (token: String, scope: String) in
            try TokenAnswer(
                .members([
                    "access_token": .string(token), "token_type": .string("Bearer"), "scope": .string(scope),
                ])
            )
        }
        let (token, scope) = (String(repeating: "!", count: 64 << 10), String(repeating: "~", count: 16 << 10))
        #expect(try read(token, scope).scopes == [scope])
        for (token, scope) in [
            (token + "a", "s"), ("a", scope + "s"), ("a b", "s"), ("a\u{7f}", "s"), ("a", "s\u{7f}"), ("a", "s\t"),
        ] {
            let failure = #expect(throws: SignInFailure.self) { try read(token, scope) }
            #expect(failure?.kind == .wrongAnswer)
        }
        #expect(try read("a", "s t").scopes == ["s", "t"])
    }

    @Test("an unreachable server is offline, and whether the request was sent is known")
    func offline() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer) { $0.clientSecret = Secret("secret-canary") }
        let server = visitor.server()
        _ = try await server.metadata()
        await issuer.stop()
        let failure = await failure { _ = try await server.signInApp() }
        #expect(failure?.kind == .offline)
        #expect(failure?.helpsToRetry == true)
        #expect(failure?.endsSession == false)
    }
}
