import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig

@Suite("Grants without a browser", .timeLimit(.minutes(2)))
struct OtherGrantTests {
    private static func admit(_ house: House, passwords: Bool = true) throws {
        _ = try house.realm()
        house.issuing?.admit(
            EmbeddedClient(
                id: "kiosk",
                secret: Secret("s3 cret&"),
                redirectURIs: [],
                postLogoutRedirectURIs: [],
                allowsPasswords: passwords
            ),
            realm: "tasks"
        )
    }

    private static func basic(_ id: String, _ secret: String) -> String {
        "Authorization: Basic "
            + Data("\(Browser.encode([(id, secret)]).replacingOccurrences(of: "=", with: ":"))".utf8)
            .base64EncodedString()
    }

    private static let device = "urn:ietf:params:oauth:grant-type:device_code"

    private func begin(_ browser: Browser) async throws -> JSONValue {
        let answer = try await browser.post(
            "\(browser.base)/auth/device",
            [("client_id", "phone"), ("scope", "openid")]
        )
        #expect(answer.status == 200)
        return try JSONValue(parsing: answer.body, named: "answer")
    }

    private func poll(_ browser: Browser, _ begun: JSONValue) async throws -> JSONValue {
        try await browser.token([
            ("grant_type", Self.device), ("client_id", "phone"), ("device_code", begun["device_code"]?.string ?? ""),
        ]).json
    }

