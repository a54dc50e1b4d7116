import Foundation
import Support
import Testing
import WireBase
import WireConfig

/// The modules of the OpenID Foundation's suite that stand for a provider, by their names.
@Suite("The code flow", .timeLimit(.minutes(2)))
struct CodeFlowTests {
    @Test("oidcc-server: a sign-in returns tokens with the user")
    func server() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let told = try await browser.signIn("ada", "wonder", ["scope": "openid profile email"])
            #expect(told["state"] == "s t")
            #expect(told["iss"] == browser.issuer)
            let (status, json) = try await browser.redeem(told["code"] ?? "")
            #expect(status == 200)
            #expect(json["token_type"]?.string == "Bearer")
            #expect(json["expires_in"]?.integer == 300)
            let claims = try Browser.claims(json["id_token"]?.string)
            #expect(claims["iss"]?.string == browser.issuer)
            #expect(claims["aud"]?.string == "phone")
            #expect(claims["azp"]?.string == "phone")
            #expect(claims["nonce"]?.string == "n-1")
            #expect(claims["name"]?.string == "Ada Lovelace")
            #expect(claims["given_name"]?.string == "Ada")
            #expect(claims["family_name"]?.string == "Lovelace")
            #expect(claims["preferred_username"]?.string == "ada")
            #expect(claims["email"]?.string == "ada@example.com")
            #expect(claims["email_verified"]?.boolean == true)
            #expect(claims["realm_access"]?["roles"]?.array?.first?.string == "nurse")
            #expect(claims["ward"]?.string == "3B")
            #expect(claims["sid"]?.string == json["session_state"]?.string)
            let now = Int(house.clock.clockwork.wall() / 1_000)
            #expect(claims["auth_time"]?.integer == now)
            #expect(claims["iat"]?.integer == now && claims["exp"]?.integer == now + 300)
            let access = json["access_token"]?.string ?? ""
            #expect(claims["at_hash"]?.string == Browser.leftHalfHash(of: access))
            #expect(try Browser.decode(String(access.split(separator: ".")[0]))["typ"]?.string == "at+jwt")
        }
    }

    @Test("oidcc-userinfo-get, -post-header, -post-body: the token returns the user's claims, a query does not")
    func userinfo() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let tokens = try await browser.tokens("openid email")
            let token = tokens["access_token"]?.string ?? ""
            let subject = try Browser.claims(tokens["id_token"]?.string)["sub"]?.string
            let path = "\(browser.base)/userinfo"
            let field = "Authorization: Bearer \(token)"
            for answer in [
                try await browser.get(path, [field]), try await browser.ask("POST", path, [field], body: ""),
                try await browser.post(path, [("access_token", token)]),
            ] {
                #expect(answer.status == 200)
                let claims = try JSONValue(parsing: answer.body, named: "answer")
                #expect(claims["sub"]?.string == subject)
                #expect(claims["email"]?.string == "ada@example.com")
                #expect(claims["name"] == nil)
            }
            #expect(try await browser.get("\(path)?access_token=\(token)").status == 401)
            let wrong = try await browser.userinfo("x\(token)")
            #expect(wrong.status == 401)
            #expect(wrong["WWW-Authenticate"]?.contains("invalid_token") == true)
            let plain = try await browser.tokens("profile")
            #expect(plain["id_token"] == nil)
            #expect(try await browser.userinfo(plain["access_token"]?.string ?? "").status == 403)
            house.clock.pass(.seconds(299))
            #expect(try await browser.userinfo(token).status == 200)
            house.clock.pass(.seconds(1))
            #expect(try await browser.userinfo(token).status == 401)
        }
    }

    @Test("oidcc-codereuse: a reused code is rejected, and its tokens are revoked")
    func codeReuse() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let code = try await browser.signIn()["code"] ?? ""
            let tokens = try await browser.redeem(code).json
            let access = tokens["access_token"]?.string ?? ""
            #expect(try await browser.userinfo(access).status == 200)
            let again = try await browser.redeem(code)
            #expect(again.status == 400)
            #expect(again.json["error"]?.string == "invalid_grant")
            #expect(try await browser.userinfo(access).status == 401)
            #expect(try await browser.refresh(tokens["refresh_token"]?.string ?? "").status == 400)
        }
    }

    @Test("oidcc-codereuse-30seconds: a reuse after 30 seconds is rejected too")
    func codeReuseLater() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let code = try await browser.signIn()["code"] ?? ""
            let access = try await browser.redeem(code).json["access_token"]?.string ?? ""
            house.clock.pass(.seconds(90))
            #expect(try await browser.redeem(code).json["error"]?.string == "invalid_grant")
            #expect(try await browser.userinfo(access).status == 401)
        }
    }

    @Test("a code expires after one minute")
    func codeEnds() async throws {
        try await House.run { house in
            let browser = try house.browser()
            for (milliseconds, status) in [(59_999, 200), (60_000, 400)] {
                let code = try await browser.signIn()["code"] ?? ""
                house.clock.pass(.milliseconds(milliseconds))
                #expect(try await browser.redeem(code).status == status, "\(milliseconds)")
            }
        }
    }

    @Test("a verifier has 43 to 128 characters (RFC 7636, section 4.1)")
    func verifiers() async throws {
        try await House.run { house in
            let browser = try house.browser()
            for (count, status) in [(42, 400), (43, 200), (128, 200), (129, 400)] {
                let verifier = String(repeating: "~", count: count)
                let challenge = Browser.challenge(of: verifier)
                let code = try await browser.signIn("ada", "wonder", ["code_challenge": challenge])["code"] ?? ""
                #expect(try await browser.redeem(code, ["code_verifier": verifier]).status == status, "\(count)")
            }
        }
    }

    @Test(
        "a code can be redeemed only by its client, with its redirect URI and verifier",
        arguments: [
            ["redirect_uri": "http://127.0.0.1:1/callback"], ["redirect_uri": nil],
            ["client_id": "server", "client_secret": "hush"], ["code_verifier": String(repeating: "w", count: 43)],
        ]
    )
    func codeBound(changes: [String: String?]) async throws {
        try await House.run { house in
            let browser = try house.browser()
            let code = try await browser.signIn()["code"] ?? ""
            #expect(try await browser.redeem(code, changes).json["error"]?.string == "invalid_grant")
            #expect(try await browser.redeem(code).json["error"]?.string == "invalid_grant")
        }
    }

    @Test("of two concurrent redemptions of a code none keeps its tokens")
    func codeRace() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let code = try await browser.signIn()["code"] ?? ""
            async let one = browser.redeem(code)
            async let two = browser.redeem(code)
            let answers = try await [one, two]
            #expect(answers.contains { $0.status == 400 })
            for answer in answers where answer.status == 200 {
                #expect(try await browser.userinfo(answer.json["access_token"]?.string ?? "").status == 401)
            }
        }
    }

    @Test(
        "an error that concerns the client is sent to its redirect URI",
        arguments: [
            ("oidcc-response-type-missing", "response_type", nil, "invalid_request"),
            ("response type", "response_type", "token", "unsupported_response_type"),
            ("PKCE missing", "code_challenge", nil, "invalid_request"),
            ("PKCE plain", "code_challenge_method", "plain", "invalid_request"),
            ("PKCE without a method", "code_challenge_method", nil, "invalid_request"),
            ("PKCE too short", "code_challenge", "abc", "invalid_request"),
            (
                "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", "request", "eyJ",
                "request_not_supported"
            ),
            ("request_uri", "request_uri", "https://evil.example", "request_uri_not_supported"),
            ("response_mode", "response_mode", "fragment", "invalid_request"),
            ("prompt", "prompt", "none login", "invalid_request"),
            ("max_age", "max_age", "-1", "invalid_request"), ("scope", "scope", "a\"b", "invalid_scope"),
            ("oidcc-prompt-none-not-logged-in", "prompt", "none", "login_required"),
            ("oidcc-id-token-hint", "id_token_hint", "a.b.c", "invalid_request"),
        ] as [(String, String, String?, String)]
    )
    func told(name: String, parameter: String, value: String?, error: String) async throws {
        try await House.run { house in
            let browser = try house.browser()
            let told = try Browser.told(try await browser.authorize([parameter: value]))
            #expect(told["error"] == error, "\(name): \(told)")
            #expect(told["state"] == "s t")
            #expect(told["iss"] == browser.issuer)
            #expect(told["code"] == nil)
        }
    }

    @Test(
        "oidcc-ensure-request-with-unknown-parameter-succeeds, without-nonce, with-valid-pkce, ui_locales, claims_locales"
    )
    func passedOver() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let told = try await browser.signIn(
                "ada",
                "wonder",
                ["extra": "foobar", "nonce": nil, "ui_locales": "se", "acr_values": "1", "display": "page"]
            )
            let json = try await browser.redeem(told["code"] ?? "").json
            #expect(try Browser.claims(json["id_token"]?.string)["nonce"] == nil)
        }
    }

    @Test(
        "oidcc-prompt-none-logged-in, -prompt-login, -max-age-1, -max-age-10000: the user signs in again when required"
    )
    func sessions() async throws {
        try await House.run { house in
            let browser = try house.browser()
            _ = try await browser.signIn()
            #expect(try Browser.told(try await browser.authorize(["prompt": "none"]))["code"] != nil)
            #expect(try await browser.authorize().status == 303)
            #expect(try await browser.authorize(["prompt": "login"]).status == 200)
            house.clock.pass(.seconds(2))
            #expect(try Browser.told(try await browser.authorize(["max_age": "10000"]))["code"] != nil)
            #expect(try Browser.told(try await browser.authorize(["max_age": "2"]))["code"] != nil)
            #expect(try await browser.authorize(["max_age": "1"]).status == 200)
            #expect(try await browser.authorize(["max_age": "0"]).status == 200)
            #expect(
                try Browser.told(try await browser.authorize(["max_age": "1", "prompt": "none"]))["error"]
                    == "login_required"
            )
            browser.forget()
            #expect(try await browser.authorize().status == 200)
        }
    }

    @Test("oidcc-id-token-hint: a silent sign-in works only for the user of the hint")
    func hint() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let hint = try await browser.tokens()["id_token"]?.string
            #expect(
                try Browser.told(try await browser.authorize(["id_token_hint": hint, "prompt": "none"]))["code"] != nil
            )
            browser.forget()
            _ = try await browser.signIn("bob", "builder")
            let told = try Browser.told(try await browser.authorize(["id_token_hint": hint, "prompt": "none"]))
            #expect(told["error"] == "login_required")
        }
    }

    @Test("with automatic sign-in the first user that is not blocked is signed in")
    func automatic() async throws {
        let issuer = House.issuer.replacingOccurrences(of: "clients:", with: "signIn: automatic\nclients:")
        try await House.run(issuer) { house in
            let browser = try house.browser()
            let told = try Browser.told(try await browser.authorize())
            let json = try await browser.redeem(told["code"] ?? "").json
            #expect(try Browser.claims(json["id_token"]?.string)["preferred_username"]?.string == "ada")
        }
    }

    @Test("without users in the file there is the user 'demo', with any password")
    func demo() async throws {
        try await House.run("clients: { phone: { redirectUris: [\"com.example.phone:/callback\"] } }") { house in
            let browser = try house.browser()
            #expect(try await browser.signIn("demo", "whatever")["code"] != nil)
        }
    }
}
