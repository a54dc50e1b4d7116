import Support
import Testing
import WireBase
import WireEmbedded

@Suite("Rules of the MQTT broker", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerRulesTests {
    /// CONNECT with a clean start, and CONNACK; that of MQTT 5 has the QoS and the largest packet.
    private static let connect5 = "100e00044d5154540502000000000161"
    private static let ack5 = "200a0000072401" + "2700040000"
    private static let connect3 = "100d00044d51545404020000000161"
    private static let ack3 = "20020000"

    /// What a client sends and what it gets; `*` is the CONNACK of MQTT 5.
    private static let cases: [(String, String)] = [
        ("c000", ""), ("ffffffffff", ""), ("474554202f20485454502f312e310d0a0d0a", ""),
        ("101100064d514973647003020000" + "0003616263", "20020001"),
        ("100d00044d51545407020000000161", "20020001"), ("100c00044d51545404000000" + "0000", "20020002"),
        // The will has QoS 2.
        ("101500044d5154540516000000000161" + "00000177" + "000178", "2003009b00"),
        (connect3 + connect3, ack3), (connect5 + connect5, "*e00182"),
        // PUBLISH with QoS 2, with an alias, with the id of a subscription.
        (connect3 + "340500016100" + "01", ack3), (connect5 + "340600016100" + "0100", "*e0019b"),
        (connect5 + "30070000" + "03230001" + "78", "*e00194"), (connect5 + "3006000161020b01", "*e00182"),
        // SUBSCRIBE with wrong flags, and cut short.
        (connect5 + "80060001000001" + "61", "*e00181"), (connect5 + "82060001000001" + "2b", "*e00181"),
        // PUBREC, PUBREL, AUTH.
        (connect5 + "50020001", "*e00182"), (connect5 + "62020001", "*e00182"), (connect5 + "f000", "*e00182"),
        // A session cannot become longer than its connection at the end.
        (connect5 + "e007000511" + "00000005", "*e00182"), (connect5 + "e000", "*"),
        (connect5 + "30ffffff7f", "*e00195"), (connect3 + "30ffffff7f", ack3),
    ]

    @Test("clients that break the rules are told, where their version has a packet for it, and disconnected")
    func rules() async throws {
        try await BrokerHouse.run { broker in
            for (sent, answer) in Self.cases {
                let got = try await broker.raw(#require(Hexadecimal.bytes(of: sent)))
                #expect(got == answer.replacing("*", with: Self.ack5), "\(sent)")
            }
        }
    }

    @Test("a client of MQTT 5 without an id gets one; names that are too long are refused")
    func names() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            let assigned = try await peers.open("ada", #"{"id":""}"#)
            #expect(assigned.contains(#""AssignedClientIdentifier":"auto-"#))
            let long = String(repeating: "a", count: 1_025)
            let refused = try await peers.open("bob", #"{"id":"\#(long)"}"#)
            #expect(refused.hasPrefix("85"))
            #expect(try await peers.subscribe("ada", #"{"filter":"\#(long)"}"#) == "97")
            #expect(try await peers.publish("ada", #"{"topic":"\#(long)","text":"a","retain":true}"#) == "97")
            #expect(try await peers.publish("ada", #"{"topic":"\#(long)","text":"a"}"#) == "10")
        }
    }

    @Test("a session has at most a hundred subscriptions; one that is replaced counts once")
    func subscriptions() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada")
            for number in 1...100 {
                #expect(try await peers.subscribe("ada", #"{"filter":"a/\#(number)"}"#) == "01")
            }
            #expect(try await peers.subscribe("ada", #"{"filter":"b"}"#) == "97")
            #expect(try await peers.subscribe("ada", #"{"filter":"a/1","qos":0}"#) == "00")
            #expect(try await peers.said("unsubscribed", by: "ada", after: "unsubscribe ada a/1") == "00")
            #expect(try await peers.said("unsubscribed", by: "ada", after: "unsubscribe ada a/1") == "11")
            #expect(try await peers.subscribe("ada", #"{"filter":"b"}"#) == "01")
        }
    }

    @Test("a filter that is twice in a packet counts once for the retained messages")
    func twice() async throws {
        try await BrokerHouse.run { broker in
            let kept = try broker.peers.mosquitto("x", to: "a", ["-q", "1", "-r"])
            #expect(kept.status == 0, "\(kept.everything)")
            let subscribe = "820a0001" + "00012300" + "00012300"
            let got = try await broker.raw(#require(Hexadecimal.bytes(of: Self.connect3 + subscribe + "e000")))
            #expect(got == Self.ack3 + "900400010000" + "310400016178")
        }
    }

    @Test("an address that is declared again before it is closed stays the same")
    func sameAddress() async throws {
        try await BrokerHouse.run { broker in
            try await broker.house.rebind(House.issuer, environment: "baseUrl: https://api.example.com")
            try await broker.house.rebind(House.issuer)
            let page = try await Web(#require(broker.house.base)).ask("GET", "/").text
            #expect(page.contains("mqtt://127.0.0.1:\(broker.peers.port)"))
            await broker.house.service.predecessorsDidStop()
            #expect(try await broker.peers.open("ada").hasPrefix("00"))
        }
    }

    @Test("a will has its properties, and is published where DISCONNECT asks for it")
    func wills() async throws {
        try await BrokerHouse.run { broker in
            try await broker.peers.open("ada")
            try await broker.peers.subscribe("ada", #"{"filter":"+"}"#)
            // The content type 't', topic 'w', text 'x'; DISCONNECT with will.
            let connect = "101900044d51545405060000000001610403000174000177000178"
            let got = try await broker.raw(#require(Hexadecimal.bytes(of: connect + "e00104")))
            #expect(got == Self.ack5)
            let will = try await broker.peers.got("ada", times: 1)
            #expect(will == [#"{"topic":"w","text":"x","qos":0,"ContentType":"t"}"#])
        }
    }

    @Test("clients are told that the broker shuts down, and their wills are published")
    func shutDown() async throws {
        let folder = try TemporaryFolder()
        let peers = Mutable<MQTTPeers?>(nil)
        try await BrokerHouse.run(in: folder) { broker in
            peers.value = broker.peers
            try await broker.peers.open("ada", #"{"will":["status","offline",1,true]}"#)
        }
        #expect(try await peers.value?.process.saw("gone ada ") == "gone ada 8b")
        try await BrokerHouse.run(in: folder) { broker in
            try await broker.peers.open("ada")
            try await broker.peers.subscribe("ada", #"{"filter":"status"}"#)
            #expect(
                try await broker.peers.got("ada", times: 1) == [
                    #"{"topic":"status","text":"offline","qos":1,"retain":true}"#
                ]
            )
        }
    }

    @Test("a WebSocket must have the subprotocol 'mqtt'")
    func subprotocol() async throws {
        try await House.run { house in
            let web = try Web(#require(house.base))
            let fields = [
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
            ]
            #expect(try await web.get("/mqtt", fields).status == 400)
            #expect(try await web.get("/mqtt").status == 426)
            for (origin, status) in [("https://a.example.com", 403), ("null", 403), ("http://localhost:3000", 400)] {
                #expect(try await web.get("/mqtt", fields + ["Origin: \(origin)"]).status == status)
            }
            #expect(try await web.get("/mqtt/x", fields).status == 404)
        }
    }
}
