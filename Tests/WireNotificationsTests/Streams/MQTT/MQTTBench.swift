import Support
import Testing
import WireBase

/// Streams from a broker, for tests.
enum MQTTBench {
    static let versions = ["5", "3.1.1"]

    /// The settings of a stream with one topic.
    static func streams(
        _ port: Int,
        version: String = "5",
        scheme: String = "mqtt",
        _ settings: String = "id: id"
    ) -> String {
        let url = "\(scheme)://localhost:\(port)"
        let rest = settings.isEmpty ? "" : ", \(settings)"
        return
            "streams: { ward: { type: mqtt, url: \"\(url)\", version: \"\(version)\", clientId: cart, topics: [wards/3B/#]\(rest) } }"
    }

    static func noted(_ bench: StreamBench) -> [String] {
        bench.notifications.programs.calls(of: "note").compactMap(\.first)
    }

    /// Whether the client has left, with a DISCONNECT or without.
    static func hasLeft(_ broker: Mosquitto) async -> Bool {
        await eventually {
            let ends = broker.count("Client cart disconnected") + broker.count("Client cart closed its connection")
            return ends >= broker.count("Sending CONNACK to cart")
        }
    }

    /// A bench whose stream is connected.
    static func connected(
        to broker: Mosquitto,
        _ section: String,
        handlers: String = IntakeTests.note,
        in folder: TemporaryFolder? = nil,
        users: HandUsers? = nil
    ) async throws -> StreamBench {
        let before = broker.count("Sending SUBACK to cart")
        let bench = try await StreamBench(section, handlers: handlers, in: folder, users: users)
        #expect(await broker.saw("Sending SUBACK to cart", times: before + 1), "\(broker.log) \(bench.log)")
        return bench
    }
}
