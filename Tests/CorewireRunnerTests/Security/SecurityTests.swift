import Foundation
import Support
import Testing

@Suite("Security rules of a runner")
struct SecurityTests {
    static func file(_ security: String) -> String {
        """
        version: 1
        app: { id: com.example.tasks, version: 1.0.0 }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { flow: password, username: ada, password: wonder }
        backends: { issuer: { users: { ada: { password: wonder } } } }
        api: { socket: auto }
        security: \(security)

        """
    }

    /// What a rule came to, told by the local API.
    private static func result(of rule: String, _ runner: RunningRunner) async throws -> [String: Any]? {
        let answer = try await runner.ask("GET", "/v1/security")
        let report = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return (report?["rules"] as? [[String: Any]])?.first { $0["id"] as? String == rule }
    }

    private static func becomes(_ result: String, _ rule: String, _ runner: RunningRunner) async throws -> Bool {
        try await eventually { try await Self.result(of: rule, runner)?["result"] as? String == result }
    }

    @Test("the initial state of a service is logged once")
    func loggedOnce() async throws {
        let runner = try await RunningRunner(Self.file("{ baseline: false, rules: {} }"))
        #expect(try await runner.stop() == 0)
        let records = runner.log.split(separator: "\n").filter { $0.contains(#""module":"security""#) }
        #expect(records.map { $0.contains(#""message":"ready""#) } == [true, false], "\(records)")
    }

    @Test("a tracer blocks tokens, with the line of the file, until it detaches")
    func tracer() async throws {
        let runner = try await RunningRunner(
            Self.file("{ baseline: false, rules: { debugger: { action: block, every: 1s } } }")
        )
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 0 })
        let strace = try StartedProgram(
            "/usr/bin/strace",
            ["-f", "-p", "\(runner.program.id)", "-o", "/dev/null"],
            environment: [:],
            output: "/dev/null",
            errors: "/dev/null"
        )
        #expect(try await Self.becomes("detected", "debugger", runner))
        // What follows from it comes after it is told.
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 77 })
        let refused = try runner.corewire(["auth", "token"])
        #expect(refused.status == 77)
        #expect(refused.errors.contains("strace (process \(strace.id)) traces this process"))
        #expect(refused.errors.contains("com.example.tasks.yaml:8:"))
        let status = try runner.corewire(["status"])
        #expect(status.output.contains("security.rules.debugger"))
        strace.signal(SIGTERM)
        try await strace.end()
        #expect(try await Self.becomes("clear", "debugger", runner))
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 0 })
        #expect(try await runner.stop() == 0)
    }

    @Test("a rule with the action stop prevents the start, and names its line")
    func refused() async throws {
        let home = try TemporaryFolder()
        try home.write("", to: "left-behind")
        let path = home.url.appendingPathComponent("left-behind").path
        let failure = await #expect(throws: RunningRunner.Failure.self) {
            let rules = "{ baseline: false, rules: { suspiciousFiles: { action: stop, paths: [\(path)] } } }"
            _ = try await RunningRunner(Self.file(rules), in: home)
        }
        #expect(failure?.description.contains("error: suspiciousFiles: \(path) is there") == true)
        #expect(failure?.description.contains("security.rules.suspiciousFiles") == true)
    }

    @Test("a later finding stops the runner, with the exit status for 'not permitted'")
    func stopped() async throws {
        let home = try TemporaryFolder()
        let path = home.url.appendingPathComponent("left-behind").path
        let rules = "{ baseline: false, rules: { suspiciousFiles: { action: stop, every: 1s, paths: [\(path)] } } }"
        let runner = try await RunningRunner(Self.file(rules), in: home)
        try home.write("", to: "left-behind")
        #expect(try await runner.program.end() == 77)
        #expect(runner.log.contains("error: suspiciousFiles: \(path) is there"))
    }

    @Test("a reload applies other rules, and unblocks what a removed rule had blocked")
    func reload() async throws {
        let home = try TemporaryFolder()
        try home.write("", to: "left-behind")
        let path = home.url.appendingPathComponent("left-behind").path
        let runner = try await RunningRunner(
            Self.file("{ baseline: false, rules: { suspiciousFiles: { action: block, paths: [\(path)] } } }"),
            in: home
        )
        #expect(try await Self.becomes("detected", "suspiciousFiles", runner))
        #expect(try runner.corewire(["auth", "token"]).errors.contains("this machine is not trusted"))
        #expect(
            try await runner.reload(
                Self.file("{ baseline: false, rules: { clock: {}, suspiciousFiles: { enabled: false } } }")
            ).status == 200
        )
        #expect(try await Self.becomes("clear", "clock", runner))
        #expect(try await Self.result(of: "suspiciousFiles", runner) == nil)
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 0 })
        #expect(try await runner.stop() == 0)
    }

    @Test("on a clean machine, the default rules find nothing and are conclusive")
    func baseline() async throws {
        let runner = try await RunningRunner(Self.file("{}"))
        let answer = try await runner.ask("GET", "/v1/security")
        let report = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let rules = try #require(report["rules"] as? [[String: Any]])
        #expect(rules.count >= 12)
        // What else runs on the machine of the tests is not theirs.
        for rule in rules where !["reverseEngineeringTools", "openPorts"].contains(rule["id"] as? String) {
            #expect(rule["result"] as? String == "clear", "\(rule)")
        }
        #expect((report["controls"] as? [Any])?.count == 24)
        #expect(try await runner.stop() == 0)
    }

    @Test("the report is available as text, JSON and SARIF; rules are explained")
    func report() async throws {
        let home = try TemporaryFolder()
        try home.write("", to: "left-behind")
        let path = home.url.appendingPathComponent("left-behind").path
        let allow = "allow: [{ what: \(path)*, reason: the probe of the tests }]"
        let runner = try await RunningRunner(
            Self.file(
                "{ baseline: false, rules: { clock: {}, suspiciousFiles: { severity: high, paths: [\(path), \(path)*], \(allow) } } }"
            ),
            in: home
        )
        let text = try runner.corewire(["security", "report", "--now"])
        #expect(text.status == 1)
        #expect(text.output.contains("suspiciousFiles  detected"))
        #expect(text.output.contains("\(path) is there; allowed: \(path) is there: the probe of the tests"))
        #expect(text.output.contains("MASVS-RESILIENCE-1"))
        #expect(!text.output.contains("MASVS-PLATFORM-2"))
        #expect(try runner.corewire(["security", "report", "--controls"]).output.contains("MASVS-PLATFORM-2"))
        let sarif = try runner.corewire(["security", "report", "--format", "sarif"])
        let log = try #require(try JSONSerialization.jsonObject(with: Data(sarif.output.utf8)) as? [String: Any])
        let results = try #require(((log["runs"] as? [[String: Any]])?.first?["results"]) as? [[String: Any]])
        #expect(results.map { $0["kind"] as? String } == ["fail", "pass"])
        #expect(results.map { $0["level"] as? String } == ["error", "none"])
        #expect(sarif.output.contains("\"startLine\": 8"))
        let explained = try Program.corewire(["explain", "debugger"])
        #expect(explained.status == 0)
        #expect(explained.output.contains("MASVS-RESILIENCE-4"))
        #expect(try await runner.stop() == 0)
    }

    @Test("no environment variable or file beside the program disables a rule")
    func environment() async throws {
        let home = try TemporaryFolder()
        let runner = try await RunningRunner(
            Self.file("{ rules: { libraryInjection: { allow: [LD_AUDIT] } } }"),
            in: home,
            environment: [
                "LD_DEBUG_OUTPUT": "/dev/null", "GCONV_PATH": "/nowhere", "COREWIRE_SECURITY": "off",
                "COREWIRE_BASELINE": "false",
            ]
        )
        let rule = try await Self.result(of: "libraryInjection", runner)
        #expect(rule?["result"] as? String == "detected")
        #expect(rule?["evidence"] as? [String] == ["the variable GCONV_PATH is set"])
        #expect(try await runner.stop() == 0)
    }
}
