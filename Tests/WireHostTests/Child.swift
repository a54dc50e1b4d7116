import Foundation
import Support

/// A process that a test speaks with line by line while it runs.
final class Child {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    let errors = Pipe()
    private var pending = Data()

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nowhere"].merging(environment) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        // What it closes, a reader here must see closed.
        try output.fileHandleForWriting.close()
        try errors.fileHandleForWriting.close()
    }

    deinit {
        // Started from a thread of Dispatch's it has inherited a mask that blocks every signal but this.
        if process.isRunning { kill(number, SIGKILL) }
    }

    var number: Int32 { process.processIdentifier }

    /// The next line it prints; nil when it prints no more.
    func line() -> String? {
        while true {
            if let end = pending.firstIndex(of: 10) {
                defer { pending = Data(pending[pending.index(after: end)...]) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            // Never reached where all is well: a test that fails must end as well.
            var poll = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe Foundation.poll(&poll, 1, 60_000) > 0 else { return nil }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            pending += more
        }
    }

    func say(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for its end, and gives its exit status.
    func end() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}

enum Peer {
    static let probe = Program.buildFolder.appendingPathComponent("HostProbe").path

    /// The path of a script that plays another's part.
    static func script(_ name: String) -> String {
        Repository.root.appendingPathComponent("Tests/WireHostTests/Peers/\(name)").path
    }

    static let python = "/usr/bin/python3"
}
