import Foundation
import Support
import Testing

@Suite("Add-ons of a runner")
struct AddonTests {
    private static func file(_ addons: String, more: String = "") -> String {
        """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments:
          dev: { backend: embedded }
          prod: { baseUrl: "https://api.example.com" }
        device: { register: never }
        network: {}
        api: { socket: auto }
        \(more)
        addons:
        \(addons)

        """
    }

    /// A folder with programs beside the services file.
    private static func home(_ programs: [String: String]) throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        for (name, text) in programs { try add(text, name, to: home) }
        return home
    }

    private static func add(_ text: String, _ name: String, to home: TemporaryFolder) throws {
        try home.write(text, to: name)
        let path = home.url.appendingPathComponent(name).path
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    @Test("the example add-ons work: an audit log in shell, a tag in Python, a veto in Swift")
    func examples() async throws {
        let home = try TemporaryFolder()
        let folder = "configs/examples/addons"
        for name in ["audit.sh", "tag.py"] { try Self.add(Repository.text(of: "\(folder)/\(name)"), name, to: home) }
        try home.write("3B\n", to: "ward")
        let quiet = home.url.appendingPathComponent("quiet").path
        let built = try Program.run("swiftc", ["-Onone", "\(folder)/Quiet.swift", "-o", quiet])
        #expect(built.status == 0, "\(built.errors)")
        let runner = try await RunningRunner(
            try Repository.text(of: "\(folder)/services.yaml"),
            app: "com.example.addons",
            in: home,
            environment: [
                "WARD_FILE": home.url.appendingPathComponent("ward").path, "AUDIT_LOG": "audit.log",
                "QUIET_FROM": "0", "QUIET_TO": "24",
            ]
        )
        let isTagged = try await eventually {
            try runner.corewire(["device", "show"]).output.contains("ward: 3B")
        }
        #expect(isTagged)
        let isListed = try await eventually { try runner.corewire(["addons", "list"]).status == 0 }
        #expect(isListed)
        let list = try runner.corewire(["addons", "list"]).output
        for name in ["audit", "tag", "quiet"] { #expect(list.contains("\(name) "), "\(list)") }
        _ = try runner.corewire(["notifications", "send", "Hello", "World"])
        let isVetoed = try await eventually {
            try runner.corewire(["events"]).output.contains("the add-on 'quiet' vetoed it: the ward sleeps")
        }
        #expect(isVetoed)
        #expect(try runner.corewire(["notifications", "list"]).output == "no notifications\n")
        _ = try runner.corewire(["notifications", "send", "--category", "urgent", "Now", "Come"])
        let isShown = try await eventually {
            try runner.corewire(["notifications", "list"]).output.contains("Now")
        }
        #expect(isShown)
        _ = try runner.corewire(["request", "orders?secret=canary"])
        #expect(await eventually { (try? home.text(of: "audit.log"))?.contains("/orders\"") ?? false })
        #expect(try !home.text(of: "audit.log").contains("canary"))
        #expect(try await runner.stop() == 0)
    }

    @Test("the badge reader example signs a user in, on request and then automatically")
    func badges() async throws {
        let home = try TemporaryFolder()
        let folder = "configs/examples/addons"
        try Self.add(Repository.text(of: "\(folder)/badge.py"), "badge.py", to: home)
        try home.write(#"{"b1": {"name": "ada", "password": "canary-wonder"}}"#, to: "badges.json")
        let runner = try await RunningRunner(
            try Repository.text(of: "\(folder)/badges.yaml"),
            app: "com.example.badges",
            in: home,
            environment: ["READER": "reader", "BADGES": "badges.json", "ADA_PASSWORD": "canary-wonder"]
        )
        func state() throws -> String { try runner.corewire(["auth", "status"]).output }
        let isAsked = try await eventually {
            try runner.corewire(["addons", "list", "--format", "json"]).output.contains(#""answered": 1"#)
        }
        #expect(isAsked, "where nobody has asked it says that it has nobody")
        #expect(try state() == "no user is signed in\n")
        let begun = try runner.corewire(["auth", "login", "--no-wait"])
        #expect(begun.everything == "an add-on signs in\n")
        #expect(try state() == "signing in\nan add-on signs in\n")
        try home.write("b1\n", to: "reader")
        #expect(try await eventually { try state() == "signed in\n" })
        let user = try await runner.ask("GET", "/v1/auth/user")
        #expect(String(decoding: user.body, as: UTF8.self).contains("Ada Lovelace"))
        #expect(try runner.corewire(["addons", "list"]).status == 0)
        #expect(try await runner.stop() == 0)
        #expect(!runner.log.contains("canary"))
    }

    @Test("the Python add-on of the documentation has at most twenty lines, tags the device, and is listed")
    func documented() async throws {
        let page = try Repository.text(of: "docs/addons.md")
        let from = try #require(page.range(of: "```python\n"))
        let rest = page[from.upperBound...]
        let script = String(rest[..<(try #require(rest.range(of: "```"))).lowerBound])
        #expect(script.split(separator: "\n").count <= 20)
        let home = try Self.home(["tag.py": script])
        try home.write("7A", to: "ward")
        let runner = try await RunningRunner(
            Self.file("  tag: { exec: [./tag.py], hooks: [device], env: { WARD_FILE: ward } }"),
            in: home
        )
        let isTagged = try await eventually { try runner.corewire(["device", "show"]).output.contains("ward: 7A") }
        #expect(isTagged)
        #expect(try runner.corewire(["addons", "list"]).output.contains("tag   ready"))
        let metrics = try await runner.ask("GET", "/metrics")
        #expect(String(decoding: metrics.body, as: UTF8.self).contains(#"corewire_addon_ready{addon="tag"} 1"#))
        #expect(try await runner.stop() == 0)
    }

    /// Writes down every line it hears and says.
    private static let recorder = """
        #!/usr/bin/python3
        import json, os, sys
        lines = open("lines", "a")
        def say(**m):
            line = json.dumps(m)
            lines.write(line + "\\n"); lines.flush()
            print(line, flush=True)
        for line in sys.stdin:
            lines.write(line); lines.flush()
            m = json.loads(line)
            if m["type"] == "hello":
                known = ["network.willPerform", "deepLinks.open", "device.willSetUp"]
                say(type="ready", protocol=1, answers=[h for h in known if h in m["hooks"]], version="7")
                say(type="log", level="info", message="here")
            elif m["type"] == "ask":
                answers = {
                    "network.willPerform": {"refuse": "it is sunday" if m.get("request", {}).get("url", "").endswith("/no") else None},
                    "deepLinks.open": {"opened": True}, "device.willSetUp": {"device": {"email": None}},
                }
                say(type="answer", id=m["id"], **answers[m["hook"]])
            elif m["type"] == "stop":
                break
        """

    private static let hooks = "[lifecycle, environment, device, network, deepLinks, auth, notifications]"

    @Test("all lines of both sides match the schema, and lifecycle events arrive in order")
    func transcript() async throws {
        let home = try Self.home(["all.py": Self.recorder])
        let runner = try await RunningRunner(
            Self.file("  all: { exec: [./all.py], hooks: \(Self.hooks) }"),
            in: home
        )
        _ = try runner.corewire(["request", "orders"])
        let opened = try runner.corewire(["addons", "open", "tasks://1"])
        #expect(opened.everything == "opened by 'all'\n")
        let former = try runner.corewire(["addons", "list", "--format", "json"]).output
        #expect(try runner.corewire(["env", "use", "prod"]).status == 0)
        let pid = try #require(former.firstMatch(of: /"pid": (\d+)/)?.1)
        #expect(try runner.corewire(["addons", "list", "--format", "json"]).output.contains("\"pid\": \(pid)"))
        #expect(try await runner.stop() == 0)
        let lines = try home.text(of: "lines")
        let told = lines.matches(of: /"type":"tell","hook":"((?:lifecycle|environment)\.\w+)"/).map { String($0.1) }
        #expect(
            told == [
                "lifecycle.starting", "lifecycle.ready", "environment.willChange", "environment.didChange",
                "lifecycle.draining", "lifecycle.stopping",
            ]
        )
        #expect(lines.contains(#""hook":"environment.didChange","from":"dev","to":"prod""#))
        let script = """
            import json, sys, jsonschema
            schema = jsonschema.Draft7Validator(json.load(open("schemas/addon-protocol.schema.json")))
            count = 0
            for line in sys.stdin:
                schema.validate(json.loads(line)); count += 1
            assert count > 12, count
            """
        let checked = try Program.run("/usr/bin/python3", ["-c", script], input: Data(lines.utf8))
        #expect(checked.status == 0, "\(checked.errors)\n\(lines)")
    }

    @Test("a request that an add-on rejects is not sent, and the error points at the line of the file")
    func refusal() async throws {
        let home = try Self.home(["all.py": Self.recorder])
        let runner = try await RunningRunner(Self.file("  all: { exec: [./all.py], hooks: [network] }"), in: home)
        let answer = try await runner.ask("GET", "/v1/network/no")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 403)
        #expect(text.contains("the add-on 'all' rejected the request: it is sunday"), "\(text)")
        #expect(text.contains("com.example.tasks.yaml:12:17"), "\(text)")
        // The server built in says itself that it has no such path.
        let other = try await runner.ask("GET", "/v1/network/yes")
        #expect(other.status == 404 && other["Corewire-Attempts"] == "1", "\(other.text)")
        #expect(try await runner.stop() == 0)
    }

    @Test("without a required add-on the runner does not start, and names the line of the file")
    func required() async throws {
        let home = try Self.home(["bad.py": "#!/usr/bin/python3\nimport sys\nsys.exit('no luck today')\n"])
        await #expect {
            _ = try await RunningRunner(Self.file("  bad: { exec: [./bad.py] }"), in: home)
        } throws: { error in
            let text = "\(error)"
            #expect(text.contains("the add-on 'bad' did not become ready"))
            #expect(text.contains("no luck today"))
            #expect(text.contains("com.example.tasks.yaml:12:17 (addons.bad.exec)"), "\(text)")
            return true
        }
    }

    @Test(
        "a crashing add-on degrades the service, is listed with its line, and affects nothing else"
    )
    func crashing() async throws {
        let home = try Self.home(["bad.py": "#!/usr/bin/python3\nimport os\nos.abort()\n"])
        let runner = try await RunningRunner(
            Self.file("  bad: { exec: [./bad.py], required: false, hooks: [network] }"),
            in: home
        )
        // The runner waits a second for it: on a busy machine it has not even begun by then.
        let isKnown = try await eventually {
            try runner.corewire(["status"]).output.contains("the add-on 'bad' is not running")
        }
        #expect(isKnown)
        let list = try runner.corewire(["addons", "list"])
        #expect(list.status == 1)
        #expect(list.output.contains("ended by signal 6"))
        #expect(list.output.contains("com.example.tasks.yaml:12:17"))
        let answer = try await runner.ask("GET", "/v1/network/yes")
        #expect(answer.status == 404 && answer["Corewire-Attempts"] == "1", "\(answer.text)")
        let logs = try runner.corewire(["addons", "logs", "bad"])
        #expect(logs.status == 0)
        #expect(logs.output.contains("ended by signal 6"))
        #expect(try await runner.stop() == 0)
        // Stopping the add-on does not make the service ready.
        let states = runner.log.split(separator: "\n").filter { $0.contains("addons") }
        let degraded = try #require(states.lastIndex { $0.contains(#""message":"degraded""#) }, "\(runner.log)")
        #expect(!states[degraded...].contains { $0.contains(#""message":"ready""#) }, "\(states)")
    }
}
