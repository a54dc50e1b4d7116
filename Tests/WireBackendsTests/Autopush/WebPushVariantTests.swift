import Foundation
import Support
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP

@Suite(
    "Web push of the UnifiedPush server",
    .enabled(if: WebPushPeers.areThere),
    .timeLimit(.minutes(2))
)
struct WebPushVariantTests {
    private static let channel = AutopushHouse.channel

    private func run(
        _ play: @escaping @Sendable (PushHouse, WebPushPeers) async throws -> Void
    ) async throws {
        try await PushHouse.run { push in
            try await play(push, WebPushPeers(of: #require(push.pushing.autopush())))
        }
    }

    /// The device token of a subscription.
    private func token(_ peers: WebPushPeers, _ name: String, _ endpoint: String) async throws -> String {
        try await peers.tell("subscription \(name) \(endpoint)")
        return String(
            try #require(peers.process.all.last { $0.hasPrefix("subscription ") }?.split(separator: " ").last)
        )
    }

    @Test("a push arrives encrypted at a device with web push", arguments: ["", "sender"])
    func delivery(key: String) async throws {
        try await run { push, peers in
            let uaid = try await peers.greet("ada")
            let endpoint = try await peers.register("ada", Self.channel, key: key)
            #expect(endpoint.contains(key.isEmpty ? "/v1/" : "/v2/"))
            let device = try await push.register(token(peers, "ada", endpoint), #""alias":"ada""#)
            #expect(device.status == 200 && device.json["platform"]?.string == "web_push")
            #expect(try await push.send(#"{"message":{"alert":"Hello","user-data":{"k":"v"}}}"#) == 202)
            let content = try #require(try await peers.notified("ada", times: 1).first?.content)
            let data = try JSONValue(parsing: Array(content.utf8), named: "content")["data"]
            #expect(data?["alert"]?.string == "Hello" && data?["k"]?.string == "v")
            #expect(data?["aerogear-push-id"]?.string?.isEmpty == false)
            #expect(try await push.overview(of: "ups")["messages"]?.integer == 1)
            #expect(try await push.overview()["carried"]?.integer == 0)
            // A push with a lifetime of 0 is not stored for a device that is away.
            try await peers.acknowledge("ada", peers.notified("ada"))
            try await peers.settle("ada")
            try await peers.tell("cut ada")
            try await peers.process.saw("closed ada")
            #expect(try await push.send(#"{"message":{"alert":"Now"},"config":{"ttl":0}}"#) == 202)
            #expect(try await push.send(#"{"message":{"alert":"Later"}}"#) == 202)
            _ = try await peers.greet("ada", uaid)
            try await peers.settle("ada")
            #expect(peers.notified("ada").count == 2)
            #expect(peers.notified("ada").last?.content.contains("Later") == true)
        }
    }

    @Test("a token without padding is one of web push too")
    func unpadded() async throws {
        try await run { push, peers in
            for count in 1...3 {
                let endpoint = "http://push.example.com/\(String(repeating: "x", count: 100 + count))"
                let json = #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"BAAA","auth":"AAAA"}}"#
                let token = Data(json.utf8).base64EncodedString()
                let device = try await push.register(token)
                #expect(device.status == 200 && device.json["platform"]?.string == "web_push")
                // The next device determines the kind of the variant again.
                let path = "/ups/rest/registry/device/\(token)"
                #expect(try await push.web.ask("DELETE", path, [push.variant]).status == 204)
            }
        }
    }

    @Test("a subscription that cannot be used is reported with its reason")
    func failures() async throws {
        try await run { push, peers in
            _ = try await peers.greet("ada")
            let endpoint = try await peers.register("ada", Self.channel)
            let own = try await token(peers, "ada", endpoint)
            let foreign = try await token(peers, "ada", "https://push.example.com/wpush/v1/x")
            let forged = try await token(peers, "ada", endpoint + "A")
            let broken = Data(#"{"endpoint":"\#(endpoint)","keys":{"p256dh":"BAAA","auth":"AAAA"}}"#.utf8)
            let long = String(repeating: "x", count: 4_000)
            let unknown = "the endpoint is not one of the embedded push service"
            for (token, alert, reason) in [
                (foreign, "Hi", unknown), (forged, "Hi", unknown), (own, long, "PayloadTooLarge"),
                (broken.base64EncodedString(), "Hi", ""),
            ] {
                #expect(try await push.register(token).status == 200)
                let sent = try await push.house.local(
                    .post,
                    "/v1/backends/push",
                    #"{"via":"ups","body":"\#(alert)"}"#
                )
                let detail = sent.json["detail"]?.string ?? ""
                #expect(
                    sent.status == 502 && !detail.isEmpty && (reason.isEmpty || detail == reason),
                    "\(sent.json.text())"
                )
                let path = "/ups/rest/registry/device/\(token)"
                #expect(try await push.web.ask("DELETE", path, [push.variant]).status == 204)
            }
            #expect(try await push.register(own).status == 200)
            try await peers.tell(#"say ada {"messageType":"unregister","channelID":"\#(Self.channel)"}"#)
            try await peers.settle("ada")
            #expect(try await push.send(#"{"message":{"alert":"Hi"}}"#) == 202)
            let path = "/ups/rest/metrics/messages/application/\(try await push.application)"
            let messages = try await push.web.get(path, [push.sender]).json.array ?? []
            let reasons = messages.flatMap { $0["errors"]?.array ?? [] }.compactMap { $0["errorReason"]?.string }
            #expect(reasons.count == 5 && reasons.contains("the subscription does not exist any more"), "\(reasons)")
            #expect(peers.notified("ada").isEmpty)
        }
    }
}
