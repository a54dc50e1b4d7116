import Support
import Testing
import WireBase
import WireNotifications
import Workbench

@Suite(
    "Ways to an MQTT broker",
    .serialized,
    .enabled(if: Mosquitto.isInstalled && ScriptedServer.hasModules("websockets.asyncio.server"))
)
struct MQTTTransportTests {
    @Test("over a WebSocket with the subprotocol mqtt", arguments: MQTTBench.versions)
    func webSocket(version: String) async throws {
        let broker = try await Mosquitto()
        let relay = try await ScriptedServer(push: "mqtt", ["\(broker.port)"])
        let port = try #require(Int(relay.readyWords[0]))
        let bench = try await MQTTBench.connected(
            to: broker,
            MQTTBench.streams(port, version: version, scheme: "ws")
        )
        try await relay.saw("websocket mqtt")
        let lines = (1...50).map { #"{"id":"\#($0)","title":"\#(String(repeating: "x", count: 3_000))"}"# }
        try broker.publish(lines: lines.joined(separator: "\n") + "\n", to: "wards/3B/a")
        #expect(await eventually { MQTTBench.noted(bench).count == 50 })
        await bench.end()
        try await relay.saw("closed")
        #expect(relay.count("text") == 0)
    }

    @Test("over TLS with a client certificate, and not without one")
    func secure() async throws {
        let authority = try Authority()
        let server = try authority.certificate(for: "localhost", in: "server")
        let client = try authority.certificate(for: "cart-17", in: "client")
        let broker = try await Mosquitto(
            """
            allow_anonymous false
            cafile \(authority.file)
            certfile \(server)
            keyfile \(server)
            require_certificate true
            use_identity_as_username true
            """
        )
        let section = MQTTBench.streams(broker.port, scheme: "mqtts")
        let bench = try await StreamBench(
            section,
            network: "retries: 0\ncertificates: [{ host: localhost, file: \(client) }]",
            authorities: authority.file
        )
        #expect(await broker.saw("Sending SUBACK to cart"), "\(bench.log) \(broker.log)")
        #expect(broker.log.contains("u'cart-17'"))
        await bench.end()
        let without = try await StreamBench(section, authorities: authority.file)
        #expect(await eventually { without.log.contains { $0.contains("of notifications") } })
        await without.end()
        let stranger = try Authority()
        let strange = try await StreamBench(section, authorities: stranger.file)
        #expect(await eventually { strange.log.contains { $0.contains("cannot be trusted") } }, "\(strange.log)")
        await strange.end()
        #expect(broker.count("Sending SUBACK to cart") == 1)
    }

    @Test("a connection on which nothing arrives any more is noticed by the keep-alive", arguments: MQTTBench.versions)
    func silent(version: String) async throws {
        let broker = try await Mosquitto()
        let relay = try await ScriptedServer(push: "mqtt", ["\(broker.port)"])
        let port = try #require(Int(relay.readyWords[1]))
        let bench = try await MQTTBench.connected(to: broker, MQTTBench.streams(port, version: version))
        try await relay.tell("silent")
        try broker.publish(#"{"id":"a","title":"A"}"#, to: "wards/3B/a")
        #expect(
            await bench.passing(.seconds(30)) { bench.log.contains { $0.contains("did not respond to a ping") } },
            "\(bench.log)"
        )
        try await relay.tell("pass")
        #expect(await bench.passing(.seconds(2)) { MQTTBench.noted(bench) == ["ward:a"] }, "\(bench.log)")
        await bench.end()
    }

    @Test("an idle broker is pinged once in each interval", arguments: MQTTBench.versions)
    func interval(version: String) async throws {
        let broker = try await Mosquitto()
        let bench = try await MQTTBench.connected(to: broker, MQTTBench.streams(broker.port, version: version))
        for _ in 1...2 {
            #expect(await bench.sends(after: .seconds(30)) { broker.count("Received PINGREQ from cart") })
        }
        await bench.end()
    }

    @Test("a rejected topic is reported, and not requested again at once", arguments: MQTTBench.versions)
    func denied(version: String) async throws {
        let server = try await ScriptedServer(push: "mqtt", ["1"])
        let port = try #require(Int(server.readyWords[3]))
        let bench = try await StreamBench(MQTTBench.streams(port, version: version))
        try await server.saw("denied")
        #expect(await eventually { bench.notifications.bench.told.all.last?.hasPrefix("degraded: ") == true })
        #expect(
            await eventually { bench.log.contains { $0.contains("rejected the topics: 0x8") } },
            "\(bench.log)"
        )
        bench.clock.pass(.seconds(100))
        for _ in 0..<50 { await breath() }
        #expect(server.count("denied") == 1)
        await bench.end()
    }

    @Test("whatever a broker sends ends in a reason, and the stream goes on", .timeLimit(.minutes(3)))
    func hostile() async throws {
        let server = try await ScriptedServer(push: "mqtt", ["1"])
        let port = try #require(Int(server.readyWords[2]))
        let cases = try #require(Int(server.readyWords[4]))
        let bench = try await StreamBench(MQTTBench.streams(port))
        for number in 0..<cases {
            #expect(await eventually { server.count("case") > number }, "\(number): \(bench.log.suffix(3))")
            // While the stream pauses, the clock ends no connection.
            #expect(await eventually { bench.log.count { $0.contains("retryIn") } > number })
            #expect(await bench.afterPause { server.count("begun") > number + 1 })
        }
        let cut = try #require(Int(server.readyWords[5]))
        #expect(bench.log.count { $0.contains("data was rejected") } == cases - cut, "\(bench.log)")
        #expect(MQTTBench.noted(bench).isEmpty)
        await bench.end()
    }
}
