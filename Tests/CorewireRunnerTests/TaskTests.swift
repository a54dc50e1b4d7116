import Foundation
import Support
import Testing

@Suite("Tasks of a runner")
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

    @Test("a requested program runs as declared, and the command reports its result")
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
        let late = try Program.corewire(["tasks", "postpone", "background.drain", "2h", "--socket", runner.socket])
        #expect(late.status == 0 && late.output.hasPrefix("begins at "), "\(late.everything)")
        #expect(try Program.corewire(["tasks", "postpone", "touch", "2h", "--socket", runner.socket]).status == 1)
        let misread = try Program.corewire(["tasks", "postpone", "touch", "soon", "--socket", runner.socket])
        #expect(misread.status == 64 && misread.errors.contains("<duration>: found 'soon', expected a duration"))
        #expect(try await runner.stop() == 0)
    }

    @Test("the end of the runner interrupts running tasks without waiting, and they run again at the next start")
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

    @Test(
        "as process 1 of a container the runner reaps orphans of programs",
        .enabled(
            if: Program.succeeds("unshare", "--pid", "--fork", "--mount-proc", "true"),
            "there are no namespaces here"
        )
    )
    func orphans() async throws {
        let file = Self.file.replacingOccurrences(
            of: "fail:",
            with: "leave: { exec: [/bin/sh, -c, '(echo x > left &) ; (: &)'] }\n    fail:"
        )
        let runner = try await RunningRunner(
            file,
            below: ["/usr/bin/unshare", "--pid", "--fork", "--mount-proc", "--kill-child=SIGTERM"]
        )
        let first = try #require(Self.children(of: runner.program.id).first)
        for _ in 1...3 {
            let run = try runner.corewire(["tasks", "run", "leave", "--wait"])
            #expect(run.output == "done\n", "\(run.everything)")
            let left = runner.home.url.appendingPathComponent("left").path
            #expect(await eventually { FileManager.default.fileExists(atPath: left) })
            #expect(await eventually { Self.children(of: first).isEmpty })
            try FileManager.default.removeItem(atPath: left)
        }
        runner.program.signal(SIGKILL)
        try await runner.program.end()
    }

    /// Those that have ended and were not reaped as well.
    static func children(of process: Int32) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { id in
            // Behind the name, which may hold anything: the state, the parent.
            let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
            return stat?.components(separatedBy: ") ").last?.split(separator: " ").dropFirst().first == "\(process)"
        }
    }

    private static func becomes(_ state: String, _ runner: RunningRunner) async throws -> Bool {
        try await eventually {
            let answer = try await runner.ask("GET", "/v1/tasks/slow")
            return String(decoding: answer.body, as: UTF8.self).contains("\"state\":\"\(state)\"")
        }
    }
}
