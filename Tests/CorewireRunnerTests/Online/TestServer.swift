import Foundation
import Support
import Synchronization
import Testing

/// An identity server that is right or wrong as a test tells it; it ends with the last reference to it.
final class TestServer: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    private let process: Mutex<Process>
    private let input: FileHandle

    /// Behaviour is JSON, as `server.py` reads it; without a certificate it speaks HTTP.
    init(_ behaviour: String = "{}", certificate: String? = nil) throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "log")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("server.py")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            script.path, folder.url.appendingPathComponent("log").path, certificate ?? "-", behaviour,
        ]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        self.input = input.fileHandleForWriting
        var line = ""
        while !line.hasSuffix("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            line += String(decoding: data, as: UTF8.self)
        }
        port = try #require(Int(line.dropFirst("ready ".count).dropLast()))
        self.process = Mutex(process)
    }

    deinit {
        // A process started from a thread of Dispatch blocks every other signal.
        process.withLock { _ = kill($0.processIdentifier, SIGKILL) }
    }

    /// Everything it was asked, with the fields of each request.
    var log: String { get throws { try folder.text(of: "log") } }

    /// The first lines of what it was asked, without queries, sorted.
    var questions: [String] {
        get throws {
            try log.split(separator: "\n").filter {
                $0.hasPrefix("GET /") || $0.hasPrefix("HEAD /") || $0.hasPrefix("P")
            }
            .map { String($0.prefix { $0 != "?" }) }.sorted()
        }
    }
}

/// A services file about a test server, checked by the built program.
struct OnlineCheckup {
    let folder: TemporaryFolder

    /// `BASE` and `PORT` stand for the server's.
    init(_ text: String, base: String, port: Int) throws {
        folder = try TemporaryFolder()
        let text = text.replacingOccurrences(of: "BASE", with: base).replacingOccurrences(of: "PORT", with: "\(port)")
        try folder.write(text, to: "a.yaml")
    }

    func run(_ more: String..., environment: [String: String] = [:]) throws -> Run {
        try Program.corewire(
            ["validate-config", "a.yaml", "--online"] + more,
            in: folder.url,
            environment: environment
        )
    }

    /// What does not change from one run to the next.
    static func settled(_ text: String, port: Int, pin: String? = nil) -> String {
        var text = text.replacingOccurrences(of: "\(port)", with: "50000")
        if let pin { text = text.replacingOccurrences(of: pin, with: "THE-SERVED-KEY") }
        for (pattern, word) in [
            ("[0-9]{4}-[0-9]{2}-[0-9]{2}", "YEAR-MM-DD"), ("in [0-9]+ days", "in some days"),
            ("OpenSSL/[0-9.]+", "OpenSSL/VERSION"),
            ("is [0-9]{4,} seconds", "is many seconds"),
        ] {
            text = text.replacingOccurrences(of: pattern, with: word, options: .regularExpression)
        }
        return text
    }

    /// Holds a text against the file of its name, or writes that file where `RECORD_GOLDEN` says so.
    static func expect(_ text: String, is name: String) throws {
        let path = "Tests/CorewireRunnerTests/Online/Golden/\(name).txt"
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil {
            try Data(text.utf8).write(to: Repository.root.appendingPathComponent(path))
        }
        #expect(text == (try? Repository.text(of: path)), "\(name)")
    }
}
