import Support
import Testing
import WireBase
import WireHTTP

@Suite("Faults of the MQTT broker over TCP", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerFaultTests {
    /// CONNECT with a clean start and DISCONNECT, and what the broker sends.
    private static let connect5 = "100e00044d5154540502000000000161" + "e000"
    private static let ack5 = "200a00000724012700040000"
    private static let connect3 = "100d00044d51545404020000000161" + "e000"

    private static func inject(_ broker: BrokerHouse, _ order: String) async throws {
        #expect(try await broker.house.api("POST", "/v1/backends/faults", order).status == .created)
    }

    private static func answer(_ broker: BrokerHouse, to sent: String) async throws -> String {
        try await broker.raw(#require(Hexadecimal.bytes(of: sent)))
    }

    @Test("a status refuses clients, a reset closes their connections, and faults on other paths do nothing")
    func refused() async throws {
        try await BrokerHouse.run { broker in
            try await Self.inject(broker, #"{"status":503,"on":"/echo"}"#)
            #expect(try await Self.answer(broker, to: Self.connect5) == Self.ack5)
            try await Self.inject(broker, #"{"status":503,"on":"/mqtt","count":2}"#)
            #expect(try await Self.answer(broker, to: Self.connect5) == "2003008800")
            #expect(try await Self.answer(broker, to: Self.connect3) == "20020003")
            #expect(try await Self.answer(broker, to: Self.connect5) == Self.ack5)
            try await Self.inject(broker, #"{"kind":"reset","on":"/mqtt","count":1}"#)
            let client = try await RawClient.connect(to: .tcp("127.0.0.1", broker.peers.port))
            #expect(try await client.isEnded())
            #expect(try await Self.answer(broker, to: Self.connect5) == Self.ack5)
        }
    }

    @Test("a latency delays the response to CONNECT, and a black hole sends none")
    func delayed() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            try await Self.inject(broker, #"{"latencyMilliseconds":5000,"on":"/mqtt","count":1}"#)
            let client = try await RawClient.connect(to: .tcp("127.0.0.1", broker.peers.port))
            try await client.send(#require(Hexadecimal.bytes(of: Self.connect5)))
            #expect(await eventually { clock.wakes(in: .seconds(5)) })
            clock.pass(.seconds(5))
            #expect(try await client.rest().count == 12)
            try await Self.inject(broker, #"{"kind":"blackHole","on":"/mqtt","count":1}"#)
            let swallowed = try await RawClient.connect(to: .tcp("127.0.0.1", broker.peers.port))
            try await swallowed.send(#require(Hexadecimal.bytes(of: Self.connect5)))
            try await swallowed.endSending()
            #expect(try await swallowed.rest().isEmpty)
        }
    }
}
