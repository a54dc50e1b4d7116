import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig

@Suite("Access to the HALO server", .timeLimit(.minutes(2)))
struct HaloAccessTests {
    @Test("without a valid token a request gets 401 in HALO's format")
    func tokens() async throws {
        try await HaloHouse.run { halo in
            let path = "/api/generalcontent/module"
            let none = try await halo.web.get(path)
            #expect(none.status == 401 && none.json["error"]?["type"]?.string == "HaloError")
            #expect(none["WWW-Authenticate"] != nil)
            for value in ["Bearer x", "Basic YTpi", "Bearer \(halo.token)x", halo.token, "Bearer "] {
                #expect(try await halo.web.get(path, ["Authorization: \(value)"]).status == 401)
            }
            #expect(try await halo.web.get(path, ["Authorization: bearer \(halo.token)"]).status == 200)
            #expect(try await halo.web.get("/api/authentication/version?current=true").status == 200)
            let user = try await halo.house.browser().tokens()
            #expect(
                try await halo.web.get(path, ["Authorization: Bearer \(user["access_token"]?.string ?? "")"]).status
                    == 200
            )
            halo.house.clock.pass(.seconds(301))
            #expect(try await halo.web.get(path, ["Authorization: Bearer \(halo.token)"]).status == 401)
        }
    }

    @Test("missing resources and invalid methods get errors in HALO's format")
    func paths() async throws {
        try await HaloHouse.run { halo in
            let nothing = try await halo.get("nothing").json
            #expect(nothing["error"]?["type"]?.string == "HaloError")
            #expect(try await halo.get("generalcontent/instance/search").status == 405)
            #expect(try await halo.send("POST", "generalcontent/module", "{}").status == 405)
        }
    }

    @Test("a device registers, is found and changed; with 'replaceTokens' its tokens are replaced")
    func devices() async throws {
        try await HaloHouse.run { halo in
            let path = "segmentation/appuser"
            let body =
                #"{"alias":"cart-17","devices":[{"platform":"ios","token":"a"}],"tags":[{"name":"ward","value":"3B"}]}"#
            let made = try await halo.send("POST", path, body)
            #expect(made.status == 201)
            let id = try #require(made.json["id"]?.string)
            let expected = [
                "appId", "email", "alias", "devices", "tags", "customerId", "createdAt", "updatedAt", "id",
            ]
            #expect(made.json.members?.map(\.key) == expected)
            #expect(made.json["tags"]?.array?.first?["tagType"]?.string == "000000000000000000000002")
            #expect(try await halo.get("\(path)/\(id)").json.text() == made.json.text())
            let more = #"{"devices":[{"platform":"ios","token":"b"}]}"#
            let both = try await halo.send("PUT", "\(path)/\(id)", more).json
            #expect(both["devices"]?.array?.compactMap { $0["token"]?.string } == ["a", "b"])
            #expect(both["alias"]?.string == "cart-17" && both["tags"]?.array?.count == 1)
            let only = #"{"replaceTokens":true,"devices":[{"platform":"ios","token":"c"}],"tags":[]}"#
            let replaced = try await halo.send("PUT", "\(path)/\(id)", only).json
            #expect(replaced["devices"]?.array?.compactMap { $0["token"]?.string } == ["c"])
            #expect(replaced["tags"]?.array?.isEmpty == true)
            #expect(try await halo.get("\(path)/none").status == 404)
            let wrong = try await halo.send("POST", path, #"{"blah":1}"#)
            #expect(wrong.status == 400)
            #expect(wrong.json["error"]?["extra"]?["blah"]?.string == "undefined_attribute")
        }
    }

    @Test("registered users and those of the file sign in, and their tokens are accepted")
    func people() async throws {
        try await HaloHouse.run { halo in
            let path = "segmentation/identified"
            let body = """
                {"auth":{"deviceId":"cart-17","network":"halo","email":"new@example.com","password":"pass"},
                 "profile":{"email":"new@example.com","name":"New","surname":"User"}}
                """
            let user = try await halo.send("POST", "\(path)/register", body)
            #expect(user.status == 200 && user.json["name"]?.string == "New")
            #expect(user.json["id"]?.string?.hasPrefix("identified-") == true && !user.text.contains("pass"))
            #expect(try await halo.send("POST", "\(path)/register", body).status == 409)
            let auth = #"{"deviceId":"cart-17","network":"halo","email":"NEW@example.com","password":"pass"}"#
            let login = try await halo.send("POST", "\(path)/login", auth)
            #expect(login.json["user"]?["id"]?.string == user.json["id"]?.string)
            #expect(login.json["token"]?["expires_in"]?.integer == 300_000)
            let token = try #require(login.json["token"]?["access_token"]?.string)
            #expect(
                try await halo.web.get("/api/generalcontent/module", ["Authorization: Bearer \(token)"]).status == 200
            )
            let wrong = auth.replacingOccurrences(of: "pass\"", with: "no\"")
            #expect(try await halo.send("POST", "\(path)/login", wrong).status == 401)
            let ada = #"{"network":"halo","email":"ada@example.com","password":"wonder"}"#
            let known = try await halo.send("POST", "\(path)/login", ada).json
            #expect(known["user"]?["displayName"]?.string == "Ada Lovelace")
            let facebook = #"{"network":"facebook","token":"x"}"#
            #expect(try await halo.send("POST", "\(path)/login", facebook).status == 400)
            #expect(try await halo.web.send("POST", "/api/\(path)/login", ada).status == 401)
        }
    }

    @Test("a registration requires a free email address of at most 256 bytes, and a password of at most 1024")
    func registrations() async throws {
        try await HaloHouse.run { halo in
            let rows = [
                ("", "x", 400), ("ada@example.com", "x", 409), ("ADA@example.com", "x", 409), ("n", "", 400),
                (String(repeating: "n", count: 256), "x", 200), (String(repeating: "n", count: 257), "x", 400),
                ("o", String(repeating: "x", count: 1_024), 200), ("p", String(repeating: "x", count: 1_025), 400),
            ]
            for (email, password, status) in rows {
                let body = #"{"auth":{"network":"halo","email":"\#(email)","password":"\#(password)"}}"#
                let answer = try await halo.send("POST", "segmentation/identified/register", body)
                #expect(answer.status == status, "\(answer.text)")
            }
            let neither = try await halo.send("POST", "segmentation/identified/register", #"{"profile":{}}"#)
            #expect(neither.status == 400 && neither.json["error"]?["extra"]?["auth"] != nil)
        }
    }

    @Test("after five wrong passwords attempts are blocked for a second; a correct one resets the count")
    func guesses() async throws {
        try await HaloHouse.run { halo async throws in
            let path = "segmentation/identified"
            let body = #"{"auth":{"network":"halo","email":"new@example.com","password":"pass"}}"#
            #expect(try await halo.send("POST", "\(path)/register", body).status == 200)
            func login(_ password: String) async throws -> Int {
                let auth = #"{"network":"halo","email":"new@example.com","password":"\#(password)"}"#
                return try await halo.send("POST", "\(path)/login", auth).status
            }
            for _ in 0..<5 { #expect(try await login("no") == 401) }
            for password in ["no", "pass"] { #expect(try await login(password) == 429) }
            halo.house.clock.pass(.milliseconds(999))
            #expect(try await login("pass") == 429)
            halo.house.clock.pass(.milliseconds(1))
            #expect(try await login("pass") == 200)
            for _ in 0..<4 { #expect(try await login("no") == 401) }
            #expect(try await login("pass") == 200)
        }
    }

    @Test("users sign in to the first realm that accepts passwords, or the common one")
    func realms() async throws {
        try await HaloHouse.run { halo in
            let (path, query) = ("segmentation/identified/login", "/api/oauth/token?_user")
            let ada = #"{"network":"halo","email":"ada@example.com","password":"wonder"}"#
            let form = "grant_type=password&username=ada&password=wonder"
            let type = "Content-Type: application/x-www-form-urlencoded"
            func issuer(_ tokens: JSONValue?) throws -> String {
                try Browser.claims(tokens?["access_token"]?.string)["iss"]?.string ?? ""
            }
            let common = try await halo.send("POST", path, ada).json
            #expect(try issuer(common["token"]).hasSuffix("/realms/corewire"))
            #expect(try await halo.web.ask("POST", query, [type], body: form).status == 400)
            for (realm, allowsPasswords) in [("zeta", true), ("tasks", true), ("alpha", false)] {
                let client = EmbeddedClient(
                    id: "kiosk",
                    secret: nil,
                    redirectURIs: [],
                    postLogoutRedirectURIs: [],
                    allowsPasswords: allowsPasswords
                )
                halo.house.issuing?.admit(client, realm: realm)
            }
            let login = try await halo.send("POST", path, ada).json
            #expect(try issuer(login["token"]).hasSuffix("/realms/tasks"))
            let tokens = try await halo.web.ask("POST", query, [type], body: form).json
            #expect(try issuer(tokens).hasSuffix("/realms/tasks"))
        }
    }
}
