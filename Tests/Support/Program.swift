package import Foundation
import Synchronization

/// The result of a program.
package struct Run {
    package let status: Int32
    package let output: String
    package let errors: String

    /// Its standard output and standard error.
    package var everything: String { output + errors }
}

/// Runs the built program, or another one.
package enum Program {
    /// The folder with the built tests and programs.
    package static let buildFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
    package static let corewire = buildFolder.appendingPathComponent("corewire").path

    /// Runs corewire with only PATH of the caller's environment.
    package static func corewire(
        _ arguments: [String],
        in folder: URL = Repository.root,
        input: Data? = nil,
        environment: [String: String] = [:]
    ) throws -> Run {
        try run(corewire, arguments, in: folder, input: input, environment: environment)
    }

    package static func run(
        _ program: String,
        _ arguments: [String],
        in folder: URL = Repository.root,
        input: Data? = nil,
        environment: [String: String] = [:]
    ) throws -> Run {
        let scratch = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program.contains("/") ? program : "/usr/bin/env")
        process.arguments = program.contains("/") ? arguments : [program] + arguments
        process.currentDirectoryURL = folder
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.environment = ["PATH": path, "HOME": scratch.url.path, "LC_ALL": "C.UTF-8"].merging(environment) { $1 }
        // Files instead of pipes, so that nothing needs draining while the program runs.
        let files = try ["input", "output", "errors"].map { name in
            let url = scratch.url.appendingPathComponent(name)
            try (name == "input" ? input ?? Data() : Data()).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        (process.standardInput, process.standardOutput, process.standardError) = (files[0], files[1], files[2])
        try process.run()
        process.waitUntilExit()
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: scratch.url.appendingPathComponent(name)), as: UTF8.self)
        }
        return Run(status: process.terminationStatus, output: try text("output"), errors: try text("errors"))
    }

    /// Whether a program is installed.
    package static func isInstalled(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    /// Whether a command succeeds here: in containers root may lack permissions.
    package static func succeeds(_ program: String, _ arguments: String...) -> Bool {
        (try? run(program, arguments))?.status == 0
    }
}

/// A folder that is removed with the test that made it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// The folders left at the end of the program: what a test has left running may hold its folder.
    private static let present = Mutex<Set<String>>([])
    private static let removesAll: Void = {
        _ = atexit { for path in TemporaryFolder.present.withLock({ $0 }) { TemporaryFolder.remove(path) } }
    }()

    private static func remove(_ path: String) {
        // A store that is closing may still write a file into the folder.
        for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// A short name leaves room for socket paths.
    package init(short: Bool = false) throws {
        let name = short ? "cw-\(UUID().uuidString.prefix(8))" : "corewire-\(UUID().uuidString)"
        url = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        _ = Self.removesAll
        let path = url.path
        _ = Self.present.withLock { $0.insert(path) }
    }

    /// Removed now and again at exit: a program that ends meanwhile may recreate its folders.
    deinit { Self.remove(url.path) }

    /// Writes a file into the folder, and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    @discardableResult
    package func write(_ data: Data, to name: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return name
    }

    package func text(of name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }
}
