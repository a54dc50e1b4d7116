import Foundation
import Support
import Testing
import WireConfig

@Suite("The runner without the embedded servers")
struct DeployedRunnerTests {
    private static let program = Program.buildFolder.appendingPathComponent("corewire-runner").path

    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: prod
        environments:
          dev: { backend: embedded }
          prod: { baseUrl: "https://api.example.com" }
        persistence: {}
        api: {}
        """

    private static let refusal =
        "the environment 'dev' has 'backend: embedded', but the embedded servers are not installed"

    @Test("an embedded environment is rejected at start like an invalid file, with help")
    func start() throws {
        let home = try TemporaryFolder(short: true)
        try home.write(Self.file, to: "services.yaml")
        let folders = ["XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME"].map { ($0, home.url.path) }
        let words = ["run", "--config", home.url.appendingPathComponent("services.yaml").path, "--env", "dev"]
        let run = try Program.run(Self.program, words, environment: Dictionary(uniqueKeysWithValues: folders))
        #expect(run.status == 78)
        #expect(run.errors.contains("error: \(Self.refusal)\n  = help: choose an environment"), "\(run.errors)")
        #expect(run.errors.contains("make install-dev"))
        let checked = try Program.run(
            Self.program,
            ["doctor"] + words.dropFirst(),
            environment: Dictionary(uniqueKeysWithValues: folders)
        )
        #expect(checked.status == 1 && checked.output.contains(Self.refusal), "\(checked.output)")
    }

    @Test("a push for an embedded environment is rejected like a start")
    func receive() throws {
        let home = try RunnerHome()
        try home.write(Self.file + "\nnotifications: {}\n")
        let words = ["receive", "--env", "dev", #"{"title":"a"}"#]
        let run = try Program.run(Self.program, words, in: home.work, environment: home.environment)
        #expect(run.status == 78)
        #expect(run.errors.contains("error: \(Self.refusal)\n  = help: choose an environment"), "\(run.errors)")
        let taken = try Program.run(
            Self.program,
            ["receive", #"{"title":"a"}"#],
            in: home.work,
            environment: home.environment
        )
        #expect(taken.status == 0, "\(taken.everything)")
    }

    @Test("a stored choice of an embedded environment is rejected, with the commands that choose another one")
    func chosenEarlier() throws {
        let former = try Services.running(Self.file)
        #expect(try former.corewire("env", "use", "dev").status == 0)
        #expect(former.stop() == 0)
        let run = try Program.run(Self.program, ["run"], in: former.home.work, environment: former.home.environment)
        #expect(run.status == 78)
        #expect(
            run.errors.contains("error: \(Self.refusal)\n  = help: the environment was chosen while"),
            "\(run.errors)"
        )
        for words in ["'corewire run --env prod'", "COREWIRE_ENV=prod", "'corewire env use prod'", "make install-dev"] {
            #expect(run.errors.contains(words), "\(words): \(run.errors)")
        }
        // What the help says ends it.
        let deployed = try FoundRunner(in: former.home, ["--env", "prod"])
        #expect(try deployed.corewire("env", "use", "prod").status == 0)
        #expect(deployed.stop() == 0)
        #expect(try FoundRunner(in: former.home).corewire("status").output.contains("prod"))
    }

    @Test("'corewire run' starts the development runner if installed, otherwise the other one")
    func choice() throws {
        let folder = try TemporaryFolder(short: true)
        try folder.write(Self.file, to: "services.yaml")
        let corewire = folder.url.appendingPathComponent("corewire").path
        try FileManager.default.copyItem(atPath: Program.corewire, toPath: corewire)
        let names = ["corewire-runner", "corewire-dev-runner"]
        func said() throws -> String { try Program.run(corewire, ["run"]).output }
        for name in names {
            let place = folder.url.appendingPathComponent(name).path
            try folder.write("#!/bin/sh\necho \(name) \"$@\"\n", to: name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
            #expect(try said() == "\(name) run\n")
        }
        // One that cannot be run is named, and the other one is taken.
        let broken = folder.url.appendingPathComponent("corewire-dev-runner").path
        try folder.write("no program\n", to: "corewire-dev-runner")
        let other = try Program.run(corewire, ["run"])
        #expect(other.output == "corewire-runner run\n")
        #expect(other.errors == "warning: cannot run '\(broken)': Exec format error\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: broken)
        #expect(try Program.run(corewire, ["run"]).errors == "warning: cannot run '\(broken)': Permission denied\n")
        try folder.write("no program\n", to: "corewire-runner")
        let none = try Program.run(corewire, ["run"])
        #expect(none.status == 69 && none.errors.contains("error: the program corewire-runner cannot be run\n"))
    }

    @Test("a switch or reload to an embedded environment is rejected, and the current generation continues")
    func change() async throws {
        let runner = try await RunningRunner(Self.file, program: Self.program)
        let wanted = #"{"environment": "dev"}"#
        let answer = try await runner.ask("PUT", "/v1/environment", ["Content-Type: application/json"], text: wanted)
        #expect(answer.status == 422)
        #expect(answer.text.contains(Self.refusal), "\(answer.text)")
        let said = try runner.corewire(["env", "use", "dev"])
        #expect(said.status != 0)
        #expect(said.errors.contains(Self.refusal), "\(said.errors)")
        let reloaded = try await runner.reload(Self.file.replacing("environment: prod", with: "environment: dev"))
        #expect(reloaded.text.contains(Self.refusal), "\(reloaded.text)")
        let status = try runner.corewire(["status"])
        #expect(status.output.contains("prod"), "\(status.output)")
        #expect(try await runner.stop() == 0)
    }

    @Test("operations of the embedded servers exist, and report that the servers are not installed")
    func operations() async throws {
        let runner = try await RunningRunner(Self.file + "\nbackends: {}\n", program: Self.program)
        let missing = "the embedded servers are not installed"
        for (method, path) in [
            ("GET", "/v1/backends"), ("DELETE", "/v1/backends/faults"), ("POST", "/v1/backends/push"),
        ] {
            let answer = try await runner.ask(method, path)
            #expect(answer.status == 409 && answer.text.contains(missing), "\(method) \(path): \(answer.text)")
        }
        let said = try runner.corewire(["backends", "status"])
        #expect(said.status != 0 && said.errors.contains(missing), "\(said.errors)")
        #expect(try await runner.stop() == 0)
    }

    @Test("a stored embedded environment is not replaced silently by another one")
    func remembered() async throws {
        let home = try TemporaryFolder(short: true)
        let development = try await RunningRunner(Self.file, in: home)
        #expect(try development.corewire(["env", "use", "dev"]).status == 0)
        #expect(try await development.stop() == 0)
        let failure = await #expect(throws: RunningRunner.Failure.self) {
            _ = try await RunningRunner(nil, in: home, program: Self.program)
        }
        #expect(failure?.description.contains(Self.refusal) == true, "\(failure?.description ?? "it runs")")
    }
}
