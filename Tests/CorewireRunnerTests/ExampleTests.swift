import Foundation
import Support
import Testing

@Suite("The example program that embeds services")
struct ExampleTests {
    @Test("the example starts, switches and stops, and prints only its own output")
    func runs() throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        let program = Program.buildFolder.appendingPathComponent("EmbeddingExample").path
        let run = try Program.run(
            program,
            ["mobile-services.yaml", "prod"],
            in: home.work,
            environment: home.environment
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.isEmpty, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        #expect(lines.first == "com.example.tasks runs in dev", "\(run.output)")
        #expect(lines.contains("  api is ready"))
        #expect(lines.contains("visits are not counted: 'mobile-services.yaml' has no section 'persistence'"))
        #expect(lines.contains("generation 2 runs in prod"))
        #expect(lines.contains("  generation.applied"))
        #expect(lines.last == "stopped")
    }

    @Test("the example counts visits per environment, and others read its values")
    func visits() throws {
        let home = try RunnerHome()
        try home.write(Services.file(more: "persistence: {}"))
        let program = Program.buildFolder.appendingPathComponent("EmbeddingExample").path
        func visit(_ environment: String) throws -> String {
            try Program.run(
                program,
                ["mobile-services.yaml", environment],
                in: home.work,
                environment: home.environment
            ).output
        }
        let first = try visit("prod")
        #expect(first.contains("visit 1 in dev\n") && first.contains("visit 1 in prod\n"), "\(first)")
        // The environment that was switched to is remembered, so both visits of this run are in prod.
        let second = try visit("prod")
        #expect(second.contains("visit 2 in prod\n") && second.contains("visit 3 in prod\n"), "\(second)")
        let runner = try FoundRunner(in: home, ["--env", "prod"])
        #expect(try runner.corewire("state", "get", "example", "visits").output == #"{"count":3}"#)
    }

    @Test(
        "the example signs in the user of the file, and prints no token",
        arguments: [("ada", "Ada is signed in"), ("eve", "Ask me.")]
    )
    func signIn(name: String, line: String) throws {
        let home = try RunnerHome()
        try home.write(
            """
            version: 1
            app: { id: com.example.tasks }
            environment: dev
            environments: { dev: { backend: embedded } }
            auth: { flow: password, username: \(name), password: "${env:WORD}", guidance: { blocked: Ask me. } }
            backends:
              issuer: { users: { ada: { name: Ada, password: wonder }, eve: { password: wonder, blocked: true } } }
            """
        )
        var environment = home.environment
        environment["WORD"] = "wonder"
        let run = try Program.run(
            Program.buildFolder.appendingPathComponent("EmbeddingExample").path,
            ["mobile-services.yaml", "--sign-in"],
            in: home.work,
            environment: environment
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(line), "\(run.everything)")
        #expect(!run.output.contains("eyJ"), "\(run.output)")
    }

    @Test("the example reports a rejected switch, and continues")
    func refused() throws {
        let home = try RunnerHome()
        try home.write(Services.file())
        let program = Program.buildFolder.appendingPathComponent("EmbeddingExample").path
        let run = try Program.run(
            program,
            ["mobile-services.yaml", "prd"],
            in: home.work,
            environment: home.environment
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output.contains("prd was refused: ") && run.output.contains("did you mean 'prod'?"),
            "\(run.output)"
        )
        #expect(!run.output.contains("generation 2") && run.output.hasSuffix("\nstopped\n"), "\(run.output)")
    }
}
