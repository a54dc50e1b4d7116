import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("Refresh tokens", .timeLimit(.minutes(2)))
struct RefreshTests {
    private func refreshToken(_ json: JSONValue) -> String { json["refresh_token"]?.string ?? "" }

    @Test("oidcc-refresh-token: a refresh returns a new refresh token, and tokens with the same user")
    func rotation() async throws {
        try await House.run { house in
            let browser = try house.browser()
            var json = try await browser.tokens()
            let first = try Browser.claims(json["id_token"]?.string)
            for _ in 0..<5 {
                house.clock.pass(.seconds(10))
                let (status, next) = try await browser.refresh(refreshToken(json))
                #expect(status == 200)
                #expect(refreshToken(next) != refreshToken(json))
                let claims = try Browser.claims(next["id_token"]?.string)
                for name in ["iss", "sub", "aud", "azp", "sid"] { #expect(claims[name]?.string == first[name]?.string) }
                #expect(claims["auth_time"]?.integer == first["auth_time"]?.integer)
                #expect((claims["iat"]?.integer ?? 0) > (first["iat"]?.integer ?? 0))
                #expect(claims["nonce"] == nil)
                json = next
            }
        }
    }

    @Test("a reused refresh token revokes its family, whatever its age", arguments: [1, 4])
    func reuse(distance: Int) async throws {
        try await House.run { house in
            let browser = try house.browser()
            var history = [try await browser.tokens()]
            for _ in 0..<distance {
                history.append(try await browser.refresh(refreshToken(history.last ?? .null)).json)
            }
            let again = try await browser.refresh(refreshToken(history[0]))
            #expect(again.status == 400)
            #expect(again.json["error"]?.string == "invalid_grant")
            let last = history.last ?? .null
            #expect(try await browser.refresh(refreshToken(last)).json["error"]?.string == "invalid_grant")
            #expect(try await browser.userinfo(last["access_token"]?.string ?? "").status == 401)
            #expect(house.told.all.contains { $0.hasPrefix("a refresh token was used twice") })
        }
    }

    @Test("an unknown refresh token is rejected, and revokes nothing")
    func guessed() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let json = try await browser.tokens()
            let parts = refreshToken(json).split(separator: ".").map(String.init)
            for wrong in [
                "x", "", "\(parts[0]).1.\(String(repeating: "0", count: 64))", "\(parts[0]).2.\(parts[2])",
                "\(parts[0]).01.\(parts[2])", "\(parts[0]).+1.\(parts[2])", "\(parts[0]).0.\(parts[2])",
            ] {
                let answer = try await browser.refresh(wrong)
                #expect(answer.status == 400)
            }
            #expect(try await browser.refresh(refreshToken(json)).status == 200)
        }
    }

    @Test("a refresh token of another client is rejected, and stays valid")
    func foreign() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let json = try await browser.tokens()
            let answer = try await browser.refresh(
                refreshToken(json),
                ["client_id": "server", "client_secret": "hush"]
            )
            #expect(answer.json["error"]?.string == "invalid_grant")
            #expect(try await browser.refresh(refreshToken(json)).status == 200)
        }
    }

    @Test("of concurrent refreshes with one token at most one succeeds, and then the family is revoked")
    func race() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let token = refreshToken(try await browser.tokens())
            let answers = try await withThrowingTaskGroup(of: (status: Int, json: JSONValue).self) { group in
                for _ in 0..<8 { group.addTask { try await browser.refresh(token) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.status == 200 }.count <= 1)
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 400 })
            for answer in answers where answer.status == 200 {
                #expect(try await browser.refresh(refreshToken(answer.json)).status == 400)
            }
        }
    }

    @Test("with rotateRefreshTokens: false a refresh token can be reused")
    func kept() async throws {
        let issuer = "rotateRefreshTokens: false\n" + House.issuer
        try await House.run(issuer) { house in
            let browser = try house.browser()
            let token = refreshToken(try await browser.tokens())
            for _ in 0..<3 { #expect(try await browser.refresh(token).json["refresh_token"]?.string == token) }
        }
    }

    @Test("a narrower scope is granted, a wider one is not")
    func scope() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let json = try await browser.tokens("openid profile offline_access")
            let narrow = try await browser.refresh(refreshToken(json), ["scope": "openid"]).json
            #expect(narrow["scope"]?.string == "openid")
            let wide = try await browser.refresh(refreshToken(narrow), ["scope": "openid email"]).json
            #expect(wide["error"]?.string == "invalid_scope")
            #expect(
                try await browser.refresh(refreshToken(narrow)).json["scope"]?.string == "openid profile offline_access"
            )
        }
    }

    @Test("an unused refresh token expires, a used one is extended")
    func lifetime() async throws {
        try await House.run("refreshTokenLifetime: 1h\n" + House.issuer) { house in
            let browser = try house.browser()
            var json = try await browser.tokens()
            for _ in 0..<3 {
                house.clock.pass(.milliseconds(3_599_999))
                json = try await browser.refresh(refreshToken(json)).json
                #expect(json["error"] == nil)
            }
            house.clock.pass(.seconds(3_600))
            #expect(try await browser.refresh(refreshToken(json)).json["error"]?.string == "invalid_grant")
        }
    }

    @Test("a blocked or removed user gets no tokens, until that is reverted")
    func blocked() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let json = try await browser.tokens()
            let blocked = House.issuer.replacingOccurrences(
                of: "password: wonder,",
                with: "password: wonder, blocked: true,"
            )
            try await house.rebind(blocked)
            #expect(try await browser.refresh(refreshToken(json)).json["error_description"]?.string == "User disabled")
            #expect(try await browser.userinfo(json["access_token"]?.string ?? "").status == 401)
            try await house.rebind(House.issuer)
            #expect(try await browser.refresh(refreshToken(json)).status == 200)
        }
    }
}
