package import Foundation
import Synchronization

/// A runner beside a test, in folders of its own; ready when it is returned.
///
/// ```swift
/// let runner = try await RunningRunner("version: 1\napp: { id: com.example.tasks }\napi: {}\n")
/// let answer = try await runner.ask("GET", "/v1/status")
/// try await runner.stop()
/// ```
///
/// It ends with the test at the latest. Its data is in ``home``: a runner with the same folder finds it.
package final class RunningRunner: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The services file, the state, the socket and the log.
    package let home: TemporaryFolder
    package let app: String
    package let program: StartedProgram

    /// Writes a services file and starts the runner with it; returns when the runner is ready.
    ///
    /// Without a file the one in the folder is used; the app is the one in the file. Tests of starting may give
    /// another program, or arguments before the command.
    package init(
        _ file: String?,
        app: String = "com.example.tasks",
        in home: TemporaryFolder? = nil,
        program path: String? = nil,
        below words: [String] = [],
        arguments: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        let home = try home ?? TemporaryFolder()
        self.home = home
        self.app = app
        for name in ["state", "run", "cache"] {
            let url = home.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        if let file { try home.write(file, to: Self.fileName(app)) }
        let readiness = try Readiness(at: home.url.appendingPathComponent("\(app).notify").path)
        let command =
            words + [path ?? Program.buildFolder.appendingPathComponent("corewire-dev-runner").path]
            + ["run", "--config", home.url.appendingPathComponent(Self.fileName(app)).path] + arguments
        program = try StartedProgram(
            command[0],
            Array(command.dropFirst()),
            environment: Self.variables(home).merging(["NOTIFY_SOCKET": readiness.path]) { $1 }
                .merging(environment) { $1 },
            output: home.url.appendingPathComponent("\(app).out").path,
            errors: home.url.appendingPathComponent("\(app).log").path
        )
        let gone = program.gone
        let isReady = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: readiness.wait(or: gone)) }
        }
        guard isReady else { throw Failure(description: "it did not become ready:\n\(log)") }
    }

    private static func fileName(_ app: String) -> String { "\(app).yaml" }

    private static func variables(_ home: TemporaryFolder) -> [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
            "HOME": home.url.path, "XDG_STATE_HOME": home.url.appendingPathComponent("state").path,
            "XDG_RUNTIME_DIR": home.url.appendingPathComponent("run").path,
            "XDG_CACHE_HOME": home.url.appendingPathComponent("cache").path,
        ]
    }

    /// The log so far.
    package var log: String { (try? home.text(of: "\(app).log")) ?? "" }

    package var socket: String { home.url.appendingPathComponent("run/corewire/\(app)/api.sock").path }

    // MARK: Asking

    /// Connects to its socket and sends these bytes.
    package func connect(sending text: String) async throws -> RawClient {
        try await RawClient.connect(to: .unix(socket), sending: Array(text.utf8))
    }

    /// Sends a request over a connection of its own, and returns the whole response.
    package func ask(
        _ method: String,
        _ path: String,
        _ fields: [String] = [],
        body: [UInt8]? = nil
    ) async throws -> RawClient.Answer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in fields { head += "\(field)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        let bytes = Array((head + "\r\n").utf8) + (body ?? [])
        do {
            let client = try await RawClient.connect(to: .unix(socket), sending: bytes)
            let answer = try await client.answer(toHead: method == "HEAD")
            try await client.close()
            return answer
        } catch let failure as RawClient.Failure {
            throw Failure(description: "\(method) \(path): \(failure); its log ends with:\n\(log.suffix(4_000))")
        }
    }

    package func ask(_ method: String, _ path: String, _ fields: [String] = [], text: String) async throws
        -> RawClient.Answer
    {
        try await ask(method, path, fields, body: Array(text.utf8))
    }

    /// Runs a `corewire` command against this runner.
    package func corewire(_ arguments: [String], input: Data? = nil) throws -> Run {
        try Program.corewire(arguments + ["--socket", socket], input: input, environment: Self.variables(home))
    }

    // MARK: Changing

    /// Replaces the services file and reloads it; returns the runner's response.
    package func reload(_ file: String) async throws -> RawClient.Answer {
        try home.write(file, to: Self.fileName(app))
        return try await ask("POST", "/v1/reload", ["Content-Type: application/json"], text: "{}")
    }

    // MARK: Ending

    /// Stops it, and returns its exit status.
    @discardableResult
    package func stop() async throws -> Int32 {
        program.signal(SIGTERM)
        return try await program.end()
    }

    /// Kills it, as a power failure would: nothing more runs.
    package func kill() async throws {
        program.signal(SIGKILL)
        try await program.end()
    }
}

/// The readiness socket of a service manager.
private final class Readiness: Sendable {
    let path: String
    private let descriptor: Int32

    init(at path: String) throws {
        self.path = path
        unsafe unlink(path)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < 108 else { throw RunningRunner.Failure(description: "\(path) is too long") }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
            for (index, byte) in path.utf8.enumerated() { unsafe field[index] = byte }
        }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw RunningRunner.Failure(description: "bind: \(errno)") }
    }

    deinit { close(descriptor) }

    /// Whether it becomes ready; false once it has ended, or after a minute.
    func wait(or gone: Int32) -> Bool {
        while true {
            var polls = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: gone, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&polls, 2, 60_000) > 0 else { return false }
            guard polls[0].revents != 0 else { return false }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
            if lines.contains("READY=1") { return true }
        }
    }
}

extension RunningRunner {
    /// Opens a stream of events; connected when this returns.
    package func watch(_ path: String, after id: String? = nil) async throws -> EventReader {
        let last = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let head = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(last)\r\n"
        let client = try await connect(sending: head)
        let answer = try await client.head()
        guard answer.status == 200, answer["Content-Type"] == "text/event-stream" else {
            throw Failure(description: "no stream: \(answer)")
        }
        return EventReader(client)
    }
}
