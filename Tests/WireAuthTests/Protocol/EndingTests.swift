import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP

@testable import WireAuth

@Suite("The end of a session at the server", .timeLimit(.minutes(1)))
struct EndingTests {
    @Test("both tokens are revoked, the refresh token first, by their client")
    func revocation() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("revoke") { _ in Response(.ok) }
        let visitor = try Visitor(issuer) { $0.clientSecret = Secret("secret") }
        #expect(try await visitor.server().revoke(Grants.old()) == .revoked)
        #expect(
            issuer.asked("revoke").map(\.form) == [
                ["token": "refresh-old", "token_type_hint": "refresh_token"],
                ["token": "access-old", "token_type_hint": "access_token"],
            ]
        )
        #expect(issuer.asked("revoke").allSatisfy { $0.fields["Authorization"]?.hasPrefix("Basic ") == true })
        await issuer.stop()
    }

    @Test(
        "a server without revocation is reported as such; a failure or an unknown client is a failure",
        arguments: [
            (404, "", .notOffered, nil), (405, "", .notOffered, nil),
            (400, "unsupported_token_type", .notOffered, nil), (400, "invalid_token", .revoked, nil),
            (503, "", nil, .temporarilyUnavailable), (500, "", nil, .serverError),
            (401, "invalid_client", nil, .invalidClient),
        ] as [(Int, String, Revocation?, SignInFailure.Kind?)]
    )
    func revocationRefused(
        status: Int,
        code: String,
        revocation: Revocation?,
        kind: SignInFailure.Kind?
    ) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("revoke", status, text: code.isEmpty ? "" : RefusalTests.error(code))
        var found: Revocation?
        let failure = await failure { found = try await Visitor(issuer).server().revoke(Grants.old()) }
        #expect(failure?.kind == kind)
        #expect(found == revocation)
        #expect(issuer.asked("revoke").count == 2)
        issuer.publish(without: ["revocation_endpoint"])
        #expect(try await Visitor(issuer).server().revoke(Grants.old()) == .notOffered)
        #expect(issuer.asked("revoke").count == 2)
        await issuer.stop()
    }

    @Test("the revocation result of the refresh token is that of the session, whatever the access token's")
    func accessTokensAlone() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("revoke") { request in
            let isRefresh = String(decoding: request.body, as: UTF8.self).contains("hint=refresh_token")
            return isRefresh ? Response(.ok) : .json(400, RefusalTests.error("unsupported_token_type"))
        }
        #expect(try await Visitor(issuer).server().revoke(Grants.old()) == .revoked)
        #expect(try await Visitor(issuer).server().revoke(Grants.old(nil)) == .notOffered)
        await issuer.stop()
    }

    @Test("the end-session URL has all required parameters")
    func endOfSession() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer) { $0.postLogoutRedirectURI = "com.example.tasks://out" }
        let url = try #require(try await visitor.server().endOfSession(Grants.old(), state: "s&1"))
        #expect(url.hasPrefix(issuer.url("logout") + "?"))
        #expect(
            FormText.pairs(of: url.drop { $0 != "?" }.dropFirst()) == [
                "id_token_hint": "id-old", "client_id": "tasks", "post_logout_redirect_uri": "com.example.tasks://out",
                "state": "s&1",
            ]
        )
        issuer.publish(without: ["end_session_endpoint"])
        #expect(try await Visitor(issuer).server().endOfSession(Grants.old(), state: "s") == nil)
        await issuer.stop()
    }
}

@Suite("Userinfo", .timeLimit(.minutes(1)))
struct UserinfoTests {
    private func issuer() throws -> ScriptedIssuer {
        let issuer = try ScriptedIssuer.start()
        issuer.publish([("userinfo_endpoint", .string(issuer.url("userinfo")))])
        return issuer
    }

    static let told = JSONValue.members([
        "sub": .string("user-1"), "email": .string("ada@example.com"), "name": .string("Ada Lovelace"),
        "iss": .string("https://evil.example.com"), "nonce": .string("evil"), "auth_time": .integer(0),
    ])

    @Test("userinfo adds claims to the user, but none about the token")
    func merged() async throws {
        let issuer = try issuer()
        issuer.say("userinfo", json: Self.told)
        let visitor = try Visitor(issuer)
        let grant = try await visitor.signIn()
        let asked = try #require(issuer.asked("userinfo").first)
        #expect(asked.fields["Authorization"] == "Bearer access-canary")
        #expect(asked.query.isEmpty)
        #expect(grant.user?.claims["email"]?.string == "ada@example.com")
        #expect(grant.user?.claims["name"]?.string == "Ada Lovelace")
        #expect(grant.user?.claims["iss"]?.string == issuer.issuer)
        #expect(grant.user?.claims["nonce"]?.string != "evil")
        #expect(grant.user?.authTime == Int64(visitor.now - 10))
        await issuer.stop()
    }

    @Test(
        "userinfo about another user, or none, rejects the sign-in",
        arguments: [
            .members(["sub": .string("user-2")]), .members([:]), .members(["sub": .integer(1)]),
        ] as [JSONValue]
    )
    func otherUser(body: JSONValue) async throws {
        let issuer = try issuer()
        issuer.say("userinfo", json: body)
        #expect(await failure { _ = try await Visitor(issuer).signIn() }?.kind == .wrongToken)
        await issuer.stop()
    }

    @Test(
        "a failed userinfo request leaves the claims of the ID token",
        arguments: [
            (500, ""), (401, ""), (200, "<html>"), (200, #"{"sub":"user-1","sub":"user-1"}"#), (302, ""),
        ]
    )
    func silent(status: Int, body: String) async throws {
        let issuer = try issuer()
        issuer.say("userinfo", status, text: body)
        let grant = try await Visitor(issuer).signIn()
        #expect(grant.user?.claims["name"]?.string == "Ada")
        await issuer.stop()
    }

    @Test(
        "signed userinfo must be signed by the server, for this client",
        arguments: [
            "right", "another key", "another issuer", "another client", "not signed",
        ]
    )
    func signed(way: String) async throws {
        let issuer = try issuer()
        let claims = JSONValue.members([
            "iss": .string(way == "another issuer" ? "https://evil.example.com" : issuer.issuer),
            "aud": .string(way == "another client" ? "other" : "tasks"),
            "sub": .string("user-1"), "email": .string("ada@example.com"),
        ])
        var token = issuer.sign(claims, by: way == "another key" ? try .init("one") : nil)
        if way == "not signed" { token = "e30.e30." }
        issuer.say("userinfo", text: token, type: "application/jwt")
        let failure = await failure {
            let grant = try await Visitor(issuer).signIn()
            #expect(grant.user?.claims["email"]?.string == "ada@example.com")
        }
        #expect(failure?.kind == (way == "right" ? nil : .wrongToken))
        await issuer.stop()
    }
}
