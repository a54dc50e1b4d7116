import Foundation
import Support
import Testing
import WireConfig

@Suite("Waiting commands print what they wait for, and messages name the remedy", .timeLimit(.minutes(2)))
struct WaitingCommandTests {
    private static let json = ["Content-Type: application/json", "X-Corewire: 1"]

    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        allow: { secret-in-clear: "this user exists in a test alone" }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: { lock: { after: 10m, method: pin } }
        network: {}
        backends: { issuer: { users: { ada: { password: wonder } } } }
        background: { tasks: { t1: { needs: [user], exec: [/bin/true] } } }
        notifications:
          permission: ask
          handlers: { show: { on: presentable, present: [list], buttons: [take] } }
          buttons: { take: { label: I take it, post: inbox } }
        api: { socket: auto }

        """

    /// Starts a command beside the test; what it prints lies in `NAME.out` and `NAME.err`.
    private static func start(_ name: String, _ words: [String], _ runner: RunningRunner) throws -> StartedProgram {
        try StartedProgram(
            Program.corewire,
            words + ["--socket", runner.socket],
            environment: ["PATH": "/usr/bin:/bin", "HOME": runner.home.url.path, "LC_ALL": "C.UTF-8"],
            output: runner.home.url.appendingPathComponent("\(name).out").path,
            errors: runner.home.url.appendingPathComponent("\(name).err").path
        )
    }

    @Test("a waiting run prints its missing condition once, and continues when it is met")
    func task() async throws {
        let runner = try await RunningRunner(Self.file)
        let command = try Self.start("run", ["tasks", "run", "t1", "--wait"], runner)
        #expect(await eventually { (try? runner.home.text(of: "run.err")) == "waits for user\n" })
        try await runner.signIn(as: "ada", "wonder")
        #expect(try await command.end() == 0)
        #expect(try runner.home.text(of: "run.out") == "done\n")
        #expect(try runner.home.text(of: "run.err") == "waits for user\n")
        #expect(try await runner.stop() == 0)
    }

    @Test("a waiting notification prints its missing condition once, and continues when it is met")
    func notification() async throws {
        let runner = try await RunningRunner(Self.file)
        let command = try Self.start("send", ["notifications", "send", "Bed 7", "--id", "n1", "--wait"], runner)
        let said = "waits: the notification permission is not decided\n"
        #expect(await eventually { (try? runner.home.text(of: "send.err")) == said })
        #expect(try runner.corewire(["notifications", "permission", "granted"]).status == 0)
        #expect(try await command.end() == 0)
        #expect(try runner.home.text(of: "send.out").hasPrefix("n1  done"))
        #expect(try runner.home.text(of: "send.err") == said)

        let none = try runner.corewire(["notifications", "tap", "n1", "nope"])
        let reason = "error: unknown button 'nope' of 'n1', expected 'take'"
        #expect(none.status == 1 && none.errors.contains(reason), "\(none.everything)")
        #expect(try await runner.stop() == 0)
    }

    @Test("a forced run starts although an unforced request waits")
    func force() async throws {
        let runner = try await RunningRunner(Self.file)
        func task() async throws -> JSONValue {
            try JSONValue(parsing: try await runner.ask("GET", "/v1/tasks/t1").body, named: "task")
        }
        #expect(try await runner.ask("POST", "/v1/tasks/t1/run", Self.json, text: "{}").status == 202)
        #expect(try await task()["state"]?.string == "waiting")
        #expect(try await runner.ask("POST", "/v1/tasks/t1/run", Self.json, text: #"{"force":true}"#).status == 202)
        #expect(try await eventually { try await task()["last"]?["outcome"]?.string == "succeeded" })
        #expect(try await runner.stop() == 0)
    }

    @Test("a rejection by the lock names the command that unlocks, and the line of the lock")
    func lock() async throws {
        let runner = try await RunningRunner(Self.file)
        try await runner.signIn(as: "ada", "wonder")
        let unset = try runner.corewire(["auth", "lock"])
        let advice = "set a PIN with 'corewire auth lock --set-pin', or lock with a PIN"
        #expect(unset.status == 1 && unset.errors == "error: no PIN is set; \(advice)\n", "\(unset.everything)")
        let open = "signed in\nthe session does not lock: no PIN is set; run 'corewire auth lock --set-pin'\n"
        #expect(try runner.corewire(["auth", "status"]).output == open)
        #expect(try runner.corewire(["auth", "lock", "--set-pin"], input: Data("1234\n".utf8)).status == 0)
        let token = try runner.corewire(["auth", "token"])
        #expect(token.status == 77 && token.errors.contains("Unlock it with the PIN"), "\(token.everything)")
        #expect(token.errors.contains("corewire auth unlock"), "\(token.everything)")
        let call = try await runner.ask("GET", "/v1/network/echo/x", ["X-Corewire: 1"])
        let problem = try JSONValue(parsing: call.body, named: "problem")
        #expect(call.status == 423 && problem["config"]?["path"]?.string == "auth.lock", "\(call.text)")
        #expect(token.errors.contains("com.example.tasks.yaml:6:"), "\(token.everything)")
        #expect(try runner.corewire(["auth", "unlock"], input: Data("1234\n".utf8)).status == 0)
        try await runner.signOut()
        let nobody = try await runner.ask("GET", "/v1/network/echo/x", ["X-Corewire: 1"])
        #expect(nobody.status == 401 && !nobody.text.contains("backends"), "\(nobody.text)")
        #expect(try await runner.stop() == 0)
    }
}
