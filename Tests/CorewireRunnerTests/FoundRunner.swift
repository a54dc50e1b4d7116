import Foundation
import Glibc
import Support

/// The folders the runner lives in; those who come after it in the same ones see what it left.
struct RunnerHome: Sendable {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(short: true)
        for name in ["s", "r", "c", "w"] {
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent(name),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
    }

    /// The folder of the services file, where programs are started.
    var work: URL { folder.url.appendingPathComponent("w") }

    /// What tells programs to use these folders.
    var environment: [String: String] {
        [
            "XDG_STATE_HOME": folder.url.appendingPathComponent("s").path,
            "XDG_RUNTIME_DIR": folder.url.appendingPathComponent("r").path,
            "XDG_CACHE_HOME": folder.url.appendingPathComponent("c").path,
        ]
    }

    func socket(of app: String = "com.example.tasks") -> String {
        folder.url.appendingPathComponent("r/corewire/\(app)/api.sock").path
    }

    func write(_ text: String, to name: String = "mobile-services.yaml") throws {
        try folder.write(text, to: "w/\(name)")
    }

    /// Runs corewire here.
    func corewire(_ arguments: String..., environment more: [String: String] = [:]) throws -> Run {
        try Program.corewire(arguments, in: work, environment: environment.merging(more) { $1 })
    }
}

/// A runner that commands find by themselves, by the services file and the folders of its host; it goes when the test does.
final class FoundRunner: @unchecked Sendable {
    /// Why a runner never became ready.
    struct NotReady: Error, CustomStringConvertible {
        /// What it wrote.
        let description: String
    }

    let home: RunnerHome
    private let process = Process()
    private let log: URL

    /// Starts a runner, and returns when it has told its service manager that it is ready.
    init(in home: RunnerHome, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        self.home = home
        log = home.folder.url.appendingPathComponent("log")
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let output = try FileHandle(forWritingTo: log)
        try output.seekToEnd()
        let manager = try NotifySocket(at: home.folder.url.appendingPathComponent("notify").path)
        process.executableURL = URL(fileURLWithPath: Program.corewire)
        process.arguments = ["run"] + arguments
        process.currentDirectoryURL = home.work
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": home.folder.url.path, "LC_ALL": "C.UTF-8",
            "NOTIFY_SOCKET": manager.path,
        ].merging(home.environment) { $1 }.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        while true {
            let message = manager.next()
            if message?.split(separator: "\n").contains("READY=1") ?? false { return }
            // A second passes without a word only where nothing happens; a runner that has ended will say nothing.
            if message == nil, !process.isRunning { throw NotReady(description: logged) }
        }
    }

    deinit { kill() }

    /// The process, for signals.
    var id: Int32 { process.processIdentifier }

    /// All it wrote so far.
    var logged: String { String(decoding: (try? Data(contentsOf: log)) ?? Data(), as: UTF8.self) }

    /// Asks it to end, and waits until it has; its exit status.
    @discardableResult
    func stop() -> Int32 {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Ends it as a lost power supply would.
    func kill() {
        guard process.isRunning else { return }
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Runs corewire beside it.
    func corewire(_ arguments: String..., environment more: [String: String] = [:]) throws -> Run {
        try Program.corewire(arguments, in: home.work, environment: home.environment.merging(more) { $1 })
    }
}
