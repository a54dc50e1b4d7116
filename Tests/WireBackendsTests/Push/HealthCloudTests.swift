import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireService

@Suite("The registrar of a Health Cloud", .timeLimit(.minutes(2)))
struct HealthCloudTests {
    private static let path = "/mako/notifications"
    private static let key = "x-api-key: key"
    private static let device =
        #"{"token":"t1","provider":"apns","deviceId":"cart-17","appVersion":"1.4","user":"eve"}"#

    private func bearer(_ push: PushHouse, _ name: String = "ada", _ password: String = "wonder") async throws -> String
    {
        let browser = try push.house.browser()
        let told = try await browser.signIn(name, password, ["scope": "openid profile"])
        let tokens = try await browser.redeem(told["code"] ?? "").json
        return "Authorization: Bearer \(tokens["access_token"]?.string ?? "")"
    }

    @Test("a registration requires the API key and a valid token")
    func access() async throws {
        try await PushHouse.run { push in
            let token = try await bearer(push)
            for fields in [
                [], [Self.key], [token], ["x-api-key: other", token], [Self.key, "\(token)x"],
                ["authorization: key", Self.key],
            ] {
                let answer = try await push.web.send("POST", Self.path, Self.device, fields)
                #expect(answer.status == 401 && answer["WWW-Authenticate"] != nil)
                #expect(answer["Content-Type"]?.hasPrefix("application/problem+json") == true)
                #expect(!answer.text.contains("\"key\""))
            }
            #expect(try await push.web.send("POST", Self.path, Self.device, [Self.key, token]).status == 201)
            // Another registrar has a key of its own.
            push.pushing.healthCloud("other", at: "mako/other/", header: "X-Other", key: Secret("two"))
            #expect(try await push.web.send("POST", "/mako/other", Self.device, [Self.key, token]).status == 401)
            let other = try await push.web.send("POST", "/mako/other/", Self.device, ["x-other: two", token])
            #expect(other.status == 201)
            #expect(try await push.web.get("/mako").status == 404)
        }
    }

    @Test("a device registers, updates and unregisters; the token alone identifies the user")
    func registering() async throws {
        try await PushHouse.run { push in
            let fields = [Self.key, try await bearer(push)]
            let made = try await push.web.send("POST", Self.path, Self.device, fields)
            #expect(made.status == 201 && made.json["user"]?.string == "ada")
            #expect(made.json["appVersion"]?.string == "1.4")
            push.house.clock.pass(.seconds(1))
            let again = try await push.web.send("PUT", Self.path, Self.device, fields)
            #expect(again.status == 200)
            #expect(again.json["registeredAt"]?.integer == made.json["registeredAt"]?.integer)
            #expect(again.json["updatedAt"]?.integer != made.json["updatedAt"]?.integer)
            #expect(try await push.web.ask("DELETE", "\(Self.path)/t1", [Self.key]).status == 401)
            #expect(try await push.web.ask("DELETE", "\(Self.path)/t1", fields).status == 204)
            #expect(try await push.web.ask("DELETE", "\(Self.path)/t1", fields).status == 404)
            #expect(try await push.web.get(Self.path, fields).status == 405)
            // A new token takes the place of the one before; a device leaves with all it has.
            _ = try await push.web.send("POST", Self.path, Self.device, fields)
            let moved = #"{"token":"t2","oldToken":"t1","provider":"apns","deviceId":"cart-17"}"#
            #expect(try await push.web.send("POST", Self.path, moved, fields).status == 201)
            #expect(try await push.overview(of: "health")["registrations"]?.integer == 1)
            #expect(try await push.web.ask("DELETE", "\(Self.path)/cart-17", fields).status == 204)
            #expect(try await push.overview(of: "health")["registrations"]?.integer == 0)
            for wrong in [
                "", "[]", "{}", #"{"token":"","provider":"apns","deviceId":"x"}"#,
                #"{"token":"t","provider":"pigeon","deviceId":"x"}"#, #"{"token":"t","provider":"apns"}"#,
                #"{"token":"a b","provider":"apns","deviceId":"x"}"#, #"{"token":7,"provider":"apns","deviceId":"x"}"#,
            ] {
                #expect(try await push.web.send("POST", Self.path, wrong, fields).status == 400)
            }
        }
    }

    @Test("a message reaches its recipients in the provider's format")
    func sending() async throws {
        try await PushHouse.run { push in
            let ada = [Self.key, try await bearer(push)]
            let bob = [Self.key, try await bearer(push, "bob", "builder")]
            _ = try await push.web.send("POST", Self.path, Self.device, ada)
            let other = #"{"token":"t2","provider":"firebase","deviceId":"cart-18"}"#
            _ = try await push.web.send("POST", Self.path, other, bob)
            let path = "\(Self.path)/messages"
            let sender = [Self.key, push.sender]
            #expect(try await push.web.send("POST", path, #"{"title":"x"}"#, ada).status == 401)
            #expect(try await push.web.send("POST", path, #"{"title":"x"}"#, [push.sender]).status == 401)
            let message =
                #"{"title":"Case","body":"New","badge":1,"sound":"s","data":{"case":7},"to":{"users":["ada"]}}"#
            let sent = try await push.web.send("POST", path, message, sender)
            #expect(sent.status == 202 && sent.json["devices"]?.integer == 1)
            let id = sent.json["id"]?.string ?? ""
            let apple = try #require(try await push.waiting(1).first)
            #expect(apple.provider == "apns" && apple.token == "t1")
            #expect(
                apple.payload.text() == """
                    {"aps":{"alert":{"title":"Case","body":"New"},"sound":"s","badge":1},"case":7,"messageId":"\(id)"}
                    """
            )
            await push.take([apple])
            let silent = #"{"silent":true,"data":{"case":7},"to":{"deviceIds":["cart-18","cart-19"]}}"#
            #expect(try await push.web.send("POST", path, silent, sender).json["devices"]?.integer == 1)
            let google = try #require(try await push.waiting(1).first)
            #expect(google.provider == "firebase" && google.token == "t2")
            #expect(google.payload["notification"] == nil && google.payload["data"]?["case"]?.string == "7")
        }
    }
}
