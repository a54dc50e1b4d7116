package import Foundation

/// A private message bus, run by `dbus-daemon` for the duration of a test.
package final class BusDaemon: @unchecked Sendable {
    // Sendable: each test has its own, and uses it from one task at a time.
    package let folder: TemporaryFolder
    private var daemon = Process()
    private let variables: [String: String]

    package struct Failure: Error {}

    /// Starts at once, unless the bus is to be absent at first; with further variables of the environment.
    package init(begins: Bool = true, variables: [String: String] = [:]) throws {
        self.variables = variables
        folder = try TemporaryFolder()
        if begins { try begin() }
    }

    deinit { end() }

    package var address: String { "unix:path=\(folder.url.path)/bus" }
    package var processID: pid_t { daemon.processIdentifier }

    /// Starts the bus, or restarts it at the same address.
    package func begin() throws {
        try? FileManager.default.removeItem(atPath: "\(folder.url.path)/bus")
        daemon = Process()
        let arguments = ["--session", "--nofork", "--nopidfile", "--print-address=1", "--address=\(address)"]
        _ = try start(daemon, "/usr/bin/dbus-daemon", arguments)
    }

    package func end() { Self.end(daemon) }

    package static func end(_ process: Process) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Starts a program on the bus; returns at its first line, which reports that it is ready.
    package func start(_ process: Process, _ program: String, _ arguments: [String]) throws -> String {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(variables.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }) { $1 }
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != 0x0a {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure() }
            line += more
        }
        return String(decoding: line, as: UTF8.self)
    }
}
