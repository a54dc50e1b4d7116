import Foundation
import Support
import Testing
import WireConfig

/// Many runners over one database (BY-11).
@Suite("Runners that share a database", .timeLimit(.minutes(3)))
struct SharedStoreTests {
    private static let json = ["Content-Type: application/json"]
    private static let key = Data(repeating: 7, count: 32).base64EncodedString()

    /// `wait` is how long a runner waits for the database: long enough for a busy machine, where it is there.
    static func file(_ url: String, password: String = "", wait: String = "30s", _ more: String = "") -> String {
        """
        version: 1
        app: { id: com.example.tasks, group: com.example.shared }
        environment: dev
        environments: { dev: { backend: embedded } }
        auth: {}
        backends: { issuer: { signIn: automatic, users: { ada: { password: wonder } } } }
        persistence:
          key: \(key)
          store: { url: "\(url)", connectTimeout: \(wait)\(password.isEmpty ? "" : ", password: \(password)") }
          namespaces: { window: { in: device } }
        api: { socket: auto }
        \(more)
        """
    }

    private static func url(_ server: PostgresServer) -> String {
        "postgresql://owner@127.0.0.1:\(server.port)/postgres"
    }

    private static func variables(_ home: TemporaryFolder) -> [String: String] {
        [
            "HOME": home.url.path, "XDG_STATE_HOME": home.path("state"), "XDG_RUNTIME_DIR": home.path("run"),
            "XDG_CACHE_HOME": home.path("cache"), "PATH": "/usr/bin:/bin",
        ]
    }

    private static func state(_ name: String, _ runner: RunningRunner) async throws -> String {
        let status = try JSONValue(parsing: try await runner.ask("GET", "/v1/status").body, named: "status")
        let service = status["services"]?.array?.first { $0["name"]?.string == name }
        return [service?["state"]?.string, service?["reason"]?.string].compactMap { $0 }.joined(separator: ": ")
    }

    private static func token(_ runner: RunningRunner) async throws -> String? {
        let answer = try await runner.ask("GET", "/v1/auth/token")
        return try JSONValue(parsing: answer.body, named: "token")["accessToken"]?.string
    }

    @Test("what one runner stores, all see, but for namespaces of the machine; a sign-in and its end are those of all")
    func shared() async throws {
        let server = try await PostgresServer()
        let runners = [
            try await RunningRunner(Self.file(Self.url(server))), try await RunningRunner(Self.file(Self.url(server))),
        ]
        #expect(try await runners[0].ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
        #expect(try await runners[1].ask("GET", "/v1/state/notes/a").text == "one")
        #expect(try await runners[0].ask("PUT", "/v1/state/window/a", text: "left").status == 201)
        #expect(try await runners[1].ask("GET", "/v1/state/window/a").status == 404)
        let begun = try await runners[0].ask("POST", "/v1/auth/login", Self.json, text: #"{"flow":"browser"}"#)
        let page = try #require(try JSONValue(parsing: begun.body, named: "login")["url"]?.string, "\(begun.text)")
        #expect(try Program.run("/usr/bin/curl", ["-s", "-L", "-o", "/dev/null", page]).status == 0)
        for runner in runners {
            #expect(try await eventually { try await runner.ask("GET", "/v1/auth").text.contains("signedIn") })
        }
        let token = try #require(try await Self.token(runners[0]))
        #expect(try await Self.token(runners[1]) == token)
        #expect(try await runners[1].ask("POST", "/v1/auth/logout").status == 200)
        #expect(try await eventually { try await runners[0].ask("GET", "/v1/auth").text.contains("signedOut") })
        let cleared = try runners[0].corewire(["clear", "environment"])
        #expect(cleared.output.contains("  may remain: the log"), "\(cleared.everything)")
        for runner in runners { try await runner.stop() }
        #expect(try server.sql("SELECT count(*) FROM corewire.runners") == "0")
    }

    @Test(
        "a database that is away: the start waits and fails with 75, a running runner says so, and goes on afterwards"
    )
    func away() async throws {
        let server = try await PostgresServer()
        let runner = try await RunningRunner(Self.file(Self.url(server), password: "secret-word", wait: "8s"))
        #expect(try await runner.ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
        server.kill()
        // The server's processes end when they miss the first one.
        var refused = ""
        #expect(
            try await eventually {
                let answer = try await runner.ask("PUT", "/v1/state/notes/b", text: "two")
                refused = answer.text
                return answer.status == 503
            },
            "\(refused)"
        )
        // What is on this machine goes on, and says nothing of the database.
        #expect(try await runner.ask("PUT", "/v1/state/window/a", text: "left").status == 201)
        let told = "degraded: the store of the group: the database cannot be reached"
        #expect(try await Self.state("persistence", runner).hasPrefix(told))
        let home = try TemporaryFolder()
        try home.write(Self.file(Self.url(server), wait: "2s"), to: "tasks.yaml")
        let start = try Program.corewire(
            ["run", "--config", home.path("tasks.yaml")],
            environment: Self.variables(home)
        )
        #expect(start.status == 75 && start.errors.contains("the database cannot be reached"), "\(start.everything)")
        try await server.start()
        #expect(try await eventually { try await runner.ask("PUT", "/v1/state/notes/b", text: "two").status < 300 })
        #expect(try await eventually { try await Self.state("persistence", runner) == "ready" })
        #expect(!runner.log.contains("secret-word"))
        try await runner.stop()
    }

