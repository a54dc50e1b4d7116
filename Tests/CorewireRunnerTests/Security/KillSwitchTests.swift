import Foundation
import Support
import Testing

@Suite("Disabled versions and metrics of a runner")
struct KillSwitchTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks, version: 1.4.0 }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { flow: password, username: ada, password: wonder }
        backends: { issuer: { users: { ada: { password: wonder } } } }
        api: { socket: auto }
        security: { baseline: false, rules: { appVersion: { url: "https://security.example.com", action: block } } }
        metrics: { url: "https://metrics.example.com/metrics" }

        """

    @Test("a disabled version gets no token, and the user sees the message; after enabling, tokens are available again")
    func version() async throws {
        let runner = try await RunningRunner(Self.file)
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 0 })
        let off = try runner.corewire(["backends", "disable-version", "1.4.0", "--message", "Please update."])
        #expect(off.status == 0 && off.output.contains("Please update."))
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 77 })
        let refused = try runner.corewire(["auth", "token"])
        #expect(refused.errors.contains("the server has disabled version 1.4.0, with the message 'Please update.'"))
        #expect(refused.errors.contains("com.example.tasks.yaml:8:"))
        #expect(try runner.corewire(["backends", "versions"]).output.contains("1.4.0"))
        #expect(try runner.corewire(["backends", "enable-version", "1.4.0"]).status == 0)
        #expect(try await eventually { try runner.corewire(["auth", "token"]).status == 0 })
        #expect(try await runner.stop() == 0)
    }

    @Test("a runner that starts with a disabled version knows it")
    func restarted() async throws {
        let home = try TemporaryFolder()
        let first = try await RunningRunner(Self.file, in: home)
        #expect(try first.corewire(["backends", "disable-version", "1.4.0"]).status == 0)
        let isKnown = try await eventually {
            try first.corewire(["auth", "token"]).errors.contains("disabled version 1.4.0")
        }
        #expect(isKnown)
        #expect(try await first.stop() == 0)
        let second = try await RunningRunner(Self.file, in: home)
        #expect(
            try second.corewire(["auth", "token"]).errors.contains("disabled version 1.4.0, without a reason")
        )
        // Both starts were of the same install.
        let known = try await second.ask("GET", "/v1/backends/versions").text
        #expect(known.contains(#""numOfCurrentInstalls":1,"#), "\(known)")
        #expect(try await second.stop() == 0)
    }

    @Test(
        "clearing the environment or everything changes the client id in metrics, clearing the user or a restart does not"
    )
    func cleared() async throws {
        let home = try TemporaryFolder()
        let first = try await RunningRunner(Self.file, in: home)
        /// How many installs the server knows, once it has been asked again.
        func installs(_ runner: RunningRunner) async throws -> Int? {
            let looked = try runner.corewire(["security", "report", "--now"])
            #expect(looked.status == 0, "\(looked.everything)")
            let answer = try await runner.ask("GET", "/v1/backends/versions").body
            let versions = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any]
            let known = versions?["versions"] as? [[String: Any]]
            return known?.first?["numOfCurrentInstalls"] as? Int
        }
        func clear(_ runner: RunningRunner, _ words: String...) throws {
            let cleared = try runner.corewire(["clear"] + words)
            #expect(cleared.status == 0, "\(cleared.everything)")
        }
        #expect(try await installs(first) == 1)
        try clear(first, "user")
        #expect(try await installs(first) == 1)
        try clear(first, "environment", "--service", "security")
        #expect(try await installs(first) == 2)
        // Other rules are taken over by the same service; what it keeps is cleared as before.
        try home.write(Self.file.replacing("action: block", with: "action: report"), to: "com.example.tasks.yaml")
        let reloaded = try first.corewire(["reload"])
        #expect(reloaded.status == 0, "\(reloaded.everything)")
        #expect(try await installs(first) == 2)
        try clear(first, "all", "--service", "security")
        #expect(try await installs(first) == 3)
        #expect(try await first.stop() == 0)
        let second = try await RunningRunner(nil, in: home)
        #expect(try await installs(second) == 3)
        #expect(try await second.stop() == 0)
    }

    @Test("the embedded server receives metrics at start, and when rule results change")
    func metrics() async throws {
        let runner = try await RunningRunner(Self.file)
        func taken() throws -> [String] {
            try runner.corewire(["backends", "metrics"]).output.split(separator: "\n").map(String.init)
        }
        #expect(try await eventually { try taken().count >= 2 })
        let first = try taken()
        #expect(first.contains { $0.contains(#""type":"init""#) && $0.contains(#""appVersion":"1.4.0""#) })
        #expect(first.contains { $0.contains(#"{"id":"appVersion","name":"App Version Check","passed":false}"#) })
        let preview = try runner.corewire(["metrics", "preview"]).output.split(separator: "\n")
        #expect(preview.count == 2 && preview.allSatisfy { $0.hasPrefix(#"{"clientId":""#) })
        #expect(try runner.corewire(["backends", "disable-version", "1.4.0"]).status == 0)
        #expect(
            try await eventually {
                try taken().contains { $0.contains(#"{"id":"appVersion","name":"App Version Check","passed":true}"#) }
            }
        )
        #expect(try runner.corewire(["metrics", "send", "init"]).status == 0)
        #expect(try await eventually { try taken().count { $0.contains(#""type":"init""#) } == 2 })
        #expect(try await eventually { try runner.corewire(["metrics", "status"]).output.contains("sent") })
        #expect(try await runner.stop() == 0)
    }
}
