import Foundation

/// PostgreSQL with a cluster of its own; it ends with the last reference to it.
package final class PostgresServer: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of its Unix socket and its data.
    package let folder: String
    package let port: Int
    private let program = Running()

    /// Not a value type: the program changes when the server is started again.
    private final class Running: @unchecked Sendable {
        private let lock = NSLock()
        private var program: StartedProgram?

        var present: StartedProgram? {
            get { lock.withLock { program } }
            set { lock.withLock { program = newValue } }
        }
    }

    /// The newest version that is installed.
    private static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).compactMap { Int($0) }
        return versions.max().map { "\(root)/\($0)/bin" }
    }()

    /// Makes a cluster and starts its server; `settings` are lines of its file.
    ///
    /// The server refuses to run as root, and does then as another user, who must reach its folder.
    package init(_ settings: String = "", access: String? = nil) async throws {
        var template = Array("/tmp/corewire-pg-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failure(description: "no folder: \(errno)") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try Self.makeData("\(folder)/data")
        port = try Self.freePort()
        let lines = """
            listen_addresses = '127.0.0.1'
            port = \(port)
            unix_socket_directories = '\(folder)'
            shared_buffers = 16MB
            \(settings)

            """
        try Data(lines.utf8).write(to: URL(fileURLWithPath: "\(folder)/data/postgresql.auto.conf"))
        if let access { try Data("\(access)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/data/pg_hba.conf")) }
        try await start()
    }

    /// A copy of what 'initdb' made the first time, which takes less processor time than to run it again.
    private static func makeData(_ data: String) throws {
        let folder = (data as NSString).deletingLastPathComponent
        let options = ["-U", "owner", "-A", "trust", "-E", "UTF8", "-N", "--no-instructions"]
        // Other programs or other options make other data.
        let name = ([programs ?? ""] + options).joined().replacing("/", with: "-")
        let kept = Repository.root.appendingPathComponent(".build/postgres/\(name)").path
        let isKept = unsafe access(kept, R_OK) == 0
        if isKept { try copy(kept, to: data) }
        if geteuid() == 0 { try give(folder) }
        if isKept { return }
        try run("initdb", ["-D", data] + options)
        try FileManager.default.createDirectory(
            atPath: (kept as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        // Whole, or not there; where another process was first, its copy stays.
        let own = "\(kept).\(UUID().uuidString)"
        try copy(data, to: own)
        if unsafe rename(own, kept) != 0 { try FileManager.default.removeItem(atPath: own) }
    }

    private static func copy(_ data: String, to place: String) throws {
        let run = try Program.run("cp", ["-a", data, place])
        guard run.status == 0 else { throw Failure(description: run.everything) }
    }

    deinit {
        // At once, but not without freeing its shared memory.
        if let program = program.present {
            program.signal(SIGQUIT)
            _ = Self.hasEnded(program, within: 10_000)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Puts a file beside the data that only the server can read.
    package func write(_ text: String, to name: String) throws {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        _ = unsafe chmod(path, 0o600)
        if geteuid() == 0 { try Self.give(path) }
    }

    // MARK: Life

    package func start() async throws {
        let (name, arguments) = Self.command("postgres", ["-D", "\(folder)/data"])
        let log = "\(folder)/log"
        program.present = try StartedProgram(name, arguments, environment: [:], output: log, errors: log)
        let isReady = await eventually {
            if Self.succeeds("pg_isready", ["-q", "-h", folder, "-p", "\(port)"]) { return true }
            // Children of a killed server hold its memory for a moment.
            if let present = program.present, Self.hasEnded(present, within: 0) {
                program.present = try? StartedProgram(name, arguments, environment: [:], output: log, errors: log)
            }
            return false
        }
        guard isReady else {
            throw Failure(description: (try? String(contentsOfFile: log, encoding: .utf8)) ?? "no log")
        }
    }

    /// Kills the server as a power failure does.
    package func kill() {
        guard let program = program.present else { return }
        // Its children end when they miss it.
        program.signal(SIGKILL)
        self.program.present = nil
    }

    package func signal(_ number: Int32) { program.present?.signal(number) }

    private static func hasEnded(_ program: StartedProgram, within milliseconds: Int32) -> Bool {
        var end = pollfd(fd: program.gone, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&end, 1, milliseconds) > 0
    }

    // MARK: Asking

    /// Carries out SQL as the owner; returns the output, a line for each row.
    @discardableResult
    package func sql(_ text: String) throws -> String {
        let run = try Program.run("psql", question(text))
        guard run.status == 0 else { throw Failure(description: run.everything) }
        return run.output.trimmingCharacters(in: .newlines)
    }

    /// Starts a program that carries out SQL as the owner.
    package func start(_ text: String) throws -> StartedProgram {
        let output = "\(folder)/psql"
        return try StartedProgram("/usr/bin/psql", question(text), environment: [:], output: output, errors: output)
    }

    private func question(_ text: String) -> [String] {
        let options = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder, "-p", "\(port)", "-U", "owner"]
        return options + ["-d", "postgres", "-c", text]
    }

    /// Starts a program that stores all changes as a standby does, and confirms them while the server lets it.
    package func receiver() throws -> StartedProgram {
        let (name, arguments) = Self.command(
            "pg_receivewal",
            ["-D", folder, "-h", folder, "-p", "\(port)", "-U", "owner", "-w", "--synchronous"]
        )
        return try StartedProgram(name, arguments, environment: [:], output: "\(folder)/wal", errors: "\(folder)/wal")
    }

    // MARK: Programs

    private static func command(_ name: String, _ arguments: [String]) -> (String, [String]) {
        asItsUser("\(programs ?? "")/\(name)", arguments)
    }

    /// A program with its arguments, to be run as the user of servers.
    static func asItsUser(_ path: String, _ arguments: [String]) -> (String, [String]) {
        guard geteuid() == 0 else { return (path, arguments) }
        return ("/usr/bin/setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--", path] + arguments)
    }

    private static func run(_ name: String, _ arguments: [String]) throws {
        let (path, arguments) = command(name, arguments)
        let run = try Program.run(path, arguments, in: URL(fileURLWithPath: "/"))
        guard run.status == 0 else { throw Failure(description: run.everything) }
    }

    private static func succeeds(_ name: String, _ arguments: [String]) -> Bool {
        let (path, arguments) = command(name, arguments)
        return (try? Program.run(path, arguments, in: URL(fileURLWithPath: "/")))?.status == 0
    }

    private static func give(_ path: String) throws {
        let run = try Program.run("chown", ["-R", "postgres:postgres", path])
        guard run.status == 0 else { throw Failure(description: run.everything) }
    }

    static func freePort() throws -> Int {
        let script = "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])"
        let run = try Program.run("/usr/bin/python3", ["-c", script])
        guard let port = Int(run.output.dropLast()) else { throw Failure(description: run.everything) }
        return port
    }
}
