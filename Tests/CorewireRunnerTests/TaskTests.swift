import Foundation
import Support
import Testing

@Suite("Tasks of a running runner")
struct TaskTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        background:
          tasks:
            touch: { exec: [/bin/sh, -c, 'echo "$COREWIRE_TASK $COREWIRE_ENV" >> touched'] }
            fail: { exec: [/bin/false], attempts: 1 }
            slow: { exec: [/bin/sleep, '600'] }
        api: { socket: auto }

        """

    @Test("a program that is asked for is run as the file says, and the command line tells how it ended")
    func commandLine() async throws {
        let runner = try await RunningRunner(Self.file)
        let run = try Program.corewire(["tasks", "run", "touch", "--wait", "--socket", runner.socket])
        #expect(run.output == "done\n")
        #expect(run.status == 0)
        #expect(try runner.home.text(of: "touched") == "touch dev\n")
        let failed = try Program.corewire(["tasks", "run", "fail", "--wait", "--socket", runner.socket])
        #expect(failed.output == "failed: '/bin/false' exited with 1\n")
        #expect(failed.status == 1)
        let list = try Program.corewire(["tasks", "list", "--socket", runner.socket])
        #expect(list.output.contains("succeeded"))
        #expect(try Program.corewire(["tasks", "run", "none", "--socket", runner.socket]).status == 1)
        #expect(try await runner.stop() == 0)
    }

    @Test("the end of the runner ends what runs, and does not wait for it; it is done again at the next start")
    func ends() async throws {
        let runner = try await RunningRunner(Self.file, arguments: ["--drain", "100ms"])
        #expect(try await runner.ask("POST", "/v1/tasks/slow/run").status == 202)
        let isRunning = try await Self.becomes("running", runner)
        #expect(isRunning)
        #expect(try await runner.stop() == 0)
        let later = try await RunningRunner(nil, in: runner.home, arguments: ["--drain", "100ms"])
        let told = String(decoding: try await later.ask("GET", "/v1/tasks/slow").body, as: UTF8.self)
        #expect(told.contains(#""outcome":"interrupted""#))
        #expect(told.contains(#""asked":true"#))
        #expect(try await later.stop() == 0)
    }

    private static func becomes(_ state: String, _ runner: RunningRunner) async throws -> Bool {
        try await eventually {
            let answer = try await runner.ask("GET", "/v1/tasks/slow")
            return String(decoding: answer.body, as: UTF8.self).contains("\"state\":\"\(state)\"")
        }
    }
}
