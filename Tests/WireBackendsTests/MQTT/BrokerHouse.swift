import Support
import Testing
import WireStore

/// The MQTT broker, with clients of the package `paho-mqtt` and of Mosquitto.
struct BrokerHouse: Sendable {
    let house: House
    let peers: MQTTPeers

    static func run(
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        around: (any KeyValueStore) -> any KeyValueStore = { $0 },
        _ play: @escaping @Sendable (BrokerHouse) async throws -> Void
    ) async throws {
        try await House.run(in: folder, clock: clock, around: around) { house in
            let page = try await Web(#require(house.base)).ask("GET", "/").text
            let port = try #require(page.firstMatch(of: /mqtt:\/\/127\.0\.0\.1:([0-9]+)/)?.1)
            let socketPort = try #require(page.firstMatch(of: /ws:\/\/127\.0\.0\.1:([0-9]+)\/mqtt/)?.1)
            let peers = try await MQTTPeers(port: #require(Int(port)), socketPort: Int(socketPort))
            try await play(BrokerHouse(house: house, peers: peers))
        }
    }

    /// Drops the connection of a client, and returns when the broker knows.
    func cut(_ name: String) async throws { try await leave(name) { try await peers.cut(name) } }

    func close(_ name: String, _ expiry: String = "") async throws {
        try await leave(name) { try await peers.close(name, expiry) }
    }

    private func leave(_ name: String, _ work: () async throws -> Void) async throws {
        let count = { house.told.all.count { $0.contains("an MQTT client disconnected") && $0.contains(name) } }
        let before = count()
        try await work()
        #expect(await eventually { count() > before })
    }

    /// Sends bytes to the broker; returns the first bytes of its response as hexadecimal digits, once it has closed
    /// the connection.
    func raw(_ bytes: [UInt8]) async throws -> String {
        let client = try await RawClient.connect(to: .tcp("127.0.0.1", peers.port), sending: bytes)
        let rest = try await client.rest()
        try await client.close()
        return rest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
