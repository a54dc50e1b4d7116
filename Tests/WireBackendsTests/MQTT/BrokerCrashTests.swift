import Support
import Synchronization
import Testing
import WireBase
import WireSQLite
import WireStore
import Workbench

@Suite("What the MQTT broker has on the disk", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerCrashTests {
    private static let lasting = #"{"clean":false,"expiry":600}"#

    @Test("what a client was told is on the disk: messages, their order, acknowledgements and subscriptions")
    func promised() async throws {
        let folder = try TemporaryFolder()
        let power = Power()
        try await BrokerHouse.run(in: folder, around: { LostStore(store: $0, power: power) }) { broker in
            let peers = broker.peers
            try await peers.open("ada", Self.lasting)
            try await peers.subscribe("ada", #"{"filter":"a","id":7}"#)
            try await peers.subscribe("ada", #"{"filter":"b"}"#)
            #expect(try await peers.said("unsubscribed", by: "ada", after: "unsubscribe ada b") == "00")
            try await peers.open("bob")
            for number in 1...12 { try await peers.publish("bob", #"{"topic":"a","text":"\#(number)"}"#) }
            _ = try await peers.got("ada", times: 10)
            try await peers.tell("ack ada 1")
            _ = try await peers.got("ada", times: 11)
            power.fail()
        }
        try await BrokerHouse.run(in: folder) { broker in
            let peers = broker.peers
            try await peers.open("bob")
            #expect(try await peers.publish("bob", #"{"topic":"b","text":"none"}"#) == "10")
            #expect(try await peers.open("ada", Self.lasting).hasPrefix("00 true"))
            let first = try await peers.got("ada", times: 10)
            #expect(
                first
                    == (2...11).map {
                        #"{"topic":"a","text":"\#($0)","qos":1,"dup":true,"SubscriptionIdentifier":[7]}"#
                    }
            )
            try await peers.tell("ack ada")
            #expect(try await peers.publish("bob", #"{"topic":"a","text":"13"}"#) == "00")
            let all = try await peers.got("ada", times: 12)
            #expect(all.suffix(2).map { $0.contains(#""text":"12""#) } == [true, false])
            #expect(all.last == #"{"topic":"a","text":"13","qos":1,"SubscriptionIdentifier":[7]}"#)
        }
    }

    @Test("a session expires while the broker is away")
    func expired() async throws {
        let (folder, clock) = (try TemporaryFolder(), HandClock())
        try await BrokerHouse.run(in: folder, clock: clock) { broker in
            try await broker.peers.open("ada", Self.lasting)
            try await broker.peers.subscribe("ada", #"{"filter":"a"}"#)
            try await broker.close("ada")
        }
        clock.pass(.seconds(300))
        try await BrokerHouse.run(in: folder, clock: clock) { broker in
            try await broker.peers.open("bob")
            #expect(try await broker.peers.publish("bob", #"{"topic":"a","text":"kept"}"#) == "00")
            clock.pass(.seconds(300))
            #expect(try await broker.peers.publish("bob", #"{"topic":"a","text":"late"}"#) == "10")
            #expect(try broker.stored("sessions") == 0)
            #expect(try broker.stored("messages") == 0)
        }
    }

    @Test("the messages of a session go with it, and those without a session are removed")
    func orphans() async throws {
        let folder = try TemporaryFolder()
        try await BrokerHouse.run(in: folder) { broker in
            let peers = broker.peers
            for name in ["ada", "eve"] {
                try await peers.open(name, Self.lasting)
                try await peers.subscribe(name, #"{"filter":"\#(name)"}"#)
                try await broker.close(name)
                for number in 1...3 { try peers.mosquitto("\(number)", to: name) }
            }
            #expect(try broker.stored("messages") == 6)
            #expect(try await peers.open("ada", #"{"clean":true,"expiry":600}"#).hasPrefix("00 false"))
            #expect(try broker.stored("messages") == 3)
            try await broker.close("ada", "0")
            #expect(try broker.stored("sessions") == 1)
            // As after a failure in the middle of removing the session.
            let (store, name) = (broker.house.store, try #require(try broker.namespace("sessions")))
            for entry in try store.list(name, prefix: "", after: nil, limit: 10) {
                _ = try await store.remove(entry.key, in: name, if: .always)
            }
        }
        try await BrokerHouse.run(in: folder) { broker in
            #expect(try broker.stored("messages") == 3)
            try await broker.peers.open("bob")
            #expect(try broker.stored("messages") == 0)
        }
    }
}

extension BrokerHouse {
    /// The namespace of one of the broker's tables; nil where it has no entries.
    fileprivate func namespace(_ table: String) throws -> String? {
        try house.store.namespaces().first { $0.hasSuffix("/mqtt/\(table)") }
    }

    /// The number of records of a table.
    fileprivate func stored(_ table: String) throws -> Int {
        try namespace(table).map { try house.store.usage(of: $0).entries } ?? 0
    }
}

/// A store that keeps nothing any more, as in a power cut.
private struct LostStore: StoreAround {
    let store: any KeyValueStore
    let power: Power

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        try power.check()
        return try await store.put(value, under: key, in: namespace, if: condition)
    }

    func remove(_ key: String, in namespace: String, if condition: StoreCondition) async throws(StoreFailure) -> Bool {
        try power.check()
        return try await store.remove(key, in: namespace, if: condition)
    }

    func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        try power.check()
        return try await store.clear(namespace)
    }
}

private final class Power: Sendable {
    private let isOff = Mutex(false)

    func fail() { isOff.withLock { $0 = true } }

    func check() throws(StoreFailure) {
        if isOff.withLock({ $0 }) { throw StoreFailure(.full, "the power is off") }
    }
}
