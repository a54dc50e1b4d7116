import Foundation
import Support
import Testing

@Suite(
    "Connections to the embedded autopush server",
    .enabled(if: WebPushPeers.areThere),
    .timeLimit(.minutes(2))
)
struct AutopushConnectionTests {
    private static let channel = AutopushHouse.channel

    @Test(
        "a message that is not allowed ends the connection",
        arguments: [
            ("", "1011 Json"), ("{", "1011 Json"), ("[]", "1011 Json"), (#""hello""#, "1011 Json"),
            (String(repeating: "[", count: 60_000), "1011 Json"), (#"{"a":1}"#, "1011 Json"),
            (#"{"messageType":"dance"}"#, "1011 Json"), (#"{"messageType":7}"#, "1011 Json"),
            (#"{"messageType":"hello","use_webpush":true}"#, "1011 SM"),
            (#"{"messageType":"register"}"#, "1011 Json"), (#"{"messageType":"register","channelID":"x"}"#, "1011 SM"),
            (#"{"messageType":"register","channelID":"5F0C7EE1-0B5D-4F8E-9A3A-3F4A2B1C0D9E"}"#, "1011 SM"),
            (#"{"messageType":"register","channelID":"5f0c7ee10b5d4f8e9a3a3f4a2b1c0d9e"}"#, "1011 SM"),
            (#"{"messageType":"register","channelID":"\#(AutopushHouse.channel)","key":7}"#, "1011 Json"),
            (#"{"messageType":"unregister","channelID":"\#(AutopushHouse.channel)","code":"x"}"#, "1011 Json"),
            (#"{"messageType":"ack"}"#, "1011 Json"), (#"{"messageType":"ack","updates":[7]}"#, "1011 Json"),
            (#"{"messageType":"ack","updates":[{"channelID":"\#(AutopushHouse.channel)"}]}"#, "1011 Json"),
            (#"{"messageType":"broadcast_subscribe","broadcasts":[]}"#, "1011 Json"),
            (#"{"messageType":"nack","code":1.5}"#, "1011 Json"),
            (#"{"x":"\#(String(repeating: "x", count: 70_000))"}"#, "1009"),
        ]
    )
    func refused(text: String, close: String) async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            _ = try await peers.greet("ada")
            try await peers.tell("say ada \(text)")
            try await peers.process.saw("closed ada \(close)")
            // The server goes on.
            _ = try await peers.greet("bob")
        }
    }

    @Test("a binary message ends the connection")
    func binary() async throws {
        try await AutopushHouse.run { push in
            _ = try await push.peers.greet("ada")
            try await push.peers.tell("binary ada {}")
            try await push.peers.process.saw("closed ada 1003")
        }
    }

    @Test(
        "the first message is a hello of Web Push",
        arguments: [
            ("{}", "SM"), (#"{"messageType":"ack","updates":[]}"#, "SM"), (#"{"messageType":"hello"}"#, "SM"),
            (#"{"messageType":"hello","use_webpush":false}"#, "SM"),
            (#"{"messageType":"hello","use_webpush":true,"uaid":7}"#, "Json"), ("x", "Json"),
        ]
    )
    func hello(text: String, reason: String) async throws {
        try await AutopushHouse.run { push in
            try await push.peers.tell("open ada")
            try await push.peers.tell("say ada \(text)")
            try await push.peers.process.saw("closed ada 1011 \(reason)")
        }
    }

    @Test("a hello must come within five seconds")
    func helloTimeout() async throws {
        let clock = AutopushHouse.clock()
        try await AutopushHouse.run(clock: clock) { push in
            try await push.peers.tell("open ada")
            #expect(await eventually { clock.wakes(in: .seconds(5)) })
            clock.pass(.seconds(5))
            try await push.peers.process.saw("closed ada 1011 HelloTimeout")
            // One that has come in time.
            _ = try await push.peers.greet("bob")
            clock.pass(.seconds(5))
            try await push.peers.settle("bob")
        }
    }

    @Test("harmless messages leave the connection open")
    func harmless() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            _ = try await peers.greet("ada")
            for text in [
                #"{"messageType":"nack","version":"x","code":301}"#,
                #"{"messageType":"broadcast_subscribe","broadcasts":{"a/b":"1"}}"#,
                #"{"messageType":"ack","updates":[]}"#,
                #"{"messageType":"ack","updates":[{"channelID":"\#(Self.channel)","version":"x","code":100}]}"#,
                #"{"messageType":"unregister","channelID":"\#(Self.channel)"}"#,
            ] {
                try await peers.tell("say ada \(text)")
            }
            try await peers.settle("ada")
            #expect(peers.process.count("closed ada") == 0)
            #expect(peers.process.all.filter { $0.hasPrefix("said ada") }.count == 1)
        }
    }

    @Test("the client may ping every 45 seconds")
    func pings() async throws {
        let clock = AutopushHouse.clock()
        try await AutopushHouse.run(clock: clock) { push in
            let peers = push.peers
            _ = try await peers.greet("ada")
            try await peers.tell("say ada {}")
            try await peers.process.saw("said ada {}", times: 1)
            clock.pass(.seconds(45))
            try await peers.tell("say ada {}")
            try await peers.process.saw("said ada {}", times: 2)
            clock.pass(.seconds(44))
            try await peers.tell("say ada {}")
            try await peers.process.saw("closed ada 1011 ExcessivePing")
        }
    }

    @Test("a client that does not answer a ping within four seconds is disconnected")
    func pongs() async throws {
        let clock = AutopushHouse.clock()
        try await AutopushHouse.run(clock: clock) { push in
            let peers = push.peers
            // The pause of the issuer, which renews its key.
            #expect(await eventually { clock.sleepers > 0 })
            let before = clock.sleepers
            _ = try await peers.greet("ada", mute: true)
            // The limit of the hello, and the pause before the ping.
            #expect(await eventually { clock.sleepers == before + 2 })
            clock.pass(.seconds(300))
            #expect(await eventually { clock.wakes(in: .seconds(4)) })
            clock.pass(.seconds(4))
            try await peers.process.saw("closed ada 1011 PongTimeout")
            _ = try await peers.greet("bob")
            clock.pass(.seconds(300))
            // Its pong comes before anything it says.
            for _ in 1...2 { try await peers.settle("bob") }
            clock.pass(.seconds(4))
            try await peers.settle("bob")
            #expect(peers.process.count("closed bob") == 0)
        }
    }

    @Test("a request without a handshake, or for another path, is refused")
    func handshake() async throws {
        try await AutopushHouse.run { push in
            #expect(try await push.web.get("/autopush").status == 426)
            #expect(try await push.web.ask("POST", "/autopush", [], body: "").status == 405)
            #expect(try await push.web.get("/autopush/x").status == 404)
            #expect(try await push.web.get("/").text.contains("ws://127.0.0.1"))
            let peers = try await WebPushPeers(of: "ws://127.0.0.1:\(push.web.port)/autopush/")
            _ = try await peers.greet("ada")
        }
    }
}
