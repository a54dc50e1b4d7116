import Foundation
import Support
import Testing

@Suite("Shutdown of a runner")
struct StopTests {
    /// What is under way may take as long as it likes.
    private static let patient = ["--drain", "1h"]

    private static func file(_ server: AnswerServer, _ more: String = "") -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { baseUrl: "http://127.0.0.1:\(server.port)" } }
        network: {}
        persistence: {}
        notifications: { permission: granted }
        \(more)api: { listen: 127.0.0.1:0, tokenFile: tokens }

        """
    }

    private static func runner(_ server: AnswerServer, _ arguments: [String] = patient) async throws -> LoopbackAddress
    {
        let home = try TemporaryFolder()
        try home.write("\(LoopbackAddress.token)\n", to: "tokens")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: home.url.appendingPathComponent("tokens").path
        )
        return try await LoopbackAddress(RunningRunner(file(server), in: home, arguments: arguments))
    }

    /// Waits until it says that it ends, which it does as soon as it has heard of it.
    private static func hasBegun(_ runner: RunningRunner) async throws -> RawClient.Answer {
        var ready = try await runner.ask("GET", "/readyz")
        _ = try await eventually {
            ready = try await runner.ask("GET", "/readyz")
            return ready.status != 200
        }
        return ready
    }

    @Test(
        "requests in flight complete over both listeners; no new ones are accepted, and the end is visible",
        arguments: [SIGTERM, SIGINT]
    )
    func drains(signal: Int32) async throws {
        let server = try AnswerServer()
        let address = try await Self.runner(server)
        let runner = address.runner
        let head = "GET /v1/network/drip HTTP/1.1\r\nHost: localhost\r\n"
        let callers = [
            try await runner.connect(sending: "\(head)\r\n"),
            try await RawClient.connect(
                to: .tcp("127.0.0.1", address.port),
                sending: Array(
                    ("GET /v1/network/drip HTTP/1.1\r\nHost: 127.0.0.1:\(address.port)\r\n"
                        + LoopbackAddress.rights().map { "\($0)\r\n" }.joined() + "\r\n").utf8
                )
            ),
        ]
        for caller in callers {
            #expect(try await caller.head().status == 200)
            #expect(try await caller.chunk().map { String(decoding: $0, as: UTF8.self) } == "first\n")
        }
        // It is followed once what is kept has come.
        let events = try await runner.watch("/v1/events", after: "1")
        #expect(try await events.next()?.event == "gap")
        let streams = [
            try await runner.watch("/v1/notifications/stream?handler=x"), try await runner.watch("/v1/state/a"),
        ]
        runner.program.signal(signal)
        let ready = try await Self.hasBegun(runner)
        #expect(ready.status == 503 && ready.text.contains("[-]runner stopping"), "\(ready.text)")
        #expect(try await runner.ask("GET", "/livez").status == 200)
        #expect(try await runner.ask("GET", "/v1/status").text.contains("stopping"))
        for (method, path) in [("GET", "/v1/network/fresh"), ("PUT", "/v1/state/a/b"), ("POST", "/v1/reload")] {
            let refused = try await runner.ask(method, path, method == "GET" ? [] : ["X-Corewire: 1"], text: "{}")
            #expect(refused.status == 503 && refused.kind == "stopping", "\(method) \(path): \(refused)")
        }
        var told: [String] = []
        while let event = try await events.next()?.event { told.append(event) }
        #expect(told.contains("runner.stopping"), "\(told)")
        for stream in streams {
            while try await stream.next() != nil {}
        }
        // Only now does the server say the rest.
        _ = try await RawClient.connect(
            to: .tcp("127.0.0.1", server.port),
            sending: Array("GET /go HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        ).head()
        for caller in callers {
            #expect(try await caller.chunk().map { String(decoding: $0, as: UTF8.self) } == "second\n")
            #expect(try await caller.chunk() == nil)
        }
        #expect(try await runner.program.end() == 0)
    }

    @Test("a second signal stops the runner at once")
    func insisted() async throws {
        let server = try AnswerServer()
        let address = try await Self.runner(server)
        let caller = try await address.runner.connect(
            sending: "GET /v1/network/drip HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        #expect(try await caller.head().status == 200)
        address.runner.program.signal(SIGTERM)
        #expect(try await Self.hasBegun(address.runner).status == 503)
        address.runner.program.signal(SIGINT)
        #expect(try await address.runner.program.end() == 0)
        withExtendedLifetime(server) {}
    }

    @Test("work that does not end in time is cut off")
    func impatient() async throws {
        let server = try AnswerServer()
        let address = try await Self.runner(server, ["--drain", "1ms"])
        let caller = try await address.runner.connect(
            sending: "GET /v1/network/drip HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        #expect(try await caller.head().status == 200)
        #expect(try await address.runner.stop() == 0)
        #expect(address.runner.log.contains("did not drain in time"))
        withExtendedLifetime(server) {}
    }

    /// An add-on that never says that it is ready, and leaves a mark when it begins.
    private static let mute = """
        addons: { mute: { exec: [/bin/sh, -c, "touch begun; exec cat > /dev/null"], startTimeout: 5m } }

        """

    @Test("a change in progress is aborted")
    func reloading() async throws {
        let server = try AnswerServer()
        let address = try await Self.runner(server)
        let runner = address.runner
        try runner.home.write(Self.file(server, Self.mute), to: "com.example.tasks.yaml")
        runner.program.signal(SIGHUP)
        let begun = runner.home.url.appendingPathComponent("begun").path
        #expect(await eventually { FileManager.default.fileExists(atPath: begun) })
        #expect(try await runner.stop() == 0)
        #expect(runner.log.contains("the runner is stopping"), "\(runner.log)")
    }

    @Test("a start in progress is aborted")
    func starting() async throws {
        let home = try RunnerHome()
        try home.write(Self.file(AnswerServer(), Self.mute).replacingOccurrences(of: ", tokenFile: tokens", with: ""))
        let program = try StartedProgram(
            Program.corewire,
            ["run", "--config", home.work.appendingPathComponent("mobile-services.yaml").path],
            environment: home.environment.merging(["PATH": "/usr/bin:/bin", "HOME": home.folder.url.path]) { $1 },
            output: home.folder.url.appendingPathComponent("out").path,
            errors: home.folder.url.appendingPathComponent("log").path
        )
        let begun = home.work.appendingPathComponent("begun").path
        #expect(await eventually { FileManager.default.fileExists(atPath: begun) })
        program.signal(SIGTERM)
        #expect(try await program.end() == 0)
        let log = try home.folder.text(of: "log")
        #expect(log.contains("stopped before it was ready"), "\(log)")
        #expect(!log.contains("error:") && !log.contains(#""level":"error""#), "\(log)")
    }

    @Test("a pipe in place of the services file blocks nothing")
    func pipe() async throws {
        let address = try await Self.runner(AnswerServer())
        let runner = address.runner
        let path = runner.home.url.appendingPathComponent("com.example.tasks.yaml").path
        try FileManager.default.removeItem(atPath: path)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let validation = Task.detached { try Program.corewire(["validate-config", path]) }
        let reload = try runner.corewire(["reload"])
        #expect(reload.status != 0 && reload.errors.contains("not a regular file"), "\(reload.everything)")
        let run = try await validation.value
        #expect(run.status == 66, "\(run.everything)")
        #expect(run.errors.contains("not a regular file, and reading took longer than 10 s"))
        #expect(try await runner.stop() == 0)
    }
}
