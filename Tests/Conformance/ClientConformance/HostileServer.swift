import Foundation
import Support
import Synchronization

/// A server with every kind of wrong response, which reports what it receives.
package final class HostileServer: Sendable {
    private struct State {
        var lines: [String] = []
        var rest = Data()
        var hasEnded = false
        var waiters: [(line: String, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private final class Events: Sendable {
        let state = Mutex(State())
    }

    private let folder: TemporaryFolder
    private let events = Events()
    private let process: Mutex<Process>
    private let input: Mutex<FileHandle>
    private let marks = Mutex(0)
    package let socket: String
    /// `http://127.0.0.1:port`.
    package let base: String
    package let proxy: String
    /// A port that accepts connections and sends nothing.
    package let mutePort: Int
    /// The TLS port, where there is a certificate.
    package let securePort: Int?

    /// Starts a server; a certificate is a PEM file with its key.
    package static func start(certificate: String? = nil) async throws -> HostileServer {
        let folder = try TemporaryFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("hostile.py")
        let socket = folder.url.appendingPathComponent("socket").path
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["/usr/bin/python3", script.path, socket] + (certificate.map { [$0] } ?? [])
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        return try await HostileServer(folder, process, input, output, socket)
    }

    private init(_ folder: TemporaryFolder, _ process: Process, _ input: Pipe, _ output: Pipe, _ socket: String)
        async throws
    {
        (self.folder, self.socket) = (folder, socket)
        self.input = Mutex(input.fileHandleForWriting)
        let events = events
        output.follow { Self.take($0, events) }
        try process.run()
        self.process = Mutex(process)
        let ready = try await Self.line(beginning: "ready ", of: events)
        let ports = ready.split(separator: " ").dropFirst().compactMap { Int($0) }
        base = "http://127.0.0.1:\(ports[0])"
        proxy = "http://127.0.0.1:\(ports[1])"
        mutePort = ports[2]
        securePort = ports.count > 3 ? ports[3] : nil
    }

    deinit {
        // A process started from a thread of Dispatch blocks every other signal.
        process.withLock { _ = kill($0.processIdentifier, SIGKILL) }
    }

    private static func take(_ data: Data, _ events: Events) {
        let resumed = events.state.withLock { state -> [(CheckedContinuation<Bool, Never>, Bool)] in
            state.rest += data
            state.hasEnded = data.isEmpty
            while let end = state.rest.firstIndex(of: 0x0a) {
                state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
                state.rest = Data(state.rest[state.rest.index(after: end)...])
            }
            let (lines, hasEnded) = (state.lines, state.hasEnded)
            func isDone(_ waiter: (line: String, continuation: CheckedContinuation<Bool, Never>)) -> Bool {
                hasEnded || lines.contains { $0.hasPrefix(waiter.line) }
            }
            let done = state.waiters.filter(isDone)
            state.waiters.removeAll(where: isDone)
            return done.map { ($0.continuation, !hasEnded) }
        }
        for (continuation, isSeen) in resumed { continuation.resume(returning: isSeen) }
    }

    /// Waits until the server has printed a line with this beginning.
    @discardableResult
    package func event(_ beginning: String) async throws -> String {
        try await Self.line(beginning: beginning, of: events)
    }

    private static func line(beginning: String, of events: Events) async throws -> String {
        let isSeen = await withCheckedContinuation { continuation in
            let early: Bool? = events.state.withLock { state in
                if state.lines.contains(where: { $0.hasPrefix(beginning) }) { return true }
                if state.hasEnded { return false }
                state.waiters.append((beginning, continuation))
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
        guard isSeen, let line = events.state.withLock({ $0.lines.first { $0.hasPrefix(beginning) } }) else {
            throw Silence(expected: beginning)
        }
        return line
    }

    /// The lines with this beginning so far; the server prints them shortly after its responses.
    package func events(_ beginning: String) async throws -> [String] {
        let number = marks.withLock { number in
            number += 1
            return number
        }
        try say("mark \(number).")
        try await event("mark \(number).")
        return events.state.withLock { $0.lines.filter { $0.hasPrefix(beginning) } }
    }

    /// Opens a gate.
    package func open(_ barrier: String) throws {
        try say("go \(barrier)")
    }

    private func say(_ line: String) throws {
        try input.withLock { try $0.write(contentsOf: Data("\(line)\n".utf8)) }
    }

    package struct Silence: Error {
        let expected: String
    }
}
