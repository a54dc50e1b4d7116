import Foundation
import Support
import Testing

@Suite("Sockets from the service manager", .enabled(if: Program.isInstalled("python3")))
struct ActivationTests {
    private let home: RunnerHome

    init() throws {
        home = try RunnerHome()
    }

    private func path(_ name: String) -> String { home.folder.url.appendingPathComponent(name).path }

    /// What becomes a runner with these sockets.
    private func words(_ sockets: [String]) -> [String] {
        let script = Repository.root.appendingPathComponent("Tests/CorewireRunnerTests/Activation/activate.py").path
        return [script, path("port")] + sockets
            + [
                "--", Program.corewire, "run", "--config",
                home.work.appendingPathComponent("mobile-services.yaml").path,
            ]
    }

    private func start(_ sockets: [String], _ environment: [String: String] = [:]) throws -> StartedProgram {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try StartedProgram(
            "/usr/bin/env",
            ["/usr/bin/python3"] + words(sockets),
            environment: ["PATH": path, "HOME": home.folder.url.path].merging(home.environment) { $1 }
                .merging(environment) { $1 },
            output: self.path("out"),
            errors: self.path("log")
        )
    }

    /// Asks over a socket that may not stand yet.
    private func ask(_ socket: String, _ path: String) throws -> String {
        while true {
            let run = try Program.run("curl", ["-s", "-i", "--unix-socket", socket, "http://localhost\(path)"])
            if run.status == 0 { return run.output }
            guard run.status == 7 else { throw FoundRunner.NotReady(description: run.everything) }
        }
    }

    @Test("inherited sockets replace those of the file: the Unix socket, and the TCP address with tokens and console")
    func inPlace() async throws {
        try home.write(Services.file(api: "{ socket: auto, listen: \"127.0.0.1:0\" }"))
        let given = path("given.sock")
        let program = try start([given, "127.0.0.1"])
        #expect(try ask(given, "/v1/status").contains("\"ready\":true"))
        #expect(!FileManager.default.fileExists(atPath: home.socket()), "the file's own is not opened")
        let origin = "http://127.0.0.1:\(try home.folder.text(of: "port"))"
        #expect(try Program.run("curl", ["-s", "\(origin)/livez"]).output == "ok")
        let token = try home.folder.text(of: "r/corewire/com.example.tasks/api-token").trimmingCharacters(in: .newlines)
        let status = try Program.run("curl", ["-s", "-H", "Authorization: Bearer \(token)", "\(origin)/v1/status"])
        #expect(status.output.contains("\"ready\":true"), "\(status.everything)")
        let link = try home.corewire("console", "--socket", given)
        #expect(link.output.hasPrefix("\(origin)/#key="), "\(link.everything)")
        // A reload keeps them, and what they are bound to.
        try home.write(Services.file(retries: 3, api: "{ socket: auto, listen: \"localhost:0\" }"))
        #expect(try home.corewire("reload", "--socket", given).output.hasPrefix("generation 2 runs"))
        #expect(try Program.run("curl", ["-s", "\(origin)/livez"]).output == "ok")
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
        #expect(FileManager.default.fileExists(atPath: given), "it is the manager's to remove")
    }

    @Test("the watchdog ping checks the inherited sockets")
    func watchdog() async throws {
        try home.write(Services.file())
        let given = path("given.sock")
        let manager = try NotifySocket(at: path("notify"))
        let program = try start([given], ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
        // More than come before one that is withheld would be due.
        var (pings, silent) = (0, 0)
        while pings < 10, silent < 60 {
            if let message = manager.next() { pings += message.contains("WATCHDOG=1") ? 1 : 0 } else { silent += 1 }
        }
        #expect(pings == 10)
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
        // Other runners of the same store have pulses of their own.
        let found = try Program.run("grep", ["-rl", "pulse", home.folder.url.appendingPathComponent("s").path])
        #expect(found.output.isEmpty, "\(found.output)")
    }

    @Test(
        "a mismatch with the file's sockets is rejected with its line",
        arguments: [
            ("{ socket: \"/nowhere/api.sock\" }", ["/given"], "api: the service manager passed the socket '", ":8:16"),
            ("{ socket: off, listen: \"127.0.0.1:0\" }", ["/given"], ", expected none", ":8:16"),
            ("{ socket: auto }", ["127.0.0.1"], ", and the file sets no address", ":8"),
            ("{ listen: \"127.0.0.1:1\" }", ["127.0.0.1"], ", expected 127.0.0.1:1", ":8:16"),
            ("{ listen: \"127.0.0.1:0\" }", ["0.0.0.0"], "passed a socket at 0.0.0.0:", ":8:16"),
            ("{ listen: \"localhost:0\" }", ["0.0.0.0"], ", expected localhost:0", ":8:16"),
            ("{ socket: auto }", ["datagram"], "is not a Unix or TCP socket", ":8"),
        ]
    )
    func refused(api: String, sockets: [String], reason: String, place: String) throws {
        try home.write(Services.file(api: api))
        let sockets = sockets.map { $0 == "/given" ? path("given.sock") : $0 }
        let run = try Program.run("/usr/bin/python3", words(sockets), in: home.work, environment: home.environment)
        #expect(run.status == 69, "\(run.everything)")
        #expect(run.errors.contains(reason), "\(run.errors)")
        #expect(run.errors.contains("mobile-services.yaml\(place)"), "\(run.errors)")
    }

    @Test("inherited sockets are rejected if the file has no local API, at start and at reload")
    func unheard() async throws {
        let given = path("given.sock")
        let file = "version: 1\napp: { id: com.example.tasks }\npersistence: {}\napi: false\n"
        let reason =
            "this program was given a socket, and the file says 'api: false': remove 'api: false', or start it without"
        try home.write(file)
        let run = try Program.run("/usr/bin/python3", words([given]), in: home.work, environment: home.environment)
        #expect(run.status == 78, "\(run.everything)")
        #expect(run.errors.contains(reason), "\(run.errors)")
        try FileManager.default.removeItem(atPath: given)
        try home.write(file.replacing("api: false", with: "api: {}"))
        let program = try start([given])
        #expect(try ask(given, "/v1/status").contains("\"ready\":true"))
        try home.write(file)
        let reload = try home.corewire("reload", "--socket", given)
        #expect(reload.status != 0 && reload.everything.contains(reason), "\(reload.everything)")
        #expect(try ask(given, "/v1/status").contains("\"ready\":true"))
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
    }
}
