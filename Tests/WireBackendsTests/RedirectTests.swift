import Foundation
import Support
import Testing
import WireBase
import WireConfig

/// Where the browser may be sent, and where it never is.
@Suite("Redirects", .timeLimit(.minutes(2)))
struct RedirectTests {
    @Test(
        "an unregistered redirect URI is reported only to the user",
        arguments: [
            "https://evil.example/cb", "com.example.phone:/callback#x", "com.example.phone:/callback?x=1",
            "com.example.phone:/callback/", "com.example.phone:/Callback", "com.example.phone:/callback/../evil",
            "http://user@127.0.0.1/callback", "http://127.0.0.1:80@evil.example/callback",
            "http://127.0.0.1.evil.example/callback",
            "http://127.0.0.1:99999/callback", "http://127.0.0.1:/callback", "http://localhost/callback",
            "http://127.0.0.1:1/callback/x", "http://127.0.0.1:1/callback?x", "https://127.0.0.1:1/callback",
            "//evil.example", "/callback", "javascript:alert(1)", "https://app.example.com/cb",
            "https://app.example.com/cb?x=2",
            "https://app.example.com/cb?x=1&y=2", "https://app.example.com/cb?x=1\r\nSet-Cookie: a=b", "",
        ]
    )
    func unregistered(uri: String) async throws {
        try await House.run { house in
            let browser = try house.browser()
            for silent in [nil, "none"] {
                let answer = try await browser.authorize(["redirect_uri": uri, "prompt": silent])
                #expect(answer.status == 400)
                #expect(answer["Location"] == nil)
                #expect(!answer.text.contains("evil.example"))
            }
        }
    }

    @Test("oidcc-ensure-registered-redirect-uri: a missing one, and an unknown client, are reported only to the user")
    func missing() async throws {
        try await House.run { house in
            let browser = try house.browser()
            for changes in [["redirect_uri": nil], ["client_id": nil], ["client_id": "nobody"]] as [[String: String?]] {
                let answer = try await browser.authorize(changes)
                #expect(answer.status == 400)
                #expect(answer["Location"] == nil)
            }
        }
    }

    @Test(
        "a loopback redirect URI matches at any port (RFC 8252)",
        arguments: ["http://127.0.0.1:41235/callback", "http://127.0.0.1/callback"]
    )
    func loopback(uri: String) async throws {
        try await House.run { house in
            let browser = try house.browser()
            let told = try await browser.signIn("ada", "wonder", ["redirect_uri": uri])
            #expect(try await browser.redeem(told["code"] ?? "", ["redirect_uri": uri]).status == 200)
        }
    }

    @Test("oidcc-redirect-uri-query-OK: a registered query is preserved")
    func query() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let page = try await browser.authorize(["redirect_uri": "https://app.example.com/cb?x=1"])
            let answer = try await browser.submit(page, [("username", "ada"), ("password", "wonder")])
            #expect(answer["Location"]?.hasPrefix("https://app.example.com/cb?x=1&code=") == true)
        }
    }

    @Test("a duplicate parameter is rejected", arguments: ["state", "redirect_uri", "scope", "anything"])
    func twice(name: String) async throws {
        try await House.run { house in
            let browser = try house.browser()
            let items = browser.authorization() + [(name, "a"), (name, "b")]
            let answer = try await browser.get("\(browser.base)/auth?\(Browser.encode(items))")
            #expect(answer.status == 400)
            #expect(answer["Location"] == nil)
            let form = [("grant_type", "client_credentials"), ("grant_type", "password"), ("client_id", "phone")]
            #expect(try await browser.token(form).json["error"]?.string == "invalid_request")
        }
    }

    @Test("client input is escaped on pages, and never in headers")
    func injection() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let evil = "\"><script>alert(1)</script>\r\nSet-Cookie: x=y"
            let page = try await browser.authorize(["login_hint": evil, "state": evil])
            #expect(page.status == 200)
            #expect(!page.text.contains("<script"))
            let answer = try await browser.submit(page, [("username", evil), ("password", "x")])
            #expect(!answer.text.contains("<script"))
            let done = try await browser.submit(answer, [("username", "ada"), ("password", "wonder")])
            #expect(try Browser.told(done)["state"] == evil)
            #expect(browser.jar["x"] == nil)
        }
    }
}
