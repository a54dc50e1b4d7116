import Foundation
import Support
import Synchronization
import Testing
import Workbench

/// The servers of `sockets.py`, as long as the test has them.
final class SocketServer: Sendable {
    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let isThere =
        (try? Program.run(python, ["-c", "import websockets.asyncio.server"]).status) == 0

    private let process: Mutex<Process>
    private let input = Pipe()
    private let lines = Mutex<(text: [String], rest: String)>(([], ""))

    init(certificate: String? = nil) async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("sockets.py")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: Self.python)
        process.arguments = [script.path] + (certificate.map { [$0] } ?? [])
        process.standardOutput = output
        // It ends with whoever holds the other end: nothing of the caller's may be kept open for it.
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        self.process = Mutex(process)
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(String(decoding: data, as: UTF8.self))
        }
        try self.process.withLock { try $0.run() }
        _ = try await saw("ready")
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

    var all: [String] { lines.withLock { $0.text } }

    func count(_ beginning: String) -> Int { all.count { $0.hasPrefix(beginning) } }

    /// The line that begins so, once there are so many.
    @discardableResult
    func saw(_ beginning: String, times: Int = 1, _ location: SourceLocation = #_sourceLocation) async throws -> String
    {
        var found: [String] = []
        let isSeen = await eventually {
            found = all.filter { $0.hasPrefix(beginning) }
            return found.count >= times
        }
        return try #require(isSeen ? found.last : nil, "\(beginning): \(all)", sourceLocation: location)
    }

    private func port(_ index: Int) -> String { all[0].split(separator: " ").dropFirst().map(String.init)[index] }

    var real: String { "ws://127.0.0.1:\(port(0))" }
    var hostile: String { "ws://127.0.0.1:\(port(1))" }
    var secure: String { "wss://localhost:\(port(2))" }
}
