import Support
import Testing
import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@testable import WireAuth

@Suite("Grants", .timeLimit(.minutes(1)))
struct GrantTests {
    // MARK: The app, and passwords

    @Test("the app signs in with its secret, without user scopes, and stores no refresh token")
    func app() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("token", json: ScriptedIssuer.tokens.merging([("scope", .string("mako:cases"))]))
        let visitor = try Visitor(issuer) {
            $0.clientSecret = Secret("secret")
            $0.scopes.append("mako:cases")
        }
        let grant = try await visitor.server().signInApp()
        #expect(issuer.asked("token").map(\.form) == [["grant_type": "client_credentials", "scope": "mako:cases"]])
        #expect(grant.user == nil)
        #expect(grant.refreshToken == nil)
        #expect(grant.scopes == ["mako:cases"])
        _ = try await visitor.server().refresh(grant)
        #expect(issuer.asked("token").count == 2)
        await issuer.stop()
    }

    @Test("an app without a secret fails before any request")
    func appWithoutSecret() async throws {
        let issuer = try ScriptedIssuer.start()
        #expect(await failure { _ = try await Visitor(issuer).server().signInApp() }?.setting == .clientSecret)
        #expect(issuer.asked.isEmpty)
        await issuer.stop()
    }

    @Test("a password is sent in the form only")
    func password() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        issuer.grant(visitor.claims())
        let grant = try await visitor.server().signIn(name: "ada", password: Secret("p&=ß"))
        let asked = try #require(issuer.asked("token").first)
        #expect(
            asked.form == [
                "grant_type": "password", "username": "ada", "password": "p&=ß", "client_id": "tasks",
                "scope": "openid profile offline_access",
            ]
        )
        #expect(asked.fields["Authorization"] == nil)
        #expect(grant.user?.subject == "user-1")
        await issuer.stop()
    }

    @Test("an ID token with an unexpected nonce is rejected")
    func strangeNonce() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        issuer.grant(visitor.claims(nonce: "other"))
        let failure = await failure { _ = try await visitor.server().signIn(name: "a", password: Secret("b")) }
        #expect(failure?.kind == .wrongToken)
        await issuer.stop()
    }

    // MARK: Devices

    static let device = JSONValue.members([
        "device_code": .string("device-canary"), "user_code": .string("WDJB-MJHT"),
        "verification_uri": .string("https://example.com/device"),
        "verification_uri_complete": .string("https://example.com/device?user_code=WDJB-MJHT"),
        "expires_in": .integer(600), "interval": .integer(3),
    ])

    @Test("a device flow polls at the given interval, slower on request, and then gets the grant")
    func device() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("device", json: Self.device)
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        var pending = try await server.beginDevice()
        #expect(
            issuer.asked("device").map(\.form) == [["client_id": "tasks", "scope": "openid profile offline_access"]]
        )
        #expect(pending.userCode == "WDJB-MJHT")
        #expect(pending.completeURI == "https://example.com/device?user_code=WDJB-MJHT")
        #expect(pending.interval == .seconds(3))
        for (status, code, interval) in [
            (400, "authorization_pending", 3), (400, "slow_down", 8), (400, "slow_down", 13),
            (400, "authorization_pending", 13), (503, "", 26), (429, "", 52), (500, "", 104), (503, "", 208),
            (503, "", 300), (400, "slow_down", 300),
        ] {
            issuer.say("token", status, text: RefusalTests.error(code))
            #expect(try await server.poll(&pending) == nil)
            #expect(pending.interval == .seconds(interval))
        }
        #expect(
            issuer.asked("token").last?.form == [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "device-canary",
                "client_id": "tasks",
            ]
        )
        var other = try await server.beginDevice()
        issuer.say("token") { _ in Response(Status(429), fields: ["Retry-After": "200"]) }
        #expect(try await server.poll(&other) == nil)
        #expect(other.interval == .seconds(200))
        issuer.grant(visitor.claims())
        #expect(try await server.poll(&pending)?.user?.subject == "user-1")
        await issuer.stop()
    }

    @Test("a device endpoint may send numbers as text", arguments: [("600", "7", 599, 7), ("60", "0", 59, 1)])
    func deviceNumbers(end: String, interval: String, alive: Int, expected: Int) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say(
            "device",
            json: Self.device.merging([("expires_in", .string(end)), ("interval", .string(interval))])
        )
        let visitor = try Visitor(issuer)
        let pending = try await visitor.server().beginDevice()
        #expect(pending.interval == .seconds(expected))
        #expect(pending.ends == visitor.clock.clockwork.monotonic() + .seconds(alive + 1))
        for wrong in ["", "-1", "6e2", "ten"] {
            issuer.say("device", json: Self.device.merging([("expires_in", .string(wrong))]))
            #expect(await failure { _ = try await visitor.server().beginDevice() }?.kind == .wrongAnswer, "\(wrong)")
        }
        await issuer.stop()
    }

    @Test(
        "a device flow stops on denial, or at its expiry",
        arguments: [
            ("expired_token", SignInFailure.Kind.deviceCodeExpired), ("access_denied", .accessDenied),
            ("invalid_grant", .invalidGrant), ("invalid_client", .invalidClient),
        ]
    )
    func deviceRefused(code: String, kind: SignInFailure.Kind) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("device", json: Self.device)
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        var pending = try await server.beginDevice()
        issuer.say("token", 400, text: RefusalTests.error(code))
        visitor.clock.pass(.seconds(599))
        #expect(await failure { _ = try await server.poll(&pending) }?.kind == kind)
        visitor.clock.pass(.seconds(1))
        #expect(await failure { _ = try await server.poll(&pending) }?.kind == .deviceCodeExpired)
        #expect(issuer.asked("token").count == 1)
        await issuer.stop()
    }

    @Test("a device code survives an unreachable server")
    func deviceOffline() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("device", json: Self.device)
        let server = try Visitor(issuer).server()
        var pending = try await server.beginDevice()
        await issuer.stop()
        #expect(try await server.poll(&pending) == nil)
        #expect(pending.interval == .seconds(6))
    }

    @Test(
        "invalid responses of a device endpoint are rejected",
        arguments: [
            ("device_code", nil), ("user_code", nil), ("user_code", .string("a\u{1b}[2J")),
            ("user_code", .string(String(repeating: "A", count: 65))), ("verification_uri", nil),
            ("verification_uri", .string("http://example.com/device")),
            ("verification_uri", .string("javascript:alert(1)")),
            ("verification_uri_complete", .string("http://example.com/")), ("expires_in", .integer(-1)),
            ("interval", .string("x")),
        ] as [(String, JSONValue?)]
    )
    func strangeDevice(name: String, value: JSONValue?) async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say("device", json: Self.device.without([name]).merging(value.map { [(name, $0)] } ?? []))
        #expect(await failure { _ = try await Visitor(issuer).server().beginDevice() }?.kind == .wrongAnswer)
        await issuer.stop()
    }

    @Test("a device endpoint may omit or exceed limited values")
    func deviceLimits() async throws {
        let issuer = try ScriptedIssuer.start()
        issuer.say(
            "device",
            json: Self.device.without(["interval", "verification_uri_complete", "verification_uri"]).merging([
                ("expires_in", .integer(.max)), ("verification_url", .string("https://example.com/d")),
            ])
        )
        let pending = try await Visitor(issuer).server().beginDevice()
        #expect(pending.interval == .seconds(5))
        #expect(pending.ends == .seconds(86_400))
        #expect(pending.verificationURI == "https://example.com/d")
        let longest = String(repeating: "A", count: 64)
        issuer.say("device", json: Self.device.merging([("user_code", .string(longest))]))
        #expect(try await Visitor(issuer).server().beginDevice().userCode == longest)
        issuer.say("device", json: Self.device.merging([("interval", .integer(0))]))
        #expect(try await Visitor(issuer).server().beginDevice().interval == .seconds(1))
        issuer.say("device", json: Self.device.merging([("interval", .number(1e300))]))
        #expect(try await Visitor(issuer).server().beginDevice().interval == .seconds(300))
        await issuer.stop()
    }

    // MARK: Renewal

    @Test("a refresh returns a new refresh token, or keeps the former one", arguments: ["refresh-new", nil])
    func rotation(new: String?) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let grant = try await visitor.signIn(server)
        issuer.say(
            "token",
            json: .members([
                "access_token": .string("access-new"), "token_type": .string("Bearer"), "expires_in": .integer(60),
                "refresh_token": new.map(JSONValue.string),
            ])
        )
        let renewed = try await server.refresh(grant)
        #expect(
            issuer.asked("token").last?.form == [
                "grant_type": "refresh_token", "refresh_token": "refresh-canary", "client_id": "tasks",
            ]
        )
        #expect(renewed.accessToken.reveal() == "access-new")
        #expect(renewed.refreshToken?.reveal() == new ?? "refresh-canary")
        #expect(renewed.idToken?.reveal() == grant.idToken?.reveal())
        #expect(renewed.user?.claims["name"]?.string == "Ada")
        #expect(renewed.scopes == grant.scopes)
        await issuer.stop()
    }

    struct Renewal: Sendable, CustomTestStringConvertible {
        /// What becomes of the session: new tokens, new tokens without this ID token, or the end.
        enum Outcome { case whole, without, over }

        let testDescription: String
        let outcome: Outcome
        var without: [String] = []
        let changes: @Sendable (Int) -> [(key: String, value: JSONValue)]
    }

    @Test(
        "an invalid ID token of a refresh rejects the token, and ends the session only for another user",
        arguments: [
            Renewal(testDescription: "the same, newer", outcome: .whole) { _ in [] },
            Renewal(testDescription: "another subject", outcome: .over) { _ in [("sub", .string("user-2"))] },
            Renewal(testDescription: "another issuer", outcome: .over) { _ in
                [("iss", .string("https://evil.example.com"))]
            },
            Renewal(testDescription: "another audience", outcome: .over) { _ in [("aud", .string("other"))] },
            Renewal(testDescription: "another party", outcome: .without) { _ in [("azp", .string("other"))] },
            Renewal(testDescription: "another time of signing in", outcome: .without) { now in
                [("auth_time", .integer(now))]
            },
            Renewal(testDescription: "no time of signing in", outcome: .whole, without: ["auth_time"]) { _ in [] },
            Renewal(testDescription: "older", outcome: .whole) { now in [("iat", .integer(now - 121))] },
            Renewal(testDescription: "a new nonce", outcome: .without) { _ in [("nonce", .string("new"))] },
            Renewal(testDescription: "over", outcome: .without) { now in [("exp", .integer(now - 100))] },
            Renewal(testDescription: "over, and about another", outcome: .over) { now in
                [("exp", .integer(now - 100)), ("sub", .string("user-2"))]
            },
            Renewal(testDescription: "about another, with the nonce of that sign-in", outcome: .over) { _ in
                [("sub", .string("user-2")), ("nonce", .string("other"))]
            },
            Renewal(testDescription: "a logout token about another", outcome: .over) { _ in
                [("sub", .string("user-2")), ("events", .object([]))]
            },
            Renewal(testDescription: "of another kind, for another client", outcome: .over) { _ in
                [("typ", .string("Bearer")), ("aud", .string("other"))]
            },
            Renewal(testDescription: "a new name", outcome: .whole) { _ in [("name", .string("Ada L."))] },
        ]
    )
    func renewedToken(example: Renewal) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let grant = try await visitor.signIn(server)
        let signedIn = visitor.now - 10
        visitor.clock.pass(.seconds(120))
        let claims = visitor.claims([("auth_time", .integer(signedIn))] + example.changes(visitor.now))
        issuer.grant(claims.merging(example.changes(visitor.now)).without(example.without))
        let failure = await failure {
            let renewed = try await server.refresh(grant)
            #expect(renewed.accessToken.reveal() == ScriptedIssuer.tokens["access_token"]?.string)
            #expect(renewed.user?.authTime == Int64(signedIn))
            #expect(renewed.user?.claims["name"]?.string?.hasPrefix("Ada") == true)
            #expect(renewed.user?.claims["nonce"]?.string == grant.user?.claims["nonce"]?.string)
            let isWhole = example.outcome == .whole
            #expect((renewed.idToken?.reveal() != grant.idToken?.reveal()) == isWhole)
            #expect((renewed.remark == nil) == isWhole)
        }
        #expect((failure == nil) == (example.outcome != .over))
        #expect(failure?.endsSession != false)
        await issuer.stop()
    }

    @Test(
        "tolerable oddities of a refresh response do not reject the token",
        arguments: [
            ("id_token", JSONValue.string("")), ("id_token", .integer(1)), ("expires_in", .integer(-1)),
            ("scope", .array([])), ("refresh_expires_in", .string("soon")),
        ]
    )
    func oddRenewal(member: String, value: JSONValue) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let grant = try await visitor.signIn(server)
        let answer: [(key: String, value: JSONValue)] = [("refresh_token", .string("refresh-new")), (member, value)]
        issuer.say("token", json: ScriptedIssuer.tokens.merging(answer))
        let renewed = try await server.refresh(grant)
        #expect(renewed.refreshToken?.reveal() == "refresh-new")
        #expect(renewed.remark?.detail.contains(member) == true)
        #expect(renewed.user?.subject == "user-1" && renewed.idToken?.reveal() == grant.idToken?.reveal())
        await issuer.stop()
    }

    @Test("the ID token of a refresh may have the nonce of the sign-in")
    func sameNonce() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let grant = try await visitor.signIn(server)
        issuer.grant(visitor.claims(nonce: grant.user?.claims["nonce"]?.string))
        _ = try await server.refresh(grant)
        await issuer.stop()
    }

    @Test("refreshed tokens are kept if the keys cannot be fetched")
    func renewedWithoutKeys() async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let grant = try await visitor.signIn(server)
        issuer.say("keys", 503, text: "")
        let token = issuer.sign(visitor.claims([("sub", .string("evil"))]), by: try .init("two"))
        issuer.say(
            "token",
            json: ScriptedIssuer.tokens.merging([
                ("id_token", .string(token)), ("refresh_token", .string("refresh-new")),
            ])
        )
        let renewed = try await server.refresh(grant)
        #expect(renewed.refreshToken?.reveal() == "refresh-new")
        #expect(renewed.user?.subject == "user-1")
        #expect(renewed.idToken?.reveal() == grant.idToken?.reveal())
        await issuer.stop()
    }

    @Test(
        "refreshed tokens are kept with a wrong clock; only the ID token is discarded",
        arguments: [("exp", -7_200), ("iat", 7_200), ("nbf", 7_200)]
    )
    func renewedAtAnotherTime(claim: String, seconds: Int) async throws {
        let issuer = try ScriptedIssuer.start()
        let visitor = try Visitor(issuer)
        let server = visitor.server()
        let grant = try await visitor.signIn(server)
        let changes = [(key: claim, value: JSONValue.integer(visitor.now + seconds))]
        issuer.grant(visitor.claims([("name", .string("Another Name"))]).merging(changes).without(["nonce"]))
        let renewed = try await server.refresh(grant)
        #expect(renewed.accessToken.reveal() == ScriptedIssuer.tokens["access_token"]?.string)
        #expect(renewed.idToken?.reveal() == grant.idToken?.reveal())
        #expect(renewed.user?.claims["name"]?.string == grant.user?.claims["name"]?.string)
        await issuer.stop()
    }

    @Test("a user grant without a refresh token cannot be refreshed, which ends no session")
    func noRefreshToken() async throws {
        let issuer = try ScriptedIssuer.start()
        let failure = await failure { _ = try await Visitor(issuer).server().refresh(Grants.old(nil)) }
        #expect(failure?.kind == .unsupported)
        #expect(failure?.endsSession == false)
        #expect(issuer.asked.isEmpty)
        await issuer.stop()
    }
}
