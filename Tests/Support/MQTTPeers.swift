import Foundation
package import Testing

/// Clients of an MQTT broker, of the package `paho-mqtt`: see `Tests/PushServers/mqtt_peers.py`.
package struct MQTTPeers: Sendable {
    package static let areThere =
        ScriptedServer.hasModules("paho.mqtt.client") && Program.isInstalled("mosquitto_pub")

    package let process: ScriptedServer
    package let port: Int

    /// Starts the peers of a broker, by its port and that of its WebSocket.
    package init(port: Int, socketPort: Int? = nil) async throws {
        self.port = port
        process = try await ScriptedServer(push: "mqtt_peers", ["\(port)", "\(socketPort ?? port)"])
    }

    /// Starts the peers of the broker in a runner.
    package init(of runner: RunningRunner) async throws {
        let status = try runner.corewire(["backends", "status", "--format", "json"]).output
        let port = try #require(status.firstMatch(of: /mqtt:\/\/127\.0\.0\.1:([0-9]+)/)?.1)
        try await self.init(port: #require(Int(port)))
    }

    package func tell(_ command: String) async throws { try await process.tell(command) }

    /// Connects a client; returns the code of CONNACK, whether there is a session, and the properties.
    @discardableResult
    package func open(_ name: String, _ options: String = "{}") async throws -> String {
        try await said("connected", by: name, after: "open \(name) \(options)")
    }

    /// Subscribes; returns the codes of SUBACK.
    @discardableResult
    package func subscribe(_ name: String, _ options: String) async throws -> String {
        try await said("subscribed", by: name, after: "subscribe \(name) \(options)")
    }

    /// Publishes; returns the code of PUBACK.
    @discardableResult
    package func publish(_ name: String, _ options: String) async throws -> String {
        try await said("published", by: name, after: "publish \(name) \(options)")
    }

    /// Gives a command, and returns what the client then says of it.
    package func said(_ word: String, by name: String, after command: String) async throws -> String {
        let beginning = "\(word) \(name) "
        let before = process.count(beginning)
        try await tell(command)
        return String(try await process.saw(beginning, times: before + 1).dropFirst(beginning.count))
    }

    /// The messages of a client so far, as JSON.
    package func got(_ name: String) -> [String] {
        process.all.filter { $0.hasPrefix("got \(name) ") }.map { String($0.dropFirst("got \(name) ".count)) }
    }

    /// The messages of a client, once there are so many.
    package func got(_ name: String, times: Int, _ location: SourceLocation = #_sourceLocation) async throws -> [String]
    {
        try await process.saw("got \(name) ", times: times, location)
        return got(name)
    }

    /// Ends a connection as a lost network does, and waits until the client knows.
    package func cut(_ name: String) async throws { _ = try await said("gone", by: name, after: "cut \(name)") }

    package func close(_ name: String, _ expiry: String = "") async throws {
        _ = try await said("gone", by: name, after: expiry.isEmpty ? "close \(name)" : "close \(name) \(expiry)")
    }

    /// Publishes with `mosquitto_pub`; returns its result.
    @discardableResult
    package func mosquitto(_ text: String, to topic: String, _ arguments: [String] = ["-q", "1"]) throws -> Run {
        try Program.run(
            "mosquitto_pub",
            ["-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-m", text] + arguments
        )
    }
}
