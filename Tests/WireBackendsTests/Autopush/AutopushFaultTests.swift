import Support
import Testing
import WireBackendContract
import WireConfig
import WireHTTP

@Suite("Faults of the embedded autopush server", .enabled(if: WebPushPeers.areThere), .timeLimit(.minutes(2)))
struct AutopushFaultTests {
    @Test("'truncate' ends a connection of messages in the middle; they come again")
    func cut() async throws {
        try await PushHouse.run { push in
            let peers = try await WebPushPeers(of: #require(push.pushing.autopush()))
            let uaid = try await peers.greet("ada")
            let endpoint = try await peers.register("ada", AutopushHouse.channel)
            try await peers.tell("cut ada")
            try await peers.process.saw("closed ada")
            #expect(
                try await peers.push("ada", endpoint, #""data": "{number}", "ttl": 600, "times": 8"#).hasPrefix("201")
            )
            let order = #"{"kind":"truncate","on":"/autopush","count":1}"#
            #expect(try await push.house.api("POST", "/v1/backends/faults", order).status == .created)
            #expect(try await peers.greet("ada", uaid) == uaid)
            try await peers.process.saw("closed ada", times: 2)
            let before = peers.notified("ada").count
            #expect(before < 8, "\(before)")
            #expect(try await peers.greet("ada", uaid) == uaid)
            let notified = try await peers.notified("ada", times: before + 8)
            #expect(notified.suffix(8).map(\.content) == (1...8).map { "\($0)" })
        }
    }

    @Test("'wrongLength' leaves a connection open and silent")
    func silent() async throws {
        try await PushHouse.run { push in
            let peers = try await WebPushPeers(of: #require(push.pushing.autopush()))
            let order = #"{"kind":"wrongLength","on":"/autopush","count":1}"#
            #expect(try await push.house.api("POST", "/v1/backends/faults", order).status == .created)
            _ = try await peers.greet("ada")
            let endpoint = try await peers.register("ada", AutopushHouse.channel)
            #expect(
                try await peers.push("ada", endpoint, #""data": "{number}", "ttl": 600, "times": 8"#).hasPrefix("201")
            )
            _ = try await peers.greet("bob")
            #expect(peers.notified("ada").count < 8)
            #expect(peers.process.count("closed ada") == 0)
        }
    }
}
