import Support
import Testing

/// A base URL that the file takes from where the runner is started (BY-14).
@Suite("Base URLs by reference")
struct BaseURLTests {
    private static func file(_ reference: String, environment: String = "dev") -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: \(environment)
        environments:
          dev: { baseUrl: "\(reference)" }
          local: { backend: embedded }
        baseUrl: "\(reference)"
        network: { retries: 0 }
        api: { socket: auto }

        """
    }

    @Test("requests go to the server of the variable, not to its default")
    func named() async throws {
        let (server, other) = try (AnswerServer(), AnswerServer())
        let runner = try await RunningRunner(
            Self.file("${env:TASKS_BASE:-http://127.0.0.1:\(other.port)}"),
            environment: ["TASKS_BASE": "http://127.0.0.1:\(server.port)/echo"]
        )
        other.end()
        let run = try runner.corewire(["request", "a"])
        #expect(run.status == 0 && run.output.contains(#""path": "/echo/a""#), "\(run.everything)")
        #expect(try await runner.stop() == 0)
    }

    @Test(
        "an unset variable is rejected by every command that needs it, with its line",
        arguments: ["run", "validate", "doctor"]
    )
    func unset(command: String) throws {
        let run = try Self.run(command, Self.file("${env:TASKS_BASE}"))
        #expect(run.status == (command == "run" ? 78 : 1), "\(run.everything)")
        #expect(run.everything.contains("the environment variable 'TASKS_BASE' is not set"), "\(run.everything)")
        #expect(run.everything.contains("mobile-services.yaml:5:"), "\(run.everything)")
    }

    @Test(
        "a variable that is not a base URL is rejected",
        arguments: ["tasks.example.com/api", "http://tasks.example.com"]
    )
    func nonsense(value: String) throws {
        for command in ["run", "validate", "doctor"] {
            let run = try Self.run(command, Self.file("${env:TASKS_BASE}"), ["TASKS_BASE": value])
            #expect(run.status == (command == "run" ? 78 : 1), "\(command): \(run.everything)")
            #expect(run.everything.contains("mobile-services.yaml:5:"), "\(command): \(run.everything)")
            #expect(run.everything.contains("baseUrl"), "\(command): \(run.everything)")
        }
    }

    @Test("an embedded environment has its own base URL, and needs no variable")
    func embedded() throws {
        let file = Self.file("${env:TASKS_BASE}", environment: "local")
        let run = try Self.run("validate", file)
        #expect(run.status == 0, "\(run.everything)")
    }

    private static func run(_ command: String, _ file: String, _ variables: [String: String] = [:]) throws -> Run {
        let home = try RunnerHome()
        try home.write(file)
        switch command {
        case "run": return try home.corewire("run", environment: variables)
        case "validate": return try home.corewire("validate-config", "--local", environment: variables)
        default: return try home.corewire("doctor", environment: variables)
        }
    }
}
