import Foundation
import Support
import Testing

@Suite(
    "Receivers of the embedded autopush server",
    .enabled(if: WebPushPeers.areThere),
    .timeLimit(.minutes(2))
)
struct AutopushReceiverTests {
    private static let channel = AutopushHouse.channel

    @Test("a message of pywebpush arrives, and comes again until it is acknowledged")
    func delivery() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            let (uaid, endpoint) = try await push.connect("ada")
            #expect(endpoint.hasPrefix("\(push.house.base ?? "")/wpush/v1/"))
            #expect(try await peers.register("ada", Self.channel) == endpoint)
            let sent = try await peers.push("ada", endpoint, #""data": "When I grow up", "ttl": 60"#)
            #expect(sent.hasPrefix("201 \(push.house.base ?? "")/m/"))
            let first = try #require(try await peers.notified("ada", times: 1).first)
            #expect(first.channel == Self.channel && first.content == "When I grow up")
            #expect(sent.hasSuffix("/m/\(first.version)"))
            try await peers.tell("cut ada")
            #expect(try await peers.greet("ada", uaid) == uaid)
            #expect(try await peers.notified("ada", times: 2) == [first, first])
            try await peers.acknowledge("ada", [first])
            try await peers.settle("ada")
            try await peers.tell("cut ada")
            _ = try await peers.greet("ada", uaid)
            try await peers.push("ada", endpoint, #""data": "", "ttl": 60"#)
            let last = try await peers.notified("ada", times: 3).suffix(1)
            #expect(last.map(\.content) == [""])
        }
    }

    @Test("the obsolete content encoding is passed on with its header fields")
    func aesgcm() async throws {
        try await AutopushHouse.run { push in
            let (_, endpoint) = try await push.connect("ada")
            let options = #""data": "watermelon", "ttl": 60, "content_encoding": "aesgcm""#
            #expect(try await push.peers.push("ada", endpoint, options).hasPrefix("201 "))
            #expect(try await push.peers.notified("ada", times: 1).map(\.content) == ["watermelon"])
        }
    }

    @Test("stored messages come in batches of ten, in order, the next once all are acknowledged")
    func batches() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            let (uaid, endpoint) = try await push.connect("ada")
            try await peers.tell("cut ada")
            try await peers.process.saw("closed ada")
            try await peers.push("ada", endpoint, #""data": "{number}", "ttl": 60, "times": 11"#)
            _ = try await peers.greet("ada", uaid)
            try await peers.settle("ada")
            let batch = peers.notified("ada")
            #expect(batch.map(\.content) == (1...10).map(String.init))
            // A message that comes in between waits too.
            try await peers.push("ada", endpoint, #""data": "12", "ttl": 60"#)
            try await peers.acknowledge("ada", batch.dropFirst())
            try await peers.settle("ada")
            #expect(peers.notified("ada").count == 10)
            try await peers.acknowledge("ada", batch.prefix(1))
            #expect(try await peers.notified("ada", times: 12).suffix(2).map(\.content) == ["11", "12"])
            // With nothing stored behind, messages are sent at once.
            try await peers.push("ada", endpoint, #""data": "13", "ttl": 60"#)
            #expect(try await peers.notified("ada", times: 13).last?.content == "13")
        }
    }

    @Test("a message replaces the earlier one with its topic, and comes before others")
    func topics() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            let (uaid, endpoint) = try await push.connect("ada")
            let other = try await peers.register("ada", AutopushHouse.other)
            try await peers.tell("cut ada")
            try await peers.process.saw("closed ada")
            for (place, text, topic) in [
                (endpoint, "plain", ""), (endpoint, "old", "a"), (other, "other channel", "a"), (endpoint, "b", "b"),
                (endpoint, "new", "a"),
            ] {
                let headers = topic.isEmpty ? "" : #", "headers": {"Topic": "\#(topic)"}"#
                let sent = try await peers.push("ada", place, #""data": "\#(text)", "ttl": 60\#(headers)"#)
                #expect(sent.hasPrefix("201 "))
            }
            _ = try await peers.greet("ada", uaid)
            let contents = try await peers.notified("ada", times: 4).map(\.content)
            #expect(contents == ["other channel", "b", "new", "plain"])
        }
    }

