import Foundation
import Support
import Testing

@Suite("Notifications over MQTT, with the built runner", .serialized, .enabled(if: Mosquitto.isInstalled))
struct MQTTProgramTests {
    private struct Listed: Decodable {
        struct Item: Decodable { let id: String }

        let notifications: [Item]
    }

    private static func listed(_ runner: RunningRunner) throws -> [String] {
        let run = try runner.corewire(["notifications", "list", "--limit", "1000", "--format", "json"])
        return try JSONDecoder().decode(Listed.self, from: Data(run.output.utf8)).notifications.map(\.id)
    }

    @Test(
        "killed again and again while messages arrive, the runner loses none and lists each once",
        .timeLimit(.minutes(5)),
        arguments: ["5", "3.1.1"]
    )
    func killed(version: String) async throws {
        let broker = try await Mosquitto()
        let file = """
            version: 1
            app: { id: com.example.tasks }
            notifications:
              permission: granted
              handlers: { show: { on: presentable, present: [list] } }
              streams:
                ward:
                  type: mqtt
                  url: mqtt://127.0.0.1:\(broker.port)
                  version: "\(version)"
                  topics: ["devices/{{ deviceId }}/push", "wards/+/push"]
                  id: id
            """
        let home = try TemporaryFolder()
        var runner = try await RunningRunner(file, in: home)
        #expect(await broker.saw("Sending SUBACK to"))
        for round in 0..<10 {
            let lines = (1...20).map { #"{"id":"\#(round)-\#($0)","title":"A"}"# }.joined(separator: "\n")
            try broker.publish(lines: lines + "\n", to: "wards/\(round)/push")
            // A different moment of the handling each time.
            for _ in 0..<(round * 5) { await breath() }
            try await runner.kill()
            runner = try await RunningRunner(nil, in: home)
        }
        let isWhole = try await eventually { try Self.listed(runner).count >= 200 }
        let ids = try Self.listed(runner)
        #expect(isWhole && ids.count == 200 && Set(ids).count == 200, "\(ids.count)")
        try await runner.stop()
        #expect(await broker.saw("Received DISCONNECT from"))
    }
}