    @Test("a device polls until consent, and gets tokens once")
    func deviceGrant() async throws {
        try await House.run { house in
            let (browser, person) = (try house.browser(), try house.browser())
            let begun = try await begin(browser)
            #expect(begun["interval"]?.integer == 5)
            #expect(begun["expires_in"]?.integer == 600)
            #expect(begun["verification_uri"]?.string == "\(browser.issuer)/device")
            #expect(try await poll(browser, begun)["error"]?.string == "authorization_pending")
            let code = (begun["user_code"]?.string ?? "").lowercased().replacingOccurrences(of: "-", with: " ")
            let page = try await person.get(
                "/realms/tasks/device?user_code=\(Browser.encode([("", code)]).dropFirst())"
            )
            #expect(page.status == 200)
            let wrong = try await person.submit(page, [("username", "ada"), ("password", "x"), ("decision", "allow")])
            #expect(wrong.text.contains("Invalid username or password."))
            let done = try await person.submit(
                wrong,
                [("username", "ada"), ("password", "wonder"), ("decision", "allow")]
            )
            #expect(done.text.contains("The device is connected"))
            house.clock.pass(.seconds(5))
            let tokens = try await poll(browser, begun)
            #expect(tokens["refresh_token"] != nil)
            #expect(try await browser.userinfo(tokens["access_token"]?.string ?? "").status == 200)
            #expect(try await poll(browser, begun)["error"]?.string == "invalid_grant")
            #expect(
                try await person.get("/realms/tasks/device?user_code=\(begun["user_code"]?.string ?? "")").status == 400
            )
        }
    }

    @Test("a device that polls too fast is slowed down by five seconds permanently")
    func slowDown() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let begun = try await begin(browser)
            let errors = ["authorization_pending", "slow_down", "slow_down"]
            for error in errors { #expect(try await poll(browser, begun)["error"]?.string == error) }
            house.clock.pass(.seconds(14))
            #expect(try await poll(browser, begun)["error"]?.string == "slow_down")
            house.clock.pass(.seconds(20))
            #expect(try await poll(browser, begun)["error"]?.string == "authorization_pending")
            house.clock.pass(.seconds(600))
            #expect(try await poll(browser, begun)["error"]?.string == "expired_token")
        }
    }

    @Test(
        "a device is rejected if the user denies, or is blocked",
        arguments: [("ada", "wonder", "deny"), ("eve", "evil", "allow")]
    )
    func denied(name: String, password: String, decision: String) async throws {
        try await House.run { house in
            let browser = try house.browser()
            let begun = try await begin(browser)
            let page = try await browser.get("/realms/tasks/device?user_code=\(begun["user_code"]?.string ?? "")")
            _ = try await browser.submit(page, [("username", name), ("password", password), ("decision", decision)])
            #expect(try await poll(browser, begun)["error"]?.string == "access_denied")
        }
    }

    @Test("consent requires a form of this server, and tokens require the same client")
    func forged() async throws {
        try await House.run { house in
            let browser = try house.browser()
            _ = try await browser.signIn()
            let begun = try await begin(browser)
            let form = [("user_code", begun["user_code"]?.string ?? ""), ("decision", "allow"), ("token", "x")]
            #expect(try await browser.post("/realms/tasks/device", form).status == 403)
            let foreign = try await browser.token([
                ("grant_type", Self.device), ("client_id", "server"), ("client_secret", "hush"),
                ("device_code", begun["device_code"]?.string ?? ""),
            ])
            #expect(foreign.json["error"]?.string == "invalid_grant")
            #expect(try await poll(browser, begun)["error"]?.string == "authorization_pending")
        }
    }

    @Test("a confidential client gets its own tokens, with both client authentications")
    func credentials() async throws {
        try await House.run { house in
            try Self.admit(house)
            let browser = try house.browser()
            let form = [("grant_type", "client_credentials"), ("scope", "jobs")]
            let post = try await browser.token(form + [("client_id", "kiosk"), ("client_secret", "s3 cret&")])
            let basic = try await browser.token(form, [Self.basic("kiosk", "s3 cret&")])
            for answer in [post, basic] {
                #expect(answer.status == 200)
                #expect(answer.json["refresh_token"] == nil)
                let claims = try Browser.claims(answer.json["access_token"]?.string)
                #expect(claims["client_id"]?.string == "kiosk")
                #expect(claims["scope"]?.string == "jobs")
            }
            let wrong = try await browser.post("\(browser.base)/token", form, [Self.basic("kiosk", "x")])
            #expect(wrong.status == 401)
            #expect(wrong["WWW-Authenticate"]?.hasPrefix("Basic") == true)
            for more in [
                [("client_id", "kiosk")], [("client_id", "nobody")], [("client_id", "phone"), ("client_secret", "x")],
                [],
            ] {
                #expect(try await browser.token(form + more).json["error"]?.string == "invalid_client")
            }
            #expect(
                try await browser.token(form + [("client_id", "phone")]).json["error"]?.string == "unauthorized_client"
            )
            let both = form + [("client_secret", "s3 cret&")]
            #expect(
                try await browser.token(both, [Self.basic("kiosk", "s3 cret&")]).json["error"]?.string
                    == "invalid_request"
            )
        }
    }

    @Test("wrong secrets delay their client")
    func guessing() async throws {
        try await House.run { house in
            let browser = try house.browser()
            let form = [("grant_type", "client_credentials"), ("client_id", "server")]
            for _ in 0..<5 { _ = try await browser.token(form + [("client_secret", "x")]) }
            #expect(try await browser.token(form + [("client_secret", "hush")]).status == 429)
            house.clock.pass(.seconds(2))
            #expect(try await browser.token(form + [("client_secret", "hush")]).status == 200)
        }
    }

    @Test("a password is accepted from an allowed client, with Keycloak's error texts")
    func password() async throws {
        try await House.run { house in
            try Self.admit(house)
            let browser = try house.browser()
            func ask(_ name: String, _ password: String) async throws -> (status: Int, json: JSONValue) {
                try await browser.token(
                    [("grant_type", "password"), ("username", name), ("password", password), ("scope", "openid")],
                    [Self.basic("kiosk", "s3 cret&")]
                )
            }
            let right = try await ask("ada", "wonder")
            #expect(try Browser.claims(right.json["id_token"]?.string)["sub"] != nil)
            let wrong = try await ask("ada", "x")
            #expect(wrong.status == 401)
            #expect(wrong.json["error_description"]?.string == "Invalid user credentials")
            let blocked = try await ask("eve", "evil")
            #expect(blocked.status == 400)
            #expect(blocked.json["error"]?.string == "invalid_grant")
            #expect(blocked.json["error_description"]?.string == "Account disabled")
            let phone = [
                ("grant_type", "password"), ("client_id", "phone"), ("username", "ada"), ("password", "wonder"),
            ]
            #expect(try await browser.token(phone).json["error"]?.string == "unauthorized_client")
            #expect(
                try await browser.token([("grant_type", "x"), ("client_id", "phone")]).json["error"]?.string
                    == "unsupported_grant_type"
            )
        }
    }

    @Test("HALO tokens: with refresh for the app, by password for a user, in milliseconds")
    func halo() async throws {
        try await House.run { house in
            try Self.admit(house)
            let browser = try house.browser()
            func ask(_ kind: String, _ form: [(String, String)]) async throws -> (status: Int, json: JSONValue) {
                let answer = try await browser.post("/api/oauth/token?\(kind)", form)
                return (answer.status, try JSONValue(parsing: answer.body, named: "answer"))
            }
            let client = [("client_id", "kiosk"), ("client_secret", "s3 cret&")]
            let app = try await ask("_app", client + [("grant_type", "client_credentials")])
            #expect(app.json["expires_in"]?.integer == 300_000)
            let token = app.json["refresh_token"]?.string ?? ""
            let again = try await ask("_app", client + [("grant_type", "refresh_token"), ("refresh_token", token)])
            #expect(again.json["access_token"] != nil)
            let user = try await ask(
                "_user",
                [("grant_type", "password"), ("username", "ada"), ("password", "wonder")]
            )
            #expect(user.json["token_type"]?.string == "Bearer")
            for (form, status, message) in [
                (
                    [("grant_type", "password"), ("username", "ada"), ("password", "x")], 401,
                    "Invalid user credentials"
                ),
                ([("grant_type", "password"), ("username", "eve"), ("password", "evil")], 400, "Account disabled"),
            ] {
                let answer = try await ask("_user", form)
                #expect(answer.status == status)
                #expect(answer.json["error"]?["message"]?.string == message)
                #expect(answer.json["error"]?["type"]?.string == "HaloError")
            }
            try Self.admit(house, passwords: false)
            #expect(
                try await ask("_user", [("grant_type", "password"), ("username", "ada"), ("password", "wonder")]).status
                    == 400
            )
        }
    }
}