    @Test("a message is stored for its time to live only, and not at all with 0")
    func lifetime() async throws {
        let clock = AutopushHouse.clock()
        try await AutopushHouse.run(clock: clock) { push in
            let peers = push.peers
            let (uaid, endpoint) = try await push.connect("ada")
            #expect(try await peers.push("ada", endpoint, #""data": "now", "ttl": 0"#).hasPrefix("201 "))
            #expect(try await peers.notified("ada", times: 1).map(\.content) == ["now"])
            try await peers.tell("cut ada")
            try await peers.process.saw("closed ada")
            for (text, seconds) in [("never", 0), ("short", 60), ("long", 7_200)] {
                try await peers.push("ada", endpoint, #""data": "\#(text)", "ttl": \#(seconds)"#)
            }
            clock.pass(.seconds(61))
            _ = try await peers.greet("ada", uaid)
            try await peers.settle("ada")
            #expect(peers.notified("ada").map(\.content) == ["now", "long"])
        }
    }

    @Test("a uaid is stored with its first channel; for an unknown one there is another")
    func uaids() async throws {
        let (folder, clock) = (try TemporaryFolder(), AutopushHouse.clock())
        let (known, place) = (Mutable(""), Mutable(""))
        try await AutopushHouse.run(in: folder, clock: clock) { push in
            let first = try await push.peers.greet("ada")
            #expect(first.utf8.count == 32)
            try await push.peers.tell("cut ada")
            let second = try await push.peers.greet("ada", first)
            #expect(second != first)
            place.value = try await push.peers.register("ada", Self.channel)
            for claimed in [String(repeating: "0", count: 32), second.uppercased(), "x"] {
                let given = try await push.peers.greet("eve", claimed)
                #expect(given.utf8.count == 32 && given != claimed)
            }
            known.value = second
            #expect(try await push.peers.greet("bob", second) == second)
        }
        // Both survive a restart, and so do messages.
        try await AutopushHouse.run(in: folder, clock: clock) { push in
            let sent = try await push.peers.push("ada", place.value, #""ttl": 60"#)
            #expect(sent.hasPrefix("201 "))
        }
        try await AutopushHouse.run(in: folder, clock: clock) { push in
            #expect(try await push.peers.greet("ada", known.value) == known.value)
            _ = try await push.peers.notified("ada", times: 1)
            #expect(try await push.peers.register("ada", Self.channel) == place.value)
            clock.pass(.seconds(61 * 86_400))
            #expect(try await push.peers.greet("bob", known.value) != known.value)
            #expect(try await push.post(place.value) == "410 103")
        }
    }

    @Test("a second connection of a receiver ends the first")
    func ghost() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            let (uaid, endpoint) = try await push.connect("ada")
            #expect(try await peers.greet("bob", uaid) == uaid)
            try await peers.process.saw("closed ada 1011 GHOST")
            try await peers.push("bob", endpoint, #""data": "Hi", "ttl": 60"#)
            #expect(try await peers.notified("bob", times: 1).map(\.content) == ["Hi"])
            #expect(peers.notified("ada").isEmpty)
        }
    }

    @Test("an unregistered channel is gone, with its messages")
    func unregister() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            let uaid = try await peers.greet("ada")
            let (endpoint, other) = (
                try await peers.register("ada", Self.channel), try await peers.register("ada", AutopushHouse.other)
            )
            for place in [endpoint, other] { try await push.post(place) }
            #expect(try await peers.notified("ada", times: 2).count == 2)
            try await peers.tell(
                #"say ada {"messageType":"unregister","channelID":"\#(Self.channel)","code":200}"#
            )
            let answer = #"{"messageType":"unregister","channelID":"\#(Self.channel)","status":200}"#
            try await peers.process.saw("said ada \(answer)")
            #expect(try await push.post(endpoint) == "410 106")
            try await peers.tell("cut ada")
            _ = try await peers.greet("ada", uaid)
            try await peers.settle("ada")
            #expect(peers.notified("ada").suffix(1).map(\.channel) == [AutopushHouse.other])
            #expect(peers.notified("ada").count == 3)
        }
    }

    @Test("a receiver with more than 150 messages is forgotten")
    func tooMany() async throws {
        try await AutopushHouse.run { push in
            let peers = push.peers
            let (uaid, endpoint) = try await push.connect("ada")
            try await peers.tell("cut ada")
            try await peers.process.saw("closed ada")
            for _ in 0..<152 { #expect(try await push.post(endpoint).hasPrefix("201 ")) }
            #expect(try await peers.greet("ada", uaid) == uaid)
            try await peers.process.saw("closed ada 1000 UAID dropped")
            #expect(peers.notified("ada").isEmpty)
            #expect(try await push.post(endpoint) == "410 103")
            #expect(try await peers.greet("ada", uaid) != uaid)
        }
    }

    @Test("the number of channels is limited")
    func channels() async throws {
        try await AutopushHouse.run { push in
            _ = try await push.peers.greet("ada")
            for number in 0..<100 {
                let channel = String(format: "00000000-0000-4000-8000-%012d", number)
                #expect(try await push.peers.register("ada", channel).isEmpty == false)
            }
            #expect(try await push.peers.register("ada", Self.channel).isEmpty)
            try await push.peers.process.saw("registered ada \(Self.channel) 500")
        }
    }
}
