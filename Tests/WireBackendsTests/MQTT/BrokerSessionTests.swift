import Support
import Testing

@Suite("Sessions of the MQTT broker", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerSessionTests {
    private static let lasting = #"{"clean":false,"expiry":600}"#

    @Test(
        "messages wait for a session, across a restart too, and come again with DUP until they are acknowledged",
        arguments: [#"{"clean":false,"expiry":600}"#, #"{"clean":false,"version":4}"#]
    )
    func waiting(options: String) async throws {
        let folder = try TemporaryFolder()
        try await BrokerHouse.run(in: folder) { broker in
            let peers = broker.peers
            #expect(try await peers.open("ada", options).hasPrefix("00 false"))
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            try peers.mosquitto("1", to: "a")
            _ = try await peers.got("ada", times: 1)
            try await broker.cut("ada")
            try peers.mosquitto("2", to: "a")
            #expect(try peers.mosquitto("lost", to: "a", ["-q", "0"]).status == 0)
            #expect(try await peers.open("ada", options).hasPrefix("00 true"))
            #expect(
                try await peers.got("ada", times: 3).suffix(2) == [
                    #"{"topic":"a","text":"1","qos":1,"dup":true}"#, #"{"topic":"a","text":"2","qos":1}"#,
                ]
            )
            try await peers.tell("ack ada 1")
            // The answer to a later packet shows that the broker has read the acknowledgement.
            try await peers.subscribe("ada", #"{"filter":"b"}"#)
        }
        try await BrokerHouse.run(in: folder) { broker in
            let peers = broker.peers
            #expect(try await peers.open("ada", options).hasPrefix("00 true"))
            try peers.mosquitto("3", to: "b")
            #expect(
                try await peers.got("ada", times: 2) == [
                    #"{"topic":"a","text":"2","qos":1,"dup":true}"#, #"{"topic":"b","text":"3","qos":1}"#,
                ]
            )
        }
    }

    @Test("a session ends with a clean start, at its expiry, and at a DISCONNECT that says so")
    func ends() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            let peers = broker.peers
            func begin() async throws {
                #expect(try await peers.open("ada", Self.lasting).hasPrefix("00 false"))
                try await peers.subscribe("ada", #"{"filter":"a"}"#)
            }
            try await begin()
            try await broker.close("ada")
            #expect(try await peers.open("ada", #"{"clean":true,"expiry":600}"#).hasPrefix("00 false"))
            try await broker.close("ada", "0")
            try await begin()
            try await broker.close("ada")
            clock.pass(.seconds(599))
            #expect(try await peers.open("ada", Self.lasting).hasPrefix("00 true"))
            try await broker.close("ada")
            clock.pass(.seconds(600))
            try await begin()
            let longest = try await peers.open("ada", #"{"expiry":4294967295}"#)
            #expect(longest.contains(#""SessionExpiryInterval":2592000"#))
        }
    }

    @Test("a session of MQTT 3.1.1 that begins clean ends with its connection")
    func clean() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            #expect(try await peers.open("ada", #"{"clean":true,"version":4}"#).hasPrefix("00 false"))
            try await broker.close("ada")
            #expect(try await peers.open("ada", #"{"clean":false,"version":4}"#).hasPrefix("00 false"))
            try await broker.close("ada")
            #expect(try await peers.open("ada", #"{"clean":true,"version":4}"#).hasPrefix("00 false"))
        }
    }

    @Test("a second client with an id takes the session over; the first is told, and its will is published")
    func takenOver() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("eve")
            try await peers.subscribe("eve", #"{"filter":"status"}"#)
            try await peers.open("ada", #"{"clean":false,"expiry":600,"will":["status","lost",1,false]}"#)
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            try await peers.open("bob", #"{"id":"ada","clean":false,"expiry":600}"#)
            #expect(try await peers.process.saw("gone ada ") == "gone ada 8e")
            try peers.mosquitto("1", to: "a")
            #expect(try await peers.got("bob", times: 1) == [#"{"topic":"a","text":"1","qos":1}"#])
            #expect(try await peers.got("eve", times: 1) == [#"{"topic":"status","text":"lost","qos":1}"#])
        }
    }

    @Test("a client gets no more messages than it takes without acknowledging, and none that is too large for it")
    func limits() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada", #"{"receiveMaximum":2,"largest":1000}"#)
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            try await peers.open("bob")
            try await peers.publish("bob", #"{"topic":"a","size":2000}"#)
            for number in 1...3 { try await peers.publish("bob", #"{"topic":"a","text":"\#(number)"}"#) }
            try await peers.subscribe("ada", #"{"filter":"b"}"#)
            #expect(peers.got("ada").count == 2)
            try await peers.tell("ack ada 1")
            #expect(
                try await peers.got("ada", times: 3) == (1...3).map { #"{"topic":"a","text":"\#($0)","qos":1}"# }
            )
        }
    }

    @Test("the oldest messages of a full queue are kept; publishers of MQTT 5 are refused, others are not told")
    func full() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada", #"{"clean":false,"expiry":600}"#)
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            try await broker.cut("ada")
            let lines = (1...1_000).map { "\($0)" }.joined(separator: "\n")
            let run = try Program.run(
                "mosquitto_pub",
                ["-h", "127.0.0.1", "-p", "\(peers.port)", "-t", "a", "-q", "1", "-l"],
                input: .init(lines.utf8)
            )
            #expect(run.status == 0, "\(run.everything)")
            try await peers.open("bob")
            #expect(try await peers.publish("bob", #"{"topic":"a","text":"no"}"#) == "97")
            #expect(try await peers.publish("bob", #"{"topic":"b","text":"other"}"#) == "10")
            #expect(try peers.mosquitto("dropped", to: "a", ["-q", "1", "-V", "311"]).status == 0)
            #expect(broker.house.told.all.count { $0.contains("messages of MQTT are dropped") } == 1)
            try await peers.open("ada", #"{"clean":false,"expiry":600}"#)
            #expect(try await peers.got("ada", times: 10).first == #"{"topic":"a","text":"1","qos":1}"#)
            try await peers.tell("ack ada 1")
            _ = try await peers.got("ada", times: 11)
            #expect(try await peers.publish("bob", #"{"topic":"a","text":"room"}"#) == "00")
        }
    }

    @Test("a message as large as a packet may be is stored and sent; a larger one ends the connection")
    func large() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada", Self.lasting)
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            try await broker.cut("ada")
            try await peers.open("bob")
            #expect(try await peers.publish("bob", #"{"topic":"a","size":262000}"#) == "00")
            try await peers.open("ada", Self.lasting)
            #expect(try await peers.got("ada", times: 1).first?.utf8.count ?? 0 > 262_000)
            try await peers.tell(#"publish bob {"topic":"a","size":263000}"#)
            #expect(try await peers.process.saw("gone bob ") == "gone bob 95")
        }
    }

    @Test("a client that is silent for one and a half times its keep-alive is disconnected")
    func silent() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            let peers = broker.peers
            try await peers.open("ada", #"{"keepalive":1000}"#)
            // The broker waits for the client, besides what else sleeps there.
            #expect(await eventually { clock.wakes(in: .seconds(1_500)) })
            clock.pass(.seconds(1_499))
            try await peers.subscribe("ada", #"{"filter":"a"}"#)
            clock.pass(.seconds(1))
            try await peers.subscribe("ada", #"{"filter":"b"}"#)
            #expect(await eventually { clock.wakes(in: .seconds(1_500)) })
            clock.pass(.seconds(1_500))
            #expect(try await peers.process.saw("gone ada ") == "gone ada 8d")
        }
    }
}
