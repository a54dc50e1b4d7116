import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireNotifications
import Workbench

@Suite("MQTT messages that arrive together", .serialized, .enabled(if: Mosquitto.isInstalled))
struct MQTTTogetherTests {
    /// A bench that finds messages waiting at the broker.
    private static func bench(
        _ broker: Mosquitto,
        _ lines: [String],
        version: String,
        _ settings: String = ""
    ) async throws -> StreamBench {
        let folder = try TemporaryFolder()
        let section = settings + MQTTBench.streams(broker.port, version: version)
        await (try await MQTTBench.connected(to: broker, section, in: folder)).end()
        #expect(await MQTTBench.hasLeft(broker))
        try broker.publish(lines: lines.joined(separator: "\n") + "\n", to: "wards/3B/a")
        return try await StreamBench(section, in: folder)
    }

    /// The numbers of the acknowledged messages, in order.
    private static func acknowledged(_ broker: Mosquitto) -> [Int] {
        broker.log.split(separator: "\n").filter { $0.contains("Received PUBACK from cart") }.compactMap { line in
            line.split(separator: "Mid: ").last.flatMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    @Test("they are stored, reported and acknowledged in their order", arguments: MQTTBench.versions)
    func order(version: String) async throws {
        let broker = try await Mosquitto()
        let lines = (1...200).map { #"{"id":"\#($0)","title":"A"}"# }
        let bench = try await Self.bench(broker, lines, version: version)
        _ = try await bench.notifications.done("ward:200")
        let ids = bench.notifications.events("received").compactMap { $0["id"]?.string }
        #expect(ids == (1...200).map { "ward:\($0)" })
        let times = try await ids.asyncMap { id in try await bench.notifications.service.detail(id)?.received ?? 0 }
        #expect(times == times.sorted() && Set(times).count == 200)
        #expect(await broker.saw("Received PUBACK from cart", times: 200))
        let numbers = Self.acknowledged(broker)
        #expect(numbers.count == 200 && numbers == numbers.sorted())
        await bench.end()
    }

    @Test("updates of one id are taken in their order, also around skipped messages", arguments: MQTTBench.versions)
    func updates(version: String) async throws {
        let broker = try await Mosquitto()
        let updates = (1...60).flatMap { [#"{"id":"\#($0 % 3)","title":"\#($0)"}"#, "{}"] }
        let lines = updates + [#"{"id":"last","title":"A"}"#]
        let bench = try await Self.bench(broker, lines, version: version)
        _ = try await bench.notifications.done("ward:last")
        let received = bench.notifications.events("received")
        #expect(received.map { $0["id"]?.string } == (1...60).map { "ward:\($0 % 3)" } + ["ward:last"])
        #expect(received.count { $0["update"]?.boolean == true } == 57)
        for (id, title) in [("0", "60"), ("1", "58"), ("2", "59")] {
            let shown = try await bench.notifications.state("ward:\(id)") { $0["title"]?.string == title }
            #expect(shown["update"]?.boolean == true)
        }
        await bench.end()
    }

    @Test("those that cannot be stored come again, and the others do not", arguments: MQTTBench.versions)
    func full(version: String) async throws {
        let broker = try await Mosquitto()
        let lines = (1...5).map { #"{"title":"\#($0)"}"# }
        let bench = try await Self.bench(broker, lines, version: version, "maxWaiting: 2\n")
        #expect(await bench.passing(.seconds(2)) { MQTTBench.noted(bench).count == 5 }, "\(bench.log)")
        #expect(await broker.saw("Received PUBACK from cart", times: 5))
        #expect(broker.count("Received PUBACK from cart") == 5)
        let titles = try await MQTTBench.noted(bench).asyncMap { id in
            try await bench.notifications.service.detail(id)?.json["title"]?.string
        }
        #expect(Set(titles).count == 5)
        await bench.end()
    }
}
