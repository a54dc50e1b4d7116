import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireService

@Suite("Sending pushes over the local API", .timeLimit(.minutes(2)))
struct PushRouteTests {
    private static let path = "/v1/backends/push"

    private func send(_ push: PushHouse, _ body: String) async throws -> House.LocalAnswer {
        try await push.house.local(.post, Self.path, body)
    }

    /// A device at each of the servers, with a token of its own.
    private func everywhere(_ push: PushHouse) async throws {
        _ = try await push.register(PushHouse.token, #""categories":["news"],"alias":"ada""#)
        let cats = #""cats":[{"name":"news"}]"#
        var device = AltcraftDevice(push: push)
        device.token = PushHouse.other
        #expect(try await device.subscribe(inner: cats).status == 200)
        let app = "Authorization: Bearer \(try await HaloHouse.appToken(push.web))"
        let registration = #"{"token":"t1","provider":"apns","deviceId":"cart-17"}"#
        #expect(
            try await push.web.send("POST", "/mako/notifications", registration, ["x-api-key: key", app]).status == 201
        )
        let halo =
            #"{"alias":"cart-17","devices":[{"platform":"android","token":"fcm"}],"tags":[{"name":"news","value":"yes"}]}"#
        #expect(try await push.web.send("POST", "/api/segmentation/appuser", halo, [app]).status == 201)
    }

    @Test(
        "a push goes through each server without secrets of the caller",
        arguments: [
            ("ups", PushHouse.token, "aerogear-push-id"), ("altcraft", PushHouse.other, "_uid"),
            ("health", "t1", "messageId"), ("halo", "fcm", "scheduleId"),
        ]
    )
    func sending(via: String, token: String, name: String) async throws {
        // The secret is made up, and told nobody.
        try await PushHouse.run("keep: 10") { push in
            try await everywhere(push)
            let categories = via == "health" ? "" : #","categories":["news"]"#
            let body = """
                {"via":"\(via)","title":"Hi","body":"There","data":{"k":"v"},"image":"https://x/y.png","link":"app://z",
                 "badge":4,"buttons":[{"label":"Yes","link":"app://yes"},{"label":"No"}]\(categories)}
                """
            let sent = try await send(push, body)
            #expect(sent.status == 202 && sent.json["devices"]?.integer == 1, "\(sent.json.text())")
            let carried = try #require(try await push.waiting(1).first)
            #expect(carried.token == token)
            let text = carried.payload.text()
            let id = sent.json["id"]?.string ?? "none"
            #expect(text.contains("\"\(name)\":\"\(id)\""))
            for part in ["Hi", "There", "https://x/y.png", "app://z", "Yes", #""k":"v""#] {
                #expect(text.contains(part))
            }
            #expect(try await push.overview(of: via)["messages"]?.integer == 1)
        }
    }

    @Test("silent pushes and sign-in codes arrive as such", arguments: ["ups", "altcraft", "health", "halo"])
    func kinds(via: String) async throws {
        try await PushHouse.run { push in
            try await everywhere(push)
            #expect(try await send(push, #"{"via":"\#(via)","silent":true,"data":{"k":"v"}}"#).status == 202)
            let silent = try #require(try await push.waiting(1).first)
            #expect(silent.payload["aps"]?["alert"] == nil && silent.payload["notification"] == nil)
            await push.take([silent])
            #expect(try await send(push, #"{"via":"\#(via)","body":"Code","twoFactorCode":"123"}"#).status == 202)
            let code = try #require(try await push.waiting(1).first).payload
            let data = code["data"] ?? code
            #expect(data["type"]?.string == "2_factor" && data["code"]?.string == "123")
        }
    }

    @Test("a push uses the named registrar only")
    func named() async throws {
        try await PushHouse.run { push in
            try await everywhere(push)
            for name in ["mobile", "crm", "clinic"] {
                let answer = try await send(push, #"{"via":"\#(name)","body":"Hi"}"#)
                #expect(answer.status == 202 && answer.json["via"]?.string == name, "\(answer.json.text())")
                #expect((answer.json["devices"]?.integer ?? 0) > 0, "\(answer.json.text())")
            }
            let unknown = try await send(push, #"{"via":"krm","body":"Hi"}"#)
            #expect(unknown.status == 400 && unknown.json.text().contains("crm"), "\(unknown.json.text())")
        }
    }

    @Test(
        "an ambiguous or invalid push is rejected with its place",
        arguments: [
            (#"{"via":"pigeon","body":"x"}"#, "/via"), (#"{"body":"x"}"#, "/via"), (#"{"via":"ups"}"#, "/body"),
            (#"{"via":"ups","body":"x","alert":"y"}"#, "/alert"),
            (#"{"via":"halo","body":"x","variant":"v"}"#, "/variant"),
            (#"{"via":"health","body":"x","categories":["a"]}"#, "/categories"),
            (#"{"via":"halo","body":"x","ttl":1}"#, "/ttl"),
            (#"{"via":"ups","body":"x","data":{"aps":1}}"#, "/message/user-data"),
            (#"{"via":"ups","body":"x","badge":-1}"#, "/badge"), (#"{"via":"ups","body":"x","data":[]}"#, "/data"),
            (
                #"{"via":"altcraft","body":"x","buttons":[{"label":"a"},{"label":"b"},{"label":"c"},{"label":"d"}]}"#,
                "/buttons"
            ),
        ]
    )
    func refused(body: String, pointer: String) async throws {
        try await PushHouse.run { push in
            // Without anybody to send it to nothing would be sent in any case.
            try await everywhere(push)
            let answer = try await send(push, body)
            #expect(answer.status == 400 && answer.json["pointer"]?.string == pointer, "\(answer.json.text())")
            #expect(try await push.overview()["carried"]?.integer == 0)
        }
    }

    @Test("a push over the provider's limits is rejected", arguments: ["ups", "altcraft", "health", "halo"])
    func large(via: String) async throws {
        try await PushHouse.run { push in
            try await everywhere(push)
            let body = String(repeating: "x", count: 4_096)
            let answer = try await send(push, #"{"via":"\#(via)","body":"\#(body)"}"#)
            #expect(answer.status == (via == "health" ? 400 : 502), "\(answer.json.text())")
            #expect(try await push.overview()["carried"]?.integer == 0)
            #expect(try await send(push, #"{"via":"\#(via)","body":"\#(body.prefix(3_000))"}"#).status == 202)
        }
    }

    @Test("in an environment with real servers no push can be sent")
    func remote() async throws {
        try await House.run(environment: "baseUrl: https://api.example.com") { house in
            let look = try await house.local(.get, Self.path)
            let sent = try await house.local(.post, Self.path, #"{"via":"ups","body":"x"}"#)
            #expect(look.status == 409 && sent.status == 409)
            #expect(house.pushing == nil)
        }
    }
}
