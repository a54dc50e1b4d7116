import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireTelemetry

@Suite("The log")
struct LogTests {
    private final class Memory: LogSink {
        let records = Mutex<[LogRecord]>([])
        func write(_ record: LogRecord) { records.withLock { $0.append(record) } }
        var messages: [String] { records.withLock { $0.map(\.message) } }
    }

    @Test("a message below the level is not even built")
    func levels() {
        let memory = Memory()
        let log = Log("store", to: memory, levels: LogLevels(usual: .warning, byModule: ["auth": .debug]))
        func costly() -> String {
            Issue.record("made")
            return ""
        }
        log.info(costly())
        log.warning("one")
        log.of("auth").debug("two")
        #expect(memory.messages == ["one", "two"])
    }

    @Test("a field without a value is omitted")
    func absent() {
        let memory = Memory()
        Log("store", to: memory).info("x", ["a": nil, "b": 1])
        #expect(memory.records.withLock { $0.first?.fields.map(\.name) } == ["b"])
    }

    @Test("a secret in a message is redacted")
    func canary() {
        let memory = Memory()
        let secret = Secret("kanarienvogel")
        Log("auth", to: memory).info("got \(secret)", ["s": .text("\(secret) \([secret])")])
        let record = memory.records.withLock { $0[0] }
        for form in LogFormTests.forms {
            let text = String(decoding: form.bytes(of: record, at: 0), as: UTF8.self)
            #expect(!text.contains("kanarienvogel") && text.contains("[redacted]"))
        }
    }

    @Test(
        "a secret as a field value does not compile",
        arguments: ["fits", "secret-as-value", "secret-as-text"]
    )
    func noSecret(file: String) throws {
        let modules = Program.buildFolder.appendingPathComponent("Modules").path
        let source = Repository.root.appendingPathComponent("Tests/WireTelemetryTests/Canaries/\(file).swift.txt").path
        let copy = try TemporaryFolder()
        try copy.write(Data(contentsOf: URL(fileURLWithPath: source)), to: "main.swift")
        // The name SwiftPM gives the package: that of its folder.
        let package = Repository.root.lastPathComponent.lowercased().replacing(/[^a-z0-9]/, with: "_")
        let compiler = ProcessInfo.processInfo.environment["SWIFT"].map { $0 + "c" } ?? "swiftc"
        let run = try Program.run(
            compiler,
            ["-typecheck", "-swift-version", "6", "-package-name", package, "-I", modules, "main.swift"],
            in: copy.url
        )
        #expect((run.status == 0) == (file == "fits"), "\(run.everything)")
        if file != "fits" {
            #expect(run.everything.contains("cannot convert value of type 'Secret<String>'"), "\(run.everything)")
        }
    }
}
