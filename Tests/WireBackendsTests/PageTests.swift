import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("Pages of the issuer", .timeLimit(.minutes(2)))
struct PageTests {
    @Test("a page loads no resources, cannot be framed, and sends no referrer")
    func guarded() async throws {
        try await House.run { house in
            let browser = try house.browser()
            for page in [
                try await browser.authorize(), try await browser.authorize(["client_id": "nobody"]),
                try await browser.get("/realms/tasks/device"), try await browser.get("/"),
            ] {
                let policy = page["Content-Security-Policy"] ?? ""
                #expect(policy.contains("default-src 'none'"))
                #expect(policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(page["X-Frame-Options"] == "DENY")
                #expect(page["Referrer-Policy"] == "no-referrer")
                #expect(page["Cache-Control"] == "no-store")
                #expect(page["X-Content-Type-Options"] == "nosniff")
                #expect(page.text.contains("for development"))
                #expect(!page.text.contains("<script"))
                #expect(page["Access-Control-Allow-Origin"] == nil)
            }
            let page = try await browser.authorize(["redirect_uri": "http://127.0.0.1:41235/callback"])
            #expect(page["Content-Security-Policy"]?.contains("form-action 'self' http://127.0.0.1:41235") == true)
        }
    }

    @Test("a form of another origin, browser or request signs no user in")
    func forged() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let page = try await browser.authorize()
            #expect(page["Set-Cookie"]?.contains("HttpOnly; SameSite=Strict") == true)
            let typed = [("username", "ada"), ("password", "wonder")]
            let other = try house.browser()
            #expect(try await other.submit(page, typed).status == 403)
            _ = try await other.authorize()
            #expect(try await other.submit(page, typed).status == 403)
            let changed = Browser.encode(browser.authorization(["state": "other"]))
            let token = Browser.part(of: page.text, "name=\"token\" value=\"", "\"") ?? ""
            let answer = try await browser.post(
                "/realms/tasks/login-actions/authenticate?\(changed)",
                typed + [("token", token)]
            )
            #expect(answer.status == 403)
            #expect(browser.jar["corewire_session"] == nil)
            #expect(try await browser.submit(page, typed).status == 303)
        }
    }

    @Test("a wrong password and an unknown user get the same message")
    func wrong() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let page = try await browser.authorize()
            let one = try await browser.submit(page, [("username", "ada"), ("password", "x")])
            let other = try await browser.submit(page, [("username", "nobody"), ("password", "x")])
            for answer in [one, other] {
                #expect(answer.status == 200)
                #expect(answer.text.contains("Invalid username or password."))
                #expect(!answer.text.contains("wonder"))
            }
            #expect(
                try await browser.submit(page, [("username", "ADA@example.com"), ("password", "wonder")]).status == 303
            )
        }
    }

    @Test("after five wrong passwords the user must wait, even with the right one; others need not")
    func tooMany() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let page = try await browser.authorize()
            for _ in 0..<4 { _ = try await browser.submit(page, [("username", "bob"), ("password", "x")]) }
            let wrong = [("username", "ada"), ("password", "x")]
            for _ in 0..<5 { #expect(try await browser.submit(page, wrong).status == 200) }
            let right = [("username", "ada"), ("password", "wonder")]
            #expect(try await browser.submit(page, right).status == 429)
            #expect(try await browser.submit(page, [("username", "bob"), ("password", "builder")]).status == 303)
            house.clock.pass(.milliseconds(999))
            #expect(try await browser.submit(page, right).status == 429)
            house.clock.pass(.milliseconds(1))
            // The next one makes the wait twice as long.
            #expect(try await browser.submit(page, wrong).status == 200)
            house.clock.pass(.milliseconds(1_999))
            #expect(try await browser.submit(page, right).status == 429)
            house.clock.pass(.milliseconds(1))
            #expect(try await browser.submit(page, right).status == 303)
        }
    }

    @Test("a blocked account is reported to user and client after the right password only")
    func blocked() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let page = try await browser.authorize()
            let wrong = try await browser.submit(page, [("username", "eve"), ("password", "x")])
            #expect(wrong.text.contains("Invalid username or password."))
            let answer = try await browser.submit(page, [("username", "eve"), ("password", "evil")])
            #expect(answer.status == 403)
            #expect(answer.text.contains("Account is disabled"))
            let link =
                Browser.part(of: answer.text, "href=\"", "\"")?.replacingOccurrences(of: "&amp;", with: "&") ?? ""
            #expect(
                link.hasPrefix(
                    "com.example.phone:/callback?error=unauthorized&error_description=user%20is%20blocked&state=s%20t"
                )
            )
            #expect(answer.text.contains("http-equiv=\"refresh\""))
            #expect(browser.jar["corewire_session"] == nil)
        }
    }

    @Test("a wrong content type, size, method or host is rejected")
    func refused() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let token = "\(browser.base)/token"
            let json = try await browser.ask("POST", token, ["Content-Type: application/json"], body: "{}")
            #expect(json.status == 400)
            let large = try await browser.post(token, [("a", String(repeating: "x", count: 70_000))])
            #expect(large.status == 413)
            #expect(try await browser.get(token).status == 405)
            #expect(try await browser.get("/realms/other/.well-known/openid-configuration").status == 404)
            #expect(try await browser.get("/realms/tasks/protocol/openid-connect/x").status == 404)
            let path = "/realms/tasks/.well-known/openid-configuration"
            #expect(try await browser.ask("GET", path, [], body: nil, host: "evil.example").status == 421)
            #expect(try await browser.ask("GET", path, [], body: nil, host: "localhost:1").status == 200)
        }
    }
}
