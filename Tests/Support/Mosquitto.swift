import Foundation

/// Eclipse Mosquitto, a broker of MQTT, with data of its own; it ends with the last reference to it.
package final class Mosquitto: Sendable {
    package static let isInstalled = Program.isInstalled("mosquitto") || FileManager.default.fileExists(atPath: path)

    private static let path = "/usr/sbin/mosquitto"

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let folder: TemporaryFolder
    package let port: Int
    private let program: StartedProgram

    /// Starts a broker; `settings` are lines for its listener.
    ///
    /// Mosquitto does not report a port that the system has chosen, so another one is tried where it is taken.
    package init(_ settings: String = "allow_anonymous true", in folder: TemporaryFolder? = nil, port: Int? = nil)
        async throws
    {
        self.folder = try folder ?? TemporaryFolder()
        let home = self.folder.url.path
        for _ in 0..<20 {
            let chosen = try port ?? Self.freePort()
            try self.folder.write(
                """
                user root
                persistence true
                persistence_location \(home)/
                autosave_interval 1
                autosave_on_changes true
                log_dest stderr
                log_type all
                max_queued_messages 100000
                listener \(chosen) 127.0.0.1
                \(settings)

                """,
                to: "mosquitto.conf"
            )
            try? FileManager.default.removeItem(atPath: "\(home)/log")
            let program = try StartedProgram(
                Self.path,
                ["-c", "\(home)/mosquitto.conf"],
                environment: [:],
                output: "\(home)/out",
                errors: "\(home)/log"
            )
            let log = { (try? String(contentsOfFile: "\(home)/log", encoding: .utf8)) ?? "" }
            _ = await eventually { log().contains(" running") || log().contains("Error: ") }
            guard log().contains("Address already in use") else {
                guard log().contains(" running") else { throw Failure(description: log()) }
                (self.port, self.program) = (chosen, program)
                return
            }
        }
        throw Failure(description: "no port is free")
    }

    private static func freePort() throws -> Int {
        let run = try Program.run(
            "/usr/bin/python3",
            ["-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"]
        )
        guard let port = Int(run.output.dropLast()) else { throw Failure(description: run.everything) }
        return port
    }

    /// What it has logged.
    package var log: String { (try? folder.text(of: "log")) ?? "" }

    package func count(_ text: String) -> Int { log.split(separator: "\n").count { $0.contains(text) } }

    /// Waits until lines of its log contain a text.
    package func saw(_ text: String, times: Int = 1) async -> Bool { await eventually { count(text) >= times } }

    /// Publishes as a back end does.
    package func publish(_ text: String, to topic: String, _ arguments: [String] = ["-q", "1"]) throws {
        try client("mosquitto_pub", ["-t", topic, "-m", text] + arguments)
    }

    /// Publishes each line of a text as a message.
    package func publish(lines: String, to topic: String) throws {
        try client("mosquitto_pub", ["-t", topic, "-l", "-q", "1"], input: Data(lines.utf8))
    }

    /// The first message of a topic, which may be retained.
    package func first(of topic: String) throws -> String {
        try client("mosquitto_sub", ["-t", topic, "-C", "1", "-W", "30"])
    }

    @discardableResult
    private func client(_ name: String, _ arguments: [String], input: Data? = nil) throws -> String {
        let run = try Program.run(name, ["-p", "\(port)", "-h", "127.0.0.1"] + arguments, input: input)
        guard run.status == 0 else { throw Failure(description: run.everything) }
        return String(run.output.dropLast())
    }

    /// Stops it as the system does, so that its sessions are on the disk.
    package func stop() async throws {
        program.signal(SIGTERM)
        try await program.end()
    }
}
