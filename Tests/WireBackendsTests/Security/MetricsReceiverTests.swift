import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireHTTP

@Suite("The embedded metrics service", .timeLimit(.minutes(2)))
struct MetricsReceiverTests {
    static let message = #"""
        {"clientId":"453de743-207a-4b74-83d6-09a1eb8a2b1f","timestamp":1519989859342,"type":"init",
         "data":{"app":{"appId":"com.example.someApp","sdkVersion":"2.4.6","appVersion":"256","framework":"native"},
                 "device":{"platform":"ios","platformVersion":"12.1","device":"iPhone"}}}
        """#

    private func items(_ house: House) async throws -> [JSONValue] {
        try await house.local(.get, "/v1/backends/metrics").json["items"]?.array ?? []
    }

    @Test("a message gets 204 and is listed unchanged, also after a restart")
    func taken() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        try await House.run(in: folder, clock: clock) { house in
            let web = try Web(#require(house.base))
            let answer = try await web.send("POST", "/metrics", Self.message)
            #expect(answer.status == 204 && answer.body.isEmpty)
            let item = try #require(try await items(house).first)
            #expect(item["number"]?.integer == 1)
            #expect(item["message"]?["data"]?["device"]?["device"]?.string == "iPhone")
            let health = try await web.get("/healthz")
            #expect(health.status == 200 && health.json["status"]?.string == "ok" && health.json["time"] != nil)
        }
        try await House.run(in: folder, clock: clock) { house in
            let web = try Web(#require(house.base))
            #expect(try await web.send("POST", "/metrics", Self.message).status == 204)
            #expect(try await items(house).map { $0["number"]?.integer } == [1, 2])
        }
    }

    @Test(
        "an invalid message is rejected in the service's format",
        arguments: [
            ("{", "invalid JSON payload"), ("{}", "Missing clientId in payload"),
            (#"{"clientId":"c","type":"init","data":{}}"#, "Missing metrics data in payload"),
            (#"{"clientId":"c","type":"x","data":{"app":{},"device":{}}}"#, "payload type unknown"),
        ]
    )
    func refused(body: String, reason: String) async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let answer = try await web.send("POST", "/metrics", body)
            #expect(answer.status == 400)
            #expect(
                String(decoding: answer.body, as: UTF8.self)
                    == #"{"error":"Bad Request","message":"\#(reason)","statusCode":400}"#
            )
            #expect(try await items(house).isEmpty)
        }
    }

    @Test("only the metrics path exists")
    func methods() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let answer = try await web.get("/metrics")
            #expect(answer.status == 405 && answer.fields.first { $0.name == "Allow" }?.value == "POST")
            #expect(try await web.send("POST", "/metrics/more", Self.message).status == 404)
        }
        try await House.run(environment: "baseUrl: https://api.example.com") { house in
            let answer = try await house.local(.get, "/v1/backends/metrics")
            #expect(answer.status == 409)
        }
    }
}
