import Foundation
import Glibc
import Support
import Testing

/// Each of these is done to a running runner for real.
@Suite("Detections of rules, and their end")
struct DetectionTests {
    struct Surroundings: Sendable, CustomTestStringConvertible {
        let rule: String
        /// What the file says of it.
        var keys = ""
        let variables: [String: String]
        let words: String
        var testDescription: String { rule }
    }

    private static let library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"

    @Test(
        "a condition is detected at start, and not without it",
        arguments: [
            // Machines of tests may well have authorities of their own.
            Surroundings(
                rule: "proxy",
                keys: "authorities: []",
                variables: ["https_proxy": "http://127.0.0.1:1"],
                words: "https_proxy is set"
            ),
            Surroundings(
                rule: "proxy",
                keys: "authorities: []",
                variables: ["SSL_CERT_FILE": "/etc/hostname"],
                words: "the variable SSL_CERT_FILE is set"
            ),
            Surroundings(rule: "libraryInjection", variables: ["LD_PRELOAD": library], words: "LD_PRELOAD is set"),
            Surroundings(
                rule: "clock",
                variables: ["LD_PRELOAD": library, "FAKETIME": "+1d", "FAKETIME_DONT_FAKE_MONOTONIC": "1"],
                words: "differs from the kernel's"
            ),
        ]
    )
    func atStart(_ checkEnvironment: Surroundings) async throws {
        let file = RunningRunner.rules("\(checkEnvironment.rule): { \(checkEnvironment.keys) }")
        let clean = try await RunningRunner(file)
        #expect(try await clean.isClear(of: checkEnvironment.rule))
        try await clean.stop()
        let runner = try await RunningRunner(file, environment: checkEnvironment.variables)
        #expect(try await runner.detects(checkEnvironment.rule, checkEnvironment.words))
        try await runner.stop()
    }

    @Test("an open forbidden port is detected until it is closed")
    func port() async throws {
        let (descriptor, port) = try Self.listening()
        let runner = try await RunningRunner(RunningRunner.rules("openPorts: { ports: [\(port)], every: 1s }"))
        #expect(try await runner.detects("openPorts", "port \(port) is open"))
        close(descriptor)
        #expect(try await runner.isClear(of: "openPorts"))
        try await runner.stop()
    }

    private static func listening() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, size) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        try #require(isOpen)
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    @Test("a services file writable for others is detected until it is not")
    func writable() async throws {
        let runner = try await RunningRunner(RunningRunner.rules("writableFiles: { every: 1s }"))
        let path = runner.home.url.appendingPathComponent("com.example.tasks.yaml").path
        #expect(try await runner.isClear(of: "writableFiles"))
        #expect(unsafe chmod(path, 0o666) == 0)
        #expect(try await runner.detects("writableFiles", path))
        #expect(unsafe chmod(path, 0o600) == 0)
        #expect(try await runner.isClear(of: "writableFiles"))
        try await runner.stop()
    }

    @Test("an added certificate authority is detected until it is removed")
    func authority() async throws {
        let home = try TemporaryFolder()
        let path = home.url.appendingPathComponent("corporate.crt").path
        let runner = try await RunningRunner(
            RunningRunner.rules("proxy: { authorities: [\(home.url.path)/*.crt], every: 1s }"),
            in: home
        )
        #expect(try await runner.isClear(of: "proxy"))
        try home.write("-----BEGIN CERTIFICATE-----", to: "corporate.crt")
        #expect(try await runner.detects("proxy", "\(path) is a private certificate authority"))
        try FileManager.default.removeItem(atPath: path)
        #expect(try await runner.isClear(of: "proxy"))
        try await runner.stop()
    }

    @Test("a running tool is detected under any name until it ends", arguments: ["strace", "innocent"])
    func tool(name: String) async throws {
        let runner = try await RunningRunner(
            RunningRunner.rules("reverseEngineeringTools: { processes: [strace], programs: [], every: 1s }")
        )
        #expect(try await runner.isClear(of: "reverseEngineeringTools"))
        let copy = runner.home.url.appendingPathComponent(name)
        try FileManager.default.copyItem(at: URL(fileURLWithPath: "/usr/bin/strace"), to: copy)
        let prey = try StartedProgram.beside("/usr/bin/sleep", "1000")
        let tool = try StartedProgram.beside(copy.path, "-o", "/dev/null", "-p", "\(prey.id)")
        let words = name == "strace" ? "strace runs" : "strace runs as 'innocent'"
        #expect(try await runner.detects("reverseEngineeringTools", words))
        for program in [tool, prey] {
            program.signal(SIGTERM)
            try await program.end()
        }
        #expect(try await runner.isClear(of: "reverseEngineeringTools"))
        try await runner.stop()
    }

    @Test("a running frida server is detected by default until it ends")
    func server() async throws {
        let runner = try await RunningRunner(RunningRunner.rules("reverseEngineeringTools: { every: 1s }"))
        let copy = runner.home.url.appendingPathComponent("frida-server")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: "/usr/bin/sleep"), to: copy)
        let server = try StartedProgram.beside(copy.path, "1000")
        let words = "frida-server runs (process \(server.id))"
        #expect(try await runner.detects("reverseEngineeringTools", words))
        server.signal(SIGTERM)
        try await server.end()
        #expect(
            try await eventually {
                try await runner.evidence(of: "reverseEngineeringTools")?.contains(words) != true
            }
        )
        #expect(try await runner.stop() == 0)
    }

    @Test("a changed file is detected until it is restored")
    func integrity() async throws {
        let home = try TemporaryFolder()
        try home.write("as it was", to: "pinned")
        let path = home.url.appendingPathComponent("pinned").path
        let digest = try Program.run("sha256sum", [path]).output.prefix(64)
        let runner = try await RunningRunner(
            RunningRunner.rules("integrity: { files: [{ path: \(path), sha256: \(digest) }], every: 1s }"),
            in: home
        )
        #expect(try await runner.isClear(of: "integrity"))
        try home.write("as it is", to: "pinned")
        #expect(try await runner.detects("integrity", "\(path) has the SHA-256"))
        try home.write("as it was", to: "pinned")
        #expect(try await runner.isClear(of: "integrity"))
        try await runner.stop()
    }
}
