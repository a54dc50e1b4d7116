import Foundation
import Support

/// A session bus of its own, with a desktop on it that notes what it shows; both end with the test.
final class SessionBus: @unchecked Sendable {
    // Sendable: each test has its own, and asks it from one task at a time.
    private let folder: TemporaryFolder
    private var daemon = Process()
    private var desktop = Process()
    private var words = Pipe()

    init() throws {
        folder = try TemporaryFolder()
        try begin()
    }

    deinit { end() }

    var address: String { "unix:path=\(folder.url.path)/bus" }

    /// Begins where it has not, or was ended, at the same address.
    func begin() throws {
        try? FileManager.default.removeItem(atPath: "\(folder.url.path)/bus")
        (daemon, desktop, words) = (Process(), Process(), Pipe())
        _ = try start(
            daemon,
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--nopidfile", "--print-address=1", "--address=\(address)"]
        )
        desktop.standardInput = words
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("desktop.py")
        _ = try start(desktop, "/usr/bin/python3", [script.path, "\(folder.url.path)/shown"])
    }

    /// Returns with its first line, which says that it is there.
    private func start(_ process: Process, _ program: String, _ arguments: [String]) throws -> String {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["DBUS_SESSION_BUS_ADDRESS": address]) { $1 }
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != 0x0a {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Strange() }
            line += more
        }
        return String(decoding: line, as: UTF8.self)
    }

    func end() {
        for process in [desktop, daemon] where process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    /// What the desktop was asked to show, the first one first.
    var shown: [Shown] {
        ((try? folder.text(of: "shown")) ?? "").split(separator: "\n").compactMap {
            try? JSONDecoder().decode(Shown.self, from: Data($0.utf8))
        }
    }

    struct Shown: Decodable {
        let number: Int
        let app: String
        let title: String
        let body: String
        let actions: [String]
        let hints: [String: Hint]
    }

    enum Hint: Decodable, Equatable {
        case text(String), flag(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    func press(_ number: Int, _ key: String) { tell("press \(number) \(key)\n") }
    func close(_ number: Int, because reason: Int) { tell("close \(number) \(reason)\n") }
    private func tell(_ line: String) { words.fileHandleForWriting.write(Data(line.utf8)) }
}
