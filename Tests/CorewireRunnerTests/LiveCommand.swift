import Foundation
import Glibc
import Support

/// A command that goes on, and whose lines are read as they come.
final class LiveCommand: @unchecked Sendable {
    private let process = Process()
    private let pipe = Pipe()
    private var rest = Data()

    convenience init(_ arguments: [String], in home: RunnerHome) throws {
        let variables = ["PATH": "/usr/bin:/bin", "HOME": home.folder.url.path, "LC_ALL": "C.UTF-8"]
        try self.init(arguments, in: home.work, environment: variables.merging(home.environment) { $1 })
    }

    init(_ arguments: [String], in folder: URL, environment: [String: String]) throws {
        process.executableURL = URL(fileURLWithPath: Program.corewire)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The next line; nil when there are no more.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0a) {
                defer { rest = Data(rest[rest.index(after: end)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            // Never reached where all is well: a test that fails must end as well.
            var poll = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe Glibc.poll(&poll, 1, 60_000) > 0 else { return nil }
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            rest += more
        }
    }

    /// Reads on to a line that holds a text.
    func line(holding text: String) -> String? {
        while let line = line() {
            if line.contains(text) { return line }
        }
        return nil
    }

    /// Ends it as Control-C does; how it ended.
    func interrupt() -> Process.TerminationReason {
        process.interrupt()
        process.waitUntilExit()
        return process.terminationReason
    }

    /// Reads no more, and waits until it has ended; its exit status.
    func hangUp() throws -> Int32 {
        try pipe.fileHandleForReading.close()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
