import Support
import Testing
import WireBase

@Suite("Limits of the MQTT broker", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(5)))
struct BrokerLimitsTests {
    private static func path(_ levels: Int) -> String { Array(repeating: "a", count: levels).joined(separator: "/") }

    @Test("a topic or a filter has at most 128 levels")
    func levels() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada")
            #expect(try await peers.subscribe("ada", #"{"filter":"\#(Self.path(129))"}"#) == "8f")
            #expect(try await peers.subscribe("ada", #"{"filter":"\#(Self.path(128))"}"#) == "01")
            #expect(try await peers.publish("ada", #"{"topic":"\#(Self.path(128))","text":"a"}"#) == "00")
            let gone = try await peers.said(
                "gone",
                by: "ada",
                after: #"publish ada {"topic":"\#(Self.path(129))","text":"a"}"#
            )
            #expect(gone == "90")
            #expect(try await peers.open("bob", #"{"will":["\#(Self.path(129))","x",0,false]}"#).hasPrefix("90"))
        }
    }

    @Test("a web page of another site is rejected at the WebSocket, also one that gives its name to this machine")
    func pages() async throws {
        try await BrokerHouse.run { broker in
            let web = try #require(broker.house.base)
            let port = try #require(Int(web.split(separator: ":").last ?? ""))
            func status(_ host: String, _ origins: [String]) async throws -> Int {
                let client = try await RawClient.connect(to: .tcp("127.0.0.1", port))
                let fields =
                    [
                        "Host: \(host)", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: mqtt",
                    ] + origins.map { "Origin: \($0)" }
                try await client.send("GET /mqtt HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
                let answer = try await client.head()
                try await client.close()
                return answer.status
            }
            let own = "127.0.0.1:\(port)"
            #expect(try await status(own, []) == 101)
            #expect(try await status(own, ["http://\(own)"]) == 101)
            #expect(try await status(own, ["http://evil.example"]) == 403)
            #expect(try await status(own, ["http://\(own)", "http://evil.example"]) == 403)
            #expect(try await status("evil.example:\(port)", ["http://evil.example:\(port)"]) == 421)
        }
    }

    /// Publishes until the broker has no room; returns the number of accepted messages.
    private static func fill(_ peers: MQTTPeers, _ options: String = "") async throws -> Int {
        for count in 0..<300 {
            let code = try await peers.publish("pub", #"{"topic":"big","size":260000\#(options)}"#)
            if code == "97" { return count }
        }
        return 300
    }

    @Test("messages in memory have a common limit; those that expire or whose session ends make room")
    func memory() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            let peers = broker.peers
            for name in ["pub", "bob", "eve"] { try await peers.open(name) }
            try await peers.subscribe("bob", #"{"filter":"big"}"#)
            try await peers.subscribe("eve", #"{"filter":"small"}"#)
            let small = #"{"topic":"small","size":260000}"#
            #expect((250..<260).contains(try await Self.fill(peers, #","MessageExpiryInterval":60"#)))
            #expect(try await peers.publish("pub", small) == "97")
            clock.pass(.seconds(61))
            #expect(try await peers.publish("pub", small) == "00")
            _ = try await Self.fill(peers)
            #expect(try await peers.publish("pub", small) == "97")
            try await broker.cut("bob")
            #expect(try await peers.publish("pub", small) == "00")
        }
    }

    @Test("retained messages that a slow client does not take are logged")
    func slow() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("pub")
            for number in 0..<80 {
                try await peers.publish("pub", #"{"topic":"big/\#(number)","size":260000,"qos":0,"retain":true}"#)
            }
            #expect(try await peers.publish("pub", #"{"topic":"end","text":"a"}"#) == "10")
            // CONNECT of MQTT 3.1.1 and SUBSCRIBE of 'big/#' with QoS 0; then the client reads nothing.
            let sent = "100d00044d51545404020000000173" + "820a00010005" + "6269672f23" + "00"
            let client = try await RawClient.connect(to: .tcp("127.0.0.1", peers.port), receiveBuffer: 4_096)
            try await client.send(#require(Hexadecimal.bytes(of: sent)))
            let words = "retained messages of MQTT were dropped"
            #expect(await eventually { broker.house.told.all.contains { $0.contains(words) } })
            try await client.close()
        }
    }

    /// CONNECT of MQTT 3.1.1 without a clean start, and DISCONNECT; the id has three characters.
    private static func session(of id: String) -> [UInt8] {
        let head: [UInt8] = [0x10, 0x0f, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 0, 0, 0, 0, 3]
        return head + Array(id.utf8) + [0xe0, 0]
    }

    @Test("beyond 500 sessions clients are refused, which the log tells, until a session has expired")
    func sessions() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            for number in 100..<600 {
                let code = try await broker.raw(Self.session(of: "\(number)"))
                #expect(code == "20020000")
            }
            let (ada, bob) = (try await broker.peers.open("ada"), try await broker.peers.open("bob", #"{"version":4}"#))
            #expect(ada.hasPrefix("97") && bob.hasPrefix("88"), "\(ada), \(bob)")
            let words = "clients of MQTT are refused: there are too many sessions"
            #expect(broker.house.told.all.count { $0.contains(words) } == 1)
            clock.pass(.seconds(30 * 86_400))
            let later = try await broker.peers.open("ada")
            #expect(later.hasPrefix("00"), "\(later)")
        }
    }
}
