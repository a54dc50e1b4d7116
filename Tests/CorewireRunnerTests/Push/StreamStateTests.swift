import Foundation
import Support
import Testing
import WireConfig

@Suite("The state of streams, with the built runner", .timeLimit(.minutes(2)))
struct StreamStateTests {
    @Test("'notifications streams' tells connections, stored messages, and why a stream is not read")
    func told() async throws {
        var server: ScriptedServer? = try await ScriptedServer(push: "ntfy")
        let port = try #require(server?.readyWords.first)
        let runner = try await RunningRunner(
            """
            version: 1
            app: { id: com.example.tasks }
            notifications:
              permission: granted
              handlers: { show: { on: presentable, present: [list] } }
              streams:
                alerts: { type: ntfy, url: "http://127.0.0.1:\(port)", topics: [cart-17-k3Jq8Zr2] }
                closed: { type: sse, url: "http://127.0.0.1:1/stream" }
            """
        )
        func streams() throws -> (run: Run, [JSONValue]) {
            let run = try runner.corewire(["notifications", "streams", "--format", "json"])
            let json = try JSONValue(parsing: Array(run.output.utf8), named: "streams")
            return (run, json["streams"]?.array ?? [])
        }
        let isConnected = try await eventually { try streams().1.first?["connected"]?.boolean == true }
        #expect(isConnected)
        let sent = try Program.run(
            "curl",
            ["-sS", "-d", "Pump 3 is off", "http://127.0.0.1:\(port)/cart-17-k3Jq8Zr2"]
        )
        #expect(sent.status == 0, "\(sent.everything)")
        #expect(try await eventually { try streams().1.first?["messages"]?.integer == 1 })
        let isExplained = try await eventually { try streams().1.last?["reason"] != nil }
        #expect(isExplained)
        let (run, told) = try streams()
        #expect(run.status == 1 && told.count == 2)
        let (alerts, closed) = (told[0], told[1])
        #expect(alerts["name"]?.string == "alerts" && alerts["connections"]?.integer == 1 && alerts["reason"] == nil)
        let (since, last) = (alerts["since"]?.integer ?? 0, alerts["lastMessage"]?.integer ?? 0)
        #expect(since > 1_700_000_000_000 && last >= since)
        #expect(closed["name"]?.string == "closed" && closed["connected"]?.boolean == false)
        #expect(closed["connections"]?.integer == 0 && closed["lastMessage"] == nil)
        #expect(closed["reason"]?.string?.contains("refused") == true, "\(closed.text())")
        let table = try runner.corewire(["notifications", "streams"]).output
        #expect(table.contains("disconnected") && !table.contains("cart-17"), "\(table)")
        let metrics = try await runner.ask("GET", "/metrics").text
        #expect(metrics.contains("corewire_notification_stream_messages_total{stream=\"alerts\"} 1"))
        #expect(metrics.contains("stream_last_message_timestamp_seconds{stream=\"alerts\"} \(last / 1_000)"))
        #expect(!metrics.contains("stream_last_message_timestamp_seconds{stream=\"closed\"}"))
        // The connection is lost; the reason is there, and the numbers stay.
        server = nil
        #expect(try await eventually { try streams().1.first?["connected"]?.boolean == false })
        let lost = try #require(try streams().1.first)
        #expect(lost["reason"]?.string?.isEmpty == false && lost["messages"]?.integer == 1, "\(lost.text())")
        #expect(lost["since"]?.integer ?? 0 >= last)
        try await runner.stop()
    }
}
