package import Foundation
import Synchronization
package import Testing

/// A server in Python: it writes a line for what it sees, and takes commands by line.
package final class ScriptedServer: Sendable {
    package static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path

    /// Whether Python has some modules.
    package static func hasModules(_ names: String) -> Bool {
        (try? Program.run(python, ["-c", "import \(names)"]).status) == 0
    }

    private let process: Mutex<Process>
    private let input = Pipe()
    private let lines = Mutex<(text: [String], rest: String)>(([], ""))

    /// Starts a script; returns once it has written a line that begins with `ready`.
    package init(_ script: URL, _ arguments: [String] = []) async throws {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = ["-B", script.path] + arguments
        process.standardOutput = output
        // It ends with whoever holds the other end: nothing of the caller's may be kept open for it.
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        self.process = Mutex(process)
        output.follow { [weak self] data in self?.take(String(decoding: data, as: UTF8.self)) }
        try self.process.withLock { try $0.run() }
        _ = try await saw("ready")
    }

    /// Starts a script of `Tests/PushServers`.
    package convenience init(push name: String, _ arguments: [String] = []) async throws {
        try await self.init(
            Repository.root.appendingPathComponent("Tests/PushServers/\(name).py"),
            arguments
        )
    }

    deinit {
        // Whom a thread of the pool starts inherits that it hears of no signal but this one.
        process.withLock { _ = kill($0.processIdentifier, SIGKILL) }
    }

    private func take(_ text: String) {
        lines.withLock { lines in
            var parts = (lines.rest + text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            lines.rest = parts.removeLast()
            lines.text += parts
        }
    }

    package var all: [String] { lines.withLock { $0.text } }

    package func count(_ beginning: String) -> Int { all.count { $0.hasPrefix(beginning) } }

    /// The last line that begins so, once there are so many.
    @discardableResult
    package func saw(_ beginning: String, times: Int = 1, _ location: SourceLocation = #_sourceLocation) async throws
        -> String
    {
        var found: [String] = []
        let isSeen = await eventually {
            found = all.filter { $0.hasPrefix(beginning) }
            return found.count >= times
        }
        return try #require(isSeen ? found.last : nil, "\(beginning): \(all)", sourceLocation: location)
    }

    /// The words of the first line, after `ready`.
    package var readyWords: [String] { (all.first ?? "").split(separator: " ").dropFirst().map(String.init) }

    /// Gives a command, and returns once it is done.
    package func tell(_ command: String) async throws {
        let before = count("did \(command)")
        try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
        try await saw("did \(command)", times: before + 1)
    }
}