    @Test("with 'confirm: replica' the status says when no standby confirms writes any more, until one does again")
    func unconfirmed() async throws {
        let server = try await PostgresServer()
        let receiver = try server.receiver()
        defer { receiver.signal(SIGKILL) }
        func set(_ standbys: String) throws {
            try server.sql("ALTER SYSTEM SET synchronous_standby_names = '\(standbys)'")
            try server.sql("SELECT pg_reload_conf()")
        }
        try set("*")
        let file = Self.file(Self.url(server), wait: "1m, confirm: replica")
        let runner = try await RunningRunner(file)
        #expect(try await Self.state("persistence", runner) == "ready")
        try set("")
        let told = "degraded: the store of the group: writes are confirmed by the server of the database alone"
        #expect(try await eventually { try await Self.state("persistence", runner).hasPrefix(told) })
        // A write that succeeds does not hide it.
        #expect(try await runner.ask("PUT", "/v1/state/notes/a", text: "one").status == 201)
        #expect(try await Self.state("persistence", runner).hasPrefix(told))
        try set("*")
        #expect(try await eventually { try await Self.state("persistence", runner) == "ready" })
        try await runner.stop()
    }

    @Test("the status shows the runners of the group: which one answers, which is silent, what is not known any more")
    func group() async throws {
        let (server, home) = (try await PostgresServer(), try TemporaryFolder())
        let file = Self.file(Self.url(server), wait: "30s, giveUpAfter: 300s")
        let one = try await RunningRunner(file, in: home, arguments: ["--instance", "one"])
        let two = try await RunningRunner(nil, in: home, arguments: ["--instance", "two"])
        func corewire(_ words: String...) throws -> Run {
            let config = ["--config", home.path("com.example.tasks.yaml")]
            return try Program.corewire(words + config, environment: Self.variables(home))
        }
        func group(_ instance: String) throws -> JSONValue? {
            let run = try corewire("status", "--instance", instance, "--format", "json")
            return try JSONValue(parsing: Array(run.output.utf8), named: "status")["group"]
        }
        func told(_ name: String, _ instance: String) throws -> [String?] {
            try group(instance)?["runners"]?.array?.map { $0[name]?.string } ?? []
        }
        let machine = try String(contentsOfFile: "/proc/sys/kernel/hostname", encoding: .utf8).dropLast().description
        #expect(try await eventually { try told("state", "one") == ["alive", "alive"] })
        for instance in ["one", "two"] {
            #expect(try told("instance", instance) == ["one", "two"])
            #expect(try told("machine", instance) == [machine, machine])
            let current = try group(instance)?["runners"]?.array?.filter { $0["current"]?.boolean == true } ?? []
            #expect(current.map { $0["instance"]?.string } == [instance])
        }
        let text = try corewire("status", "--instance", "two").output
        #expect(text.contains("group com.example.shared\n") && text.contains(" (this runner)  two "), "\(text)")
        let database = try corewire("store", "status").output
        #expect(database.contains(", one on ") && database.contains(", two on "), "\(database)")
        let online = try corewire("validate-config", "--online")
        #expect(online.status == 0 && !online.output.contains("CW24"), "\(online.everything)")
        try await two.kill()
        #expect(try await eventually { try told("state", "one") == ["alive", "silent"] })
        #expect(try group("one")?["runners"]?.array?.last?["silentSince"] != nil)
        server.kill()
        #expect(try await eventually { try group("one")?["unknownSince"] != nil })
        #expect(try told("state", "one") == ["unknown", "unknown"])
        let away = try corewire("status", "--instance", "one").output
        #expect(away.contains("the database cannot be reached"), "\(away)")
        try await server.start()
        #expect(try await eventually { try told("state", "one").first == "alive" })
        try await one.stop()
    }

    @Test(
        "a database that refuses the runner, or lacks a standby, is told at once, with the place in the file",
        arguments: [
            ("x", "10m", "database \"postgresx\" does not exist", "url"),
            // Without a schema, the start ends in any case.
            ("", "10m, confirm: replica, migrate: never", "the database has no synchronous standby", "confirm"),
        ]
    )
    func refused(suffix: String, settings: String, reason: String, key: String) async throws {
        let (server, home) = (try await PostgresServer(), try TemporaryFolder())
        try home.write(Self.file(Self.url(server) + suffix, wait: settings), to: "tasks.yaml")
        let start = try Program.corewire(
            ["run", "--config", home.path("tasks.yaml")],
            environment: Self.variables(home)
        )
        #expect(start.status == 74 && start.errors.contains(reason), "\(start.everything)")
        #expect(start.errors.contains(" (persistence.store.\(key))"), "\(start.everything)")
        #expect(key != "url" || start.errors.contains("tasks.yaml:9:17 "), "\(start.everything)")
    }

