import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireJOSE

@Suite("Token endpoints", .timeLimit(.minutes(2)))
struct TokenTests {
    private static let server = [("client_id", "server"), ("client_secret", "hush")]

    private func introspect(_ browser: Browser, _ token: String) async throws -> JSONValue {
        let answer = try await browser.post("\(browser.base)/token/introspect", Self.server + [("token", token)])
        return try JSONValue(parsing: answer.body, named: "answer")
    }

    private func keys(_ browser: Browser) async throws -> JSONWebKeySet {
        try JSONWebKeySet(parsing: try await browser.get("\(browser.base)/certs").body)
    }

    @Test("discovery lists all endpoints, at this address")
    func discovery() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let answer = try await browser.get("/realms/tasks/.well-known/openid-configuration")
            let json = try JSONValue(parsing: answer.body, named: "answer")
            #expect(json["issuer"]?.string == browser.issuer)
            #expect(json["authorization_response_iss_parameter_supported"]?.boolean == true)
            #expect(json["code_challenge_methods_supported"]?.array?.compactMap(\.string) == ["S256"])
            let endpoints = (json.members ?? []).filter { $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri" }
            #expect(endpoints.count == 8)
            #expect(
                endpoints.allSatisfy {
                    $0.value.string?.hasPrefix("\(browser.issuer)/protocol/openid-connect/") == true
                }
            )
        }
    }

    @Test("oidcc-idtoken-signature, oidcc-server-rotate-keys: two keys are published, and the previous one stays")
    func rotation() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let first = try await browser.tokens()["id_token"]?.string ?? ""
            let before = try await keys(browser)
            #expect(before.keys.count == 2)
            _ = try SignedToken(parsing: first).verified(by: before, with: OpenSSLSignatures())
            try await house.rotateKeys()
            let after = try await keys(browser)
            #expect(after.keys.count == 2)
            _ = try SignedToken(parsing: first).verified(by: after, with: OpenSSLSignatures())
            let second = try await browser.tokens()["id_token"]?.string ?? ""
            let signers = try [first, second].map { try SignedToken(parsing: $0).header.keyID }
            #expect(signers[0] != signers[1])
            try await house.rotateKeys()
            let last = try await keys(browser)
            #expect(throws: JOSEFailure.self) {
                try SignedToken(parsing: first).verified(by: last, with: OpenSSLSignatures())
            }
            _ = try SignedToken(parsing: second).verified(by: last, with: OpenSSLSignatures())
        }
    }

    @Test("keys are created on first use, once for all callers and processes")
    func onDemand() async throws {
        let folder = try TemporaryFolder()
        try await House.run(in: folder) { one in
            try await House.run(in: folder, firstKey: 2) { other in
                for house in [one, other] { #expect(try await house.keyNames() == []) }
                let browsers = try [one.browser(), other.browser()]
                let published = try await withThrowingTaskGroup(of: [String].self) { group in
                    for browser in browsers + browsers + browsers {
                        group.addTask { try await keys(browser).keys.compactMap(\.id) }
                    }
                    return try await group.reduce(into: [[String]]()) { $0.append($1) }
                }
                #expect(published.count == 6 && published[0].count == 2 && Set(published).count == 1)
                for house in [one, other] { #expect(try await house.keyNames() == published[0]) }
                let token = try await browsers[1].tokens()["id_token"]?.string ?? ""
                #expect(try SignedToken(parsing: token).header.keyID == published[0].first)
            }
        }
    }

    @Test("keys are rotated after a month")
    func age() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let before = try await keys(browser).keys.compactMap(\.id)
            #expect(await eventually { house.clock.sleepers == 1 })
            // They are looked at every hour, and a look is over when the next one is waited for.
            house.clock.pass(.seconds(30 * 86_400 - 3_600))
            #expect(await eventually { house.clock.sleepers == 1 })
            #expect(try await keys(browser).keys.compactMap(\.id) == before)
            house.clock.pass(.seconds(3_600))
            #expect(await eventually { house.clock.sleepers == 1 })
            let after = try await keys(browser).keys.compactMap(\.id)
            #expect(after.count == 2 && after.first != before.first && after.last == before.first)
        }
    }

    @Test("introspection works for confidential clients only")
    func introspection() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let tokens = try await browser.tokens()
            let (access, refresh) = (tokens["access_token"]?.string ?? "", tokens["refresh_token"]?.string ?? "")
            let told = try await introspect(browser, access)
            #expect(told["active"]?.boolean == true)
            #expect(told["username"]?.string == "ada")
            #expect(told["client_id"]?.string == "phone")
            #expect(try await introspect(browser, refresh)["active"]?.boolean == true)
            for other in [
                "x", tokens["id_token"]?.string ?? "", access + "x", access.replacingOccurrences(of: ".", with: ""),
            ] {
                #expect(try await introspect(browser, other).text() == "{\"active\":false}")
            }
            let open = try await browser.post(
                "\(browser.base)/token/introspect",
                [("client_id", "phone"), ("token", access)]
            )
            #expect(open.status == 401)
            house.clock.pass(.seconds(299))
            #expect(try await introspect(browser, access)["active"]?.boolean == true)
            house.clock.pass(.seconds(1))
            #expect(try await introspect(browser, access)["active"]?.boolean == false)
        }
    }

    @Test("revoking a refresh token ends its family, an access token only itself, another client's nothing")
    func revocation() async throws {
        try await House.run { house in
            let browser = try house.browser()
            func revoke(_ token: String, _ client: [(String, String)]) async throws -> Int {
                try await browser.post("\(browser.base)/revoke", client + [("token", token)]).status
            }
            let tokens = try await browser.tokens()
            let (access, refresh) = (tokens["access_token"]?.string ?? "", tokens["refresh_token"]?.string ?? "")
            let phone = [("client_id", "phone")]
            for token in [access, refresh, "x"] { #expect(try await revoke(token, Self.server) == 200) }
            #expect(try await browser.userinfo(access).status == 200)
            #expect(try await revoke(access, phone) == 200)
            #expect(try await browser.userinfo(access).status == 401)
            let next = try await browser.refresh(refresh).json
            #expect(try await revoke(next["refresh_token"]?.string ?? "", phone) == 200)
            #expect(try await browser.userinfo(next["access_token"]?.string ?? "").status == 401)
            #expect(try await browser.refresh(next["refresh_token"]?.string ?? "").status == 400)
        }
    }
}

