import Foundation
import Support
import Testing

@Suite("Decisions at run time persist across a restart")
struct NextStartTests {
    /// A home whose file has asked for two retries, and asks for three now, both of which have run.
    private static func twice() throws -> FoundRunner {
        let runner = try Services.running()
        try runner.home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload").status == 0)
        return runner
    }

    /// The same file with the servers of `prod` built in as well.
    private static func embedded(_ file: String) -> String {
        file.replacingOccurrences(of: #"baseUrl: "https://api.example.com""#, with: "backend: embedded")
    }

    private static func retries(_ runner: FoundRunner) throws -> String {
        let generation = try #require(status(runner)["generation"] as? Int)
        let path = "http://localhost/v1/generations/\(generation)"
        let text = try Program.run("curl", ["-s", "--unix-socket", runner.home.socket(), path]).output
        return text.components(separatedBy: "retries: ").last.map { String($0.prefix { $0.isNumber }) } ?? text
    }

    private static func status(_ runner: FoundRunner) throws -> [String: Any] {
        try runner.corewire("status", "--format", "json").json()
    }

    @Test("a file that was rolled back does not run again until it changes or is reloaded")
    func rolledBack() throws {
        var runner = try Self.twice()
        #expect(try runner.corewire("rollback", "1").status == 0)
        for _ in 1...2 {
            #expect(try Self.retries(runner) == "2")
            let status = try runner.corewire("status")
            #expect(status.status == 0)
            #expect(status.output.contains("not in effect"), "\(status.output)")
            #expect(status.output.contains("run 'corewire reload' to use the file again"))
            #expect(runner.stop() == 0)
            runner = try FoundRunner(in: runner.home)
        }
        #expect(try runner.corewire("reload").status == 0)
        #expect(try Self.retries(runner) == "3")
        #expect(try !runner.corewire("status").output.contains("not in effect"))
        #expect(try runner.corewire("rollback", "1").status == 0)
        runner.stop()
        try runner.home.write(Services.file(retries: 4))
        let next = try FoundRunner(in: runner.home)
        #expect(try Self.retries(next) == "4")
        #expect(try !next.corewire("status").output.contains("not in effect"))
    }

    @Test("the last chosen environment runs, however it was chosen")
    func environment() throws {
        var runner = try Services.running(Self.embedded(Services.file()))
        #expect(try runner.corewire("env", "use", "prod").status == 0)
        runner.stop()
        // Who names one counts for that start alone.
        runner = try FoundRunner(in: runner.home, ["--env", "dev"])
        runner.stop()
        runner = try FoundRunner(in: runner.home)
        #expect(try Self.status(runner)["environment"] as? String == "prod")
        #expect(try runner.corewire("rollback", "1").status == 0)
        // It is the same file, in another environment.
        #expect(try !runner.corewire("status").output.contains("not in effect"))
        runner.stop()
        runner = try FoundRunner(in: runner.home)
        #expect(try Self.status(runner)["environment"] as? String == "dev")
        #expect(try runner.corewire("env", "use", "prod").status == 0)
        runner.stop()
        runner = try FoundRunner(in: runner.home, ["--env", "dev"])
        // Nothing changes by it, and it was said all the same.
        #expect(try runner.corewire("env", "use", "dev").output.contains("nothing has changed"))
        runner.stop()
        runner = try FoundRunner(in: runner.home)
        #expect(try Self.status(runner)["environment"] as? String == "dev")
    }

    @Test("an unconfirmed change still waits after a crash, and is rolled back after repeated crashes")
    func trial() throws {
        var runner = try Services.running()
        try runner.home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload", "--confirm-within", "1h").status == 0)
        for _ in 1...2 {
            runner.kill()
            runner = try FoundRunner(in: runner.home)
            #expect(try Self.retries(runner) == "3")
            #expect(try Self.status(runner)["awaitsConfirmation"] as? Bool == true)
        }
        runner.kill()
        runner = try FoundRunner(in: runner.home)
        #expect(try Self.retries(runner) == "2")
        #expect(try Self.status(runner)["awaitsConfirmation"] as? Bool == false)
        #expect(try runner.corewire("status").output.contains("the change was not confirmed"))
        // Who wants it all the same says so.
        #expect(try runner.corewire("reload").status == 0)
        runner.stop()
        #expect(try Self.retries(FoundRunner(in: runner.home)) == "3")
    }

    @Test("an unconfirmed rollback still waits after a crash, and the file returns after repeated crashes")
    func rollbackOnTrial() throws {
        var runner = try Self.twice()
        #expect(try runner.corewire("rollback", "1", "--confirm-within", "1h").status == 0)
        for _ in 1...2 {
            runner.kill()
            runner = try FoundRunner(in: runner.home)
            #expect(try Self.retries(runner) == "2")
            let status = try Self.status(runner)
            #expect(status["awaitsConfirmation"] as? Bool == true)
            #expect(try runner.corewire("status").output.contains("rolled back to generation"))
        }
        runner.kill()
        runner = try FoundRunner(in: runner.home)
        #expect(try Self.retries(runner) == "3")
        #expect(try Self.status(runner)["awaitsConfirmation"] as? Bool == false)
        #expect(try !runner.corewire("status").output.contains("not in effect"))
    }

    @Test("an unconfirmed environment does not run at the next start, whatever is reloaded meanwhile")
    func environmentOnTrial() throws {
        var runner = try Services.running(Self.embedded(Services.file()))
        #expect(try runner.corewire("env", "use", "prod", "--confirm-within", "1h").status == 0)
        for _ in 1...3 {
            runner.kill()
            runner = try FoundRunner(in: runner.home)
        }
        #expect(try Self.status(runner)["environment"] as? String == "dev")
        #expect(try !runner.corewire("status").output.contains("not in effect"))
        #expect(try runner.corewire("reload").output.contains("nothing has changed"))
        #expect(runner.stop() == 0)
        #expect(try Self.status(FoundRunner(in: runner.home))["environment"] as? String == "dev")
    }

    @Test("a change that crashes the runner is rolled back permanently")
    func deadly() throws {
        var runner = try Services.running()
        let deadly = Services.file(retries: 3) + "addons: { deadly: { exec: [/bin/sh, -c, 'kill -KILL $PPID'] } }\n"
        try runner.home.write(deadly)
        #expect(try runner.corewire("reload", "--confirm-within", "1h").status != 0)
        for _ in 1...2 {
            #expect(throws: FoundRunner.NotReady.self) { _ = try FoundRunner(in: runner.home) }
        }
        for _ in 1...2 {
            runner = try FoundRunner(in: runner.home)
            #expect(try Self.retries(runner) == "2")
            #expect(try runner.corewire("status").output.contains("the change was not confirmed"))
            #expect(runner.stop() == 0)
        }
    }

    @Test("a decision whose generation cannot run at one start applies at the next")
    func missingSecret() throws {
        let home = try RunnerHome()
        func file(_ retries: Int) -> String {
            Services.file(retries: retries).replacingOccurrences(of: "name: Tasks", with: "name: \"${env:TASKS_NAME}\"")
        }
        try home.write(file(2))
        let variables = ["TASKS_NAME": "Tasks"]
        var runner = try FoundRunner(in: home, environment: variables)
        try home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload").status == 0)
        #expect(try runner.corewire("rollback", "1").status == 0)
        #expect(runner.stop() == 0)
        runner = try FoundRunner(in: home)
        #expect(try Self.retries(runner) == "3")
        #expect(runner.stop() == 0)
        runner = try FoundRunner(in: home, environment: variables)
        #expect(try Self.retries(runner) == "2")
        #expect(try runner.corewire("status").output.contains("not in effect"))
    }

    @Test("a generation confirmed after a crash stays")
    func confirmed() throws {
        var runner = try Services.running()
        try runner.home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload", "--confirm-within", "1h").status == 0)
        runner.kill()
        runner = try FoundRunner(in: runner.home)
        #expect(try runner.corewire("confirm").status == 0)
        for _ in 1...3 {
            runner.kill()
            runner = try FoundRunner(in: runner.home)
        }
        #expect(try Self.retries(runner) == "3")
        #expect(try Self.status(runner)["awaitsConfirmation"] as? Bool == false)
    }

    @Test("an expired unconfirmed change does not run at the next start")
    func unconfirmed() async throws {
        let runner = try Services.running()
        try runner.home.write(Services.file(retries: 3))
        #expect(try runner.corewire("reload", "--confirm-within", "1s").status == 0)
        #expect(try await eventually { try Self.retries(runner) == "2" })
        runner.stop()
        let next = try FoundRunner(in: runner.home)
        #expect(try Self.retries(next) == "2")
        #expect(try next.corewire("status").output.contains("the change was not confirmed"))
    }

    @Test("apps of one group have separate generations and environments")
    func apart() throws {
        let home = try RunnerHome()
        func file(_ app: String) -> String {
            Self.embedded(Services.file())
                .replacingOccurrences(of: "id: com.example.tasks", with: "id: \(app), group: com.example")
        }
        func start(_ app: String) throws -> FoundRunner {
            try home.write(file(app), to: "\(app).yaml")
            return try FoundRunner(in: home, ["--config", "\(app).yaml"])
        }
        let apps = ["com.example.one", "com.example.two"]
        let (first, second) = (try start(apps[0]), try start(apps[1]))
        func ask(_ app: String, _ words: String...) throws -> Run {
            try Program.corewire(words + ["--socket", home.socket(of: app)])
        }
        let numbers = try apps.map { app in
            let generations = try ask(app, "history", "--format", "json").json()["generations"] as? [[String: Any]]
            return generations?.compactMap { $0["generation"] as? Int }
        }
        #expect(numbers == [[1], [2]])
        let back = try ask(apps[1], "rollback", "1")
        #expect(back.status != 0 && back.errors.contains("generation 1 is not stored"), "\(back.everything)")
        #expect(try ask(apps[1], "env", "use", "prod").status == 0)
        #expect(first.stop() == 0)
        let again = try start(apps[0])
        #expect(try ask(apps[0], "status", "--format", "json").json()["environment"] as? String == "dev")
        withExtendedLifetime((second, again)) {}
    }
}