    @Test("a start that waits for its database ends when it is told to")
    func abandoned() async throws {
        let server = try await PostgresServer()
        let script = Repository.root.appendingPathComponent("Tests/PostgresFunctions/proxy.py")
        let line = try await ScriptedServer(script, ["127.0.0.1", "\(server.port)"])
        try await line.tell("hold")
        let home = try TemporaryFolder()
        let url = "postgresql://owner@127.0.0.1:\(try #require(line.readyWords.first))/postgres"
        try home.write(Self.file(url, wait: "5m"), to: "tasks.yaml")
        let program = try StartedProgram(
            Program.buildFolder.appendingPathComponent("corewire-dev-runner").path,
            ["run", "--config", home.path("tasks.yaml")],
            environment: Self.variables(home),
            output: home.path("out"),
            errors: home.path("log")
        )
        try await line.saw("held")
        program.signal(SIGTERM)
        #expect(try await program.end() == 0, "\((try? home.text(of: "log")) ?? "")")
    }

    /// A runner without a user, whose requests go to a server.
    private static func sender(_ server: PostgresServer, to target: RecordingServer) -> String {
        """
        version: 1
        app: { id: com.example.tasks, group: com.example.shared }
        baseUrl: "\(target.url)"
        network: {}
        persistence:
          key: \(key)
          store: { url: "\(url(server))", shares: [auth, outbox], giveUpAfter: 300s }
        background: { queue: { parallel: 2 } }
        api: { socket: auto }

        """
    }

    private static func post(_ lane: Int, _ number: Int, to runner: RunningRunner) async throws {
        let text = #"{"path":"/orders/\#(lane)/\#(number)","lane":"\#(lane)","id":"\#(lane)-\#(number)"}"#
        let answer = try await runner.ask("POST", "/v1/outbox", json, text: text)
        #expect(answer.status == 202, "\(answer.text)")
    }

    @Test("requests of two outboxes are sent in one order per lane, also when a runner is killed")
    func outbox() async throws {
        let (server, target) = (try await PostgresServer(), try RecordingServer())
        let (lanes, requests, home) = (3, 16, try TemporaryFolder())
        let file = Self.sender(server, to: target)
        let stays = try await RunningRunner(file)
        var other = try await RunningRunner(file, in: home)
        for number in 0..<requests {
            for lane in 0..<lanes { try await Self.post(lane, number, to: number % 2 == 0 ? stays : other) }
            if number == requests / 2 {
                try await other.kill()
                // At once: it ends its predecessor, whose claims are free then.
                other = try await RunningRunner(nil, in: home)
            }
        }
        #expect(await eventually { Set(target.asked).count == lanes * requests })
        for lane in 0..<lanes {
            let beginning = "POST /orders/\(lane)/"
            var order: [Int] = []
            for asked in target.asked where asked.hasPrefix(beginning) {
                let number = try #require(Int(asked.dropFirst(beginning.count)))
                // What was under way when the runner was killed is sent again.
                if order.last != number { order.append(number) }
            }
            #expect(order == Array(0..<requests), "lane \(lane)")
        }
        #expect(
            try await eventually {
                let answer = try await stays.ask("GET", "/v1/outbox")
                return answer.text.contains(#""requests":[]"#)
            }
        )
        try await stays.stop()
        try await other.stop()
    }

    @Test("two runners of an app on one machine are told apart by their instance, and commands by it")
    func instances() async throws {
        let server = try await PostgresServer()
        let home = try TemporaryFolder()
        let file = Self.file(Self.url(server))
        let one = try await RunningRunner(file, in: home, arguments: ["--instance", "one"])
        let two = try await RunningRunner(nil, in: home, arguments: ["--instance", "two"])
        func corewire(_ words: String...) throws -> Run {
            let config = ["--config", home.path("com.example.tasks.yaml")]
            return try Program.corewire(words + config, environment: Self.variables(home))
        }
        let run = try corewire("state", "set", "window", "a", "one", "--instance", "one")
        #expect(run.status == 0, "\(run.everything)")
        #expect(try corewire("state", "get", "window", "a", "--instance", "one").output == "one")
        #expect(try corewire("state", "get", "window", "a", "--instance", "two").status == 1)
        #expect(try corewire("status", "--instance", "../one").errors.contains("COREWIRE_INSTANCE"))
        try await one.stop()
        try await two.stop()
    }
}