@Suite("Sign-out", .timeLimit(.minutes(2)))
struct LogoutTests {
    private static let gone = "com.example.phone:/gone"

    private func logout(_ browser: Browser, _ items: [(String, String)]) async throws -> RawClient.Answer {
        try await browser.get("\(browser.base)/logout?\(Browser.encode(items))")
    }

    @Test(
        "oidcc-rp-initiated-logout: with an id_token_hint the session ends, and the browser is redirected"
    )
    func logout() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let tokens = try await browser.tokens("openid profile")
            let offline = try await browser.redeem(
                browser.signIn("ada", "wonder", ["scope": "openid offline_access"])["code"] ?? ""
            )
            let answer = try await logout(
                browser,
                [
                    ("id_token_hint", tokens["id_token"]?.string ?? ""), ("post_logout_redirect_uri", Self.gone),
                    ("state", "x"),
                ]
            )
            #expect(answer["Location"] == "\(Self.gone)?state=x")
            #expect(try await browser.authorize().status == 200)
            #expect(
                try await browser.refresh(tokens["refresh_token"]?.string ?? "").json["error"]?.string
                    == "invalid_grant"
            )
            #expect(try await browser.userinfo(tokens["access_token"]?.string ?? "").status == 401)
            #expect(try await browser.refresh(offline.json["refresh_token"]?.string ?? "").status == 200)
        }
    }

    @Test("oidcc-rp-initiated-logout-no-id-token-hint: the user must confirm")
    func asked() async throws {
        try await House.run { house in
            let browser = try house.browser()
            _ = try await browser.tokens()
            let page = try await logout(browser, [("client_id", "phone"), ("post_logout_redirect_uri", Self.gone)])
            #expect(page.status == 200)
            #expect(page.text.contains("Sign out?"))
            #expect(try await browser.authorize().status == 303)
            #expect(try await browser.submit(page, [])["Location"] == Self.gone)
            #expect(try await browser.authorize().status == 200)
        }
    }

    @Test(
        "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, -query-added-to-, -modified-id-token-hint, -bad-id-token-hint",
        arguments: [
            "https://evil.example/", "com.example.phone:/gone?x=1", "com.example.phone:/callback", "hint", "client",
        ]
    )
    func refused(case name: String) async throws {
        try await House.run { house in
            let browser = try house.browser()
            let hint = try await browser.tokens()["id_token"]?.string ?? ""
            let items =
                switch name {
                case "hint": [("id_token_hint", hint + "x"), ("post_logout_redirect_uri", Self.gone)]
                case "client":
                    [("id_token_hint", hint), ("client_id", "server"), ("post_logout_redirect_uri", Self.gone)]
                default: [("id_token_hint", hint), ("post_logout_redirect_uri", name)]
                }
            let answer = try await logout(browser, items)
            #expect(answer.status == 400)
            #expect(answer["Location"] == nil)
            #expect(try await browser.authorize().status == 303)
            #expect(try await logout(browser, [("post_logout_redirect_uri", Self.gone)])["Location"] == nil)
        }
    }

    @Test("Keycloak: a refresh token ends its session without a browser")
    func byToken() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let token = try await browser.tokens()["refresh_token"]?.string ?? ""
            let answer = try await browser.post(
                "\(browser.base)/logout",
                [("client_id", "phone"), ("refresh_token", token)]
            )
            #expect(answer.status == 204)
            #expect(try await browser.authorize().status == 200)
            #expect(try await browser.refresh(token).status == 400)
        }
    }
}
