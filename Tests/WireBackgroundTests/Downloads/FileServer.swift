import Foundation
import Support
import Synchronization

/// A server of files on this machine that does to each request what its address asks for.
final class FileServer: Sendable {
    fileprivate struct State {
        var rest = Data()
        var lines: [String] = []
        var hasEnded = false
        var waiters: [(line: String, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    struct Silence: Error { let expected: String }

    private let process: Mutex<Process>
    private let input: Mutex<FileHandle>
    private let state: Seen
    private let marks = Mutex(0)
    let base: String

    fileprivate final class Seen: Sendable {
        let state = Mutex(State())
    }

    static func start() async throws -> FileServer {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("ranges.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["/usr/bin/python3", script.path]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        let seen = Seen()
        output.follow { seen.take($0) }
        try process.run()
        let ready = try await seen.line("ready ")
        return FileServer(process, input.fileHandleForWriting, seen, "http://127.0.0.1:\(ready.dropFirst(6))")
    }

    private init(_ process: Process, _ input: FileHandle, _ seen: Seen, _ base: String) {
        self.process = Mutex(process)
        self.input = Mutex(input)
        state = seen
        self.base = base
    }

    deinit {
        // A process started from a thread of Dispatch blocks every other signal.
        process.withLock { _ = kill($0.processIdentifier, SIGKILL) }
    }

    /// The address of a file with a script: an array of JSON objects, a step for each request and the last for the rest.
    func address(_ name: String, _ script: String = "[{}]") -> String {
        "\(base)/\(name)?script=\(Self.encoded(script))"
    }

    /// The same below the base URL.
    func path(_ name: String, _ script: String = "[{}]") -> String { "\(name)?script=\(Self.encoded(script))" }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// What was asked for a file so far: `range|if-range|authorization`, `-` for what was not sent.
    ///
    /// What the server says arrives later than its answers: a mark that it gives back comes behind all it has said.
    func questions(_ name: String) async throws -> [String] {
        let mark = marks.withLock { marks in
            marks += 1
            return "mark \(marks)."
        }
        try say(mark)
        _ = try await state.line(mark)
        return state.state.withLock { $0.lines }.filter { $0.hasPrefix("asked /\(name) ") }
            .map { String($0.dropFirst("asked /\(name) ".count)) }
    }

    func waits(at barrier: String) async throws { _ = try await state.line("waits \(barrier)") }

    func open(_ barrier: String) throws {
        try say("go \(barrier)")
    }

    private func say(_ line: String) throws {
        try input.withLock { try $0.write(contentsOf: Data("\(line)\n".utf8)) }
    }

    private static let made = Guarded<[String: Data]>([:])

    /// The bytes of a file, which are those of its seed; made once, for a program makes them.
    static func content(seed: Int = 1, size: Int = 300_000) throws -> Data {
        let name = "\(seed) \(size)"
        if let known = made.with({ $0[name] }) { return known }
        let folder = try TemporaryFolder()
        let program =
            "import random, sys; open(sys.argv[3], 'wb').write(random.Random(int(sys.argv[1])).randbytes(int(sys.argv[2])))"
        let path = folder.url.appendingPathComponent("content").path
        _ = try Program.run("/usr/bin/python3", ["-c", program, "\(seed)", "\(size)", path])
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        made.with { $0[name] = data }
        return data
    }
}

extension FileServer.Seen {
    fileprivate func take(_ data: Data) {
        let done = state.withLock { state -> [(CheckedContinuation<Bool, Never>, Bool)] in
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
        for (continuation, isSeen) in done { continuation.resume(returning: isSeen) }
    }

    fileprivate func line(_ beginning: String) async throws -> String {
        let isSeen = await withCheckedContinuation { continuation in
            let early: Bool? = state.withLock { state in
                if state.lines.contains(where: { $0.hasPrefix(beginning) }) { return true }
                if state.hasEnded { return false }
                state.waiters.append((beginning, continuation))
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
        guard isSeen, let line = state.withLock({ $0.lines.first { $0.hasPrefix(beginning) } }) else {
            throw FileServer.Silence(expected: beginning)
        }
        return line
    }
}
