import Foundation
import Support
import Testing

@Suite("The example of a program with services inside it")
struct ExampleTests {
    @Test("starts, switches and stops, and everything it prints is its own")
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
        #expect(lines.contains("generation 2 runs in prod"))
        #expect(lines.contains("  generation.applied"))
        #expect(lines.last == "stopped")
    }

    @Test("tells a switch that is refused, and goes on")
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
    }
}
