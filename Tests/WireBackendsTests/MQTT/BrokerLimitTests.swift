import Support
import Testing
import WireBase
import WireMQTT

@Suite("Limits of the MQTT broker", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerLimitTests {
    private static func connect(_ id: String, expiry: UInt32? = nil) throws -> [UInt8] {
        var connect = Connect(.v5, clientID: id, isClean: true, keepAlive: 0)
        connect.properties[number: .sessionExpiry] = expiry
        return try Packet.connect(connect).encoded(in: .v5)
    }

    private static let goodbye: [UInt8] = [0xe0, 0]

    /// Retained messages with QoS 1, the first with an id.
    private static func retained(_ topics: [String], from id: Int = 1, _ text: String = "x", expiry: UInt32? = nil)
        throws -> [UInt8]
    {
        try topics.enumerated().flatMap { index, topic in
            var message = Publish(
                TopicName(topic),
                Array(text.utf8),
                .atLeastOnce,
                id: UInt16(id + index),
                isRetained: true
            )
            message.properties[number: .messageExpiry] = expiry
            return try Packet.publish(message).encoded(in: .v5)
        }
    }

    @Test("there are 500 sessions at most; one that has expired leaves room")
    func sessions() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            func code(_ number: Int) async throws -> String {
                let bytes = try Self.connect("c\(number)", expiry: number == 1 ? 60 : 600) + Self.goodbye
                return String(try await broker.raw(bytes).prefix(8).suffix(2))
            }
            for number in 1...500 {
                let code = try await code(number)
                try #require(code == "00", "\(number)")
            }
            #expect(try await code(501) == "97")
            #expect(try await code(7) == "00")
            clock.pass(.seconds(60))
            #expect(try await code(501) == "00")
            #expect(try await code(502) == "97")
        }
    }

    @Test("there are 500 retained messages at most; one can be replaced, and one that is gone leaves room")
    func retained() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            /// The codes of PUBACK.
            func codes(_ messages: [UInt8]) async throws -> [String] {
                let got = try await broker.raw(Self.connect("bob") + messages + Self.goodbye)
                return got.matches(of: /4003[0-9a-f]{4}([0-9a-f]{2})/).map { String($0.1) }
            }
            let topics = (1...499).map { "t/\($0)" }
            let first = try await codes(Self.retained(["old"], expiry: 60) + Self.retained(topics, from: 2))
            #expect(first == Array(repeating: "10", count: 500))
            #expect(try await codes(Self.retained(["new", "t/1", "new"])) == ["97", "10", "97"])
            // Without a text it is removed.
            #expect(
                try await codes(Self.retained(["t/2"], "") + Self.retained(["new", "newer"])) == ["10", "10", "97"]
            )
            clock.pass(.seconds(60))
            #expect(try await codes(Self.retained(["newer", "newest"])) == ["10", "97"])
        }
    }

    @Test("messages for sessions that are not stored have 64 MiB in memory")
    func memory() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada")
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            try await peers.open("eve", #"{"clean":false,"expiry":600}"#)
            try await peers.subscribe("eve", #"{"filter":"b"}"#)
            try await peers.open("bob")
            var count = 0
            while count < 300, try await peers.publish("bob", #"{"topic":"a","size":262000}"#) == "00" { count += 1 }
            // The packet has a little more than the text.
            #expect(count == (64 << 20) / 262_010)
            #expect(try await peers.publish("bob", #"{"topic":"b","size":262000}"#) == "00")
            try await peers.tell("ack ada 1")
            try await peers.subscribe("ada", #"{"filter":"c"}"#)
            #expect(try await peers.publish("bob", #"{"topic":"a","size":262000}"#) == "00")
        }
    }

    @Test("messages with QoS 0 are dropped for a client that does not read, and its connection stays")
    func unread() async throws {
        try await BrokerHouse.run { broker in
            let client = try await RawClient.connect(to: .tcp("127.0.0.1", broker.peers.port), receiveBuffer: 4_096)
            let subscribe = try Packet.subscribe(Subscribe(1, [.init(#require(TopicFilter("a")), .atMostOnce)]))
            try await client.send(Self.connect("ada") + subscribe.encoded(in: .v5))
            try await broker.peers.open("bob")
            // Until the subscription is there.
            let isSubscribed = try await eventually {
                try await broker.peers.publish("bob", #"{"topic":"a","text":"x"}"#) == "00"
            }
            #expect(isSubscribed)
            for _ in 0..<60 { try await broker.peers.publish("bob", #"{"topic":"a","size":262000}"#) }
            let ping: [UInt8] = [0xc0, 0]
            try await client.send(ping + Self.goodbye)
            let rest = try await client.rest()
            #expect(rest.suffix(2) == [0xd0, 0])
            #expect(rest.count > 262_000 && rest.count < 60 * 262_000)
            try await client.close()
        }
    }

    @Test("a client has 10 seconds for CONNECT")
    func mute() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            let before = clock.waits
            let client = try await RawClient.connect(to: .tcp("127.0.0.1", broker.peers.port))
            #expect(await eventually { clock.waits > before })
            clock.pass(.seconds(10))
            #expect(try await client.rest().isEmpty)
            try await client.close()
        }
    }
}
