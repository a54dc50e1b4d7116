import Support
import Synchronization
import Testing
import WireBase
import WireStore
import Workbench

@Suite("The MQTT broker and its store", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerStoreTests {
    private static let lasting = #"{"clean":false,"expiry":600}"#
    /// CONNECT of MQTT 3.1.1, PUBLISH with QoS 1 and DISCONNECT.
    private static let publishing = "100d00044d51545404020000000161" + "320600016100" + "0178" + "e000"

    @Test("a message that cannot be stored for all subscribers is neither acknowledged nor kept for some")
    func full() async throws {
        let folder = try TemporaryFolder()
        let room = Room(1)
        let bytes = try #require(Hexadecimal.bytes(of: Self.publishing))
        try await BrokerHouse.run(in: folder, around: { FullStore(store: $0, room: room) }) { broker in
            let peers = broker.peers
            for name in ["ada", "bob"] {
                try await peers.open(name, Self.lasting)
                try await peers.subscribe(name, #"{"filter":"a"}"#)
                try await broker.close(name)
            }
            #expect(try await broker.raw(bytes) == "20020000")
            #expect(broker.house.told.all.count { $0.contains("the MQTT broker failed") } == 1)
            room.set(1)
            try await peers.open("eve")
            #expect(try await peers.publish("eve", #"{"topic":"a","text":"refused"}"#) == "97")
        }
        try await BrokerHouse.run(in: folder) { broker in
            let answer = try await broker.raw(bytes)
            #expect(answer == "2002000040020001")
        }
        try await BrokerHouse.run(in: folder) { broker in
            for name in ["ada", "bob"] {
                #expect(try await broker.peers.open(name, Self.lasting).hasPrefix("00 true"))
                try broker.peers.mosquitto("last", to: "a")
                let got = try await broker.peers.got(name, times: 2)
                #expect(got.first?.hasPrefix(#"{"topic":"a","text":"x","qos":1"#) == true)
                #expect(got.last?.hasPrefix(#"{"topic":"a","text":"last","qos":1"#) == true)
            }
        }
    }

    @Test("a queue is full where it has no room for all messages that a publication has for the session")
    func groups() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada", Self.lasting)
            for filter in ["a", "$share/g/a", "$share/h/a"] {
                try await peers.subscribe("ada", #"{"filter":"\#(filter)"}"#)
            }
            try await broker.cut("ada")
            try Self.fill(333, of: peers, [])
            try await peers.open("bob")
            #expect(try await peers.publish("bob", #"{"topic":"a","text":"no"}"#) == "97")
        }
    }

    @Test("messages that have expired leave room in a full queue")
    func expired() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            let peers = broker.peers
            try await peers.open("ada", Self.lasting)
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            try await broker.cut("ada")
            try Self.fill(1_000, of: peers, ["-V", "5", "-D", "publish", "message-expiry-interval", "5"])
            try await peers.open("bob")
            #expect(try await peers.publish("bob", #"{"topic":"a","text":"no"}"#) == "97")
            clock.pass(.seconds(5))
            #expect(try await peers.publish("bob", #"{"topic":"a","text":"yes"}"#) == "00")
            try await peers.open("ada", Self.lasting)
            #expect(try await peers.got("ada", times: 1) == [#"{"topic":"a","text":"yes","qos":1}"#])
        }
    }

    @Test("ids of clients are the same by their bytes only")
    func ids() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada", #"{"id":"e\u0301"}"#)
            try await peers.open("bob", #"{"id":"\u00e9"}"#)
            for name in ["ada", "bob"] { #expect(try await peers.subscribe(name, #"{"filter":"a"}"#) == "01") }
            #expect(peers.process.count("gone ") == 0)
        }
    }

    private static func fill(_ count: Int, of peers: MQTTPeers, _ options: [String]) throws {
        let run = try Program.run(
            "mosquitto_pub",
            ["-h", "127.0.0.1", "-p", "\(peers.port)", "-t", "a", "-q", "1", "-l"] + options,
            input: .init((1...count).map { "\($0)" }.joined(separator: "\n").utf8)
        )
        #expect(run.status == 0, "\(run.everything)")
    }
}

/// A store with room for a few messages.
private struct FullStore: StoreAround {
    let store: any KeyValueStore
    let room: Room

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        if namespace.hasSuffix("/mqtt/messages") {
            guard room.take() else { throw StoreFailure(.full, "the disk is full") }
        }
        return try await store.put(value, under: key, in: namespace, if: condition)
    }
}

private final class Room: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func set(_ count: Int) { left.withLock { $0 = count } }

    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}
