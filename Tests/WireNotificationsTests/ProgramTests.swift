import Corewire
import Foundation
import Support
import Testing
import WireConfig

@Suite("Notifications through the built programs")
struct ProgramTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        persistence: {}
        notifications:
          permission: granted
          handlers:
            keep: { on: remote, when: { text: present }, state: { namespace: alerts, key: last, value: "{{ text }}" } }
            show: { on: presentable, present: [banner, list] }
        api: {}

        """

    private static func corewire(_ home: TemporaryFolder, _ arguments: String..., input: String? = nil) throws -> Run {
        try Program.corewire(arguments, environment: variables(home))
    }

    private static func variables(_ home: TemporaryFolder) -> [String: String] {
        [
            "XDG_STATE_HOME": home.url.appendingPathComponent("state").path,
            "XDG_RUNTIME_DIR": home.url.appendingPathComponent("run").path,
            "XDG_CACHE_HOME": home.url.appendingPathComponent("cache").path,
        ]
    }

    private static func folder() throws -> TemporaryFolder {
        let home = try TemporaryFolder()
        for name in ["state", "run", "cache"] {
            try FileManager.default.createDirectory(
                at: home.url.appendingPathComponent(name),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        try home.write(file, to: "com.example.tasks.yaml")
        return home
    }

    private static func config(_ home: TemporaryFolder) -> String {
        home.url.appendingPathComponent("com.example.tasks.yaml").path
    }

    @Test("a push received without a runner is handled once by the next one")
    func received() async throws {
        let home = try Self.folder()
        let push = #"{"aerogear-push-id":"p1","text":"from far"}"#
        for word in ["true", "false"] {
            let run = try Self.corewire(
                home,
                "receive",
                "--config",
                Self.config(home),
                "--within",
                "20s",
                "--format",
                "json",
                push
            )
            #expect(run.status == (word == "true" ? 0 : 10), "\(run.everything)")
            #expect(run.output.contains("\"new\": \(word)"))
            #expect(run.output.contains("\"state\": \"\(word == "true" ? "kept" : "known")\""))
        }
        let runner = try await RunningRunner(nil, in: home)
        let shown = try Self.corewire(
            home,
            "notifications",
            "show",
            "p1",
            "--wait",
            "--format",
            "json",
            "--config",
            Self.config(home)
        )
        #expect(shown.status == 0, "\(shown.everything)")
        #expect(shown.output.contains(#""way": "receive""#))
        let again = try Self.corewire(home, "receive", "--config", Self.config(home), #"{"text":"two"}"#, "--id", "x2")
        #expect(again.output.contains("handled"), "\(again.everything)")
        let state = try Self.corewire(home, "state", "get", "alerts", "last", "--config", Self.config(home))
        #expect(state.output == "two")
        try await runner.stop()
    }

    @Test("without an id each push is new, unless its sender has one or equal content deduplicates")
    func named() async throws {
        let home = try Self.folder()
        func receive(_ push: String, _ more: String...) throws -> Run {
            try Program.corewire(
                ["receive", "--config", Self.config(home), "--within", "20s"] + more + [push],
                environment: Self.variables(home)
            )
        }
        let plain = #"{"title":"Order shipped"}"#
        for _ in 0..<2 {
            let run = try receive(plain)
            #expect(run.status == 0 && run.output.hasSuffix("kept\n"), "\(run.everything)")
        }
        for (index, status) in [Int32(0), 10].enumerated() {
            let run = try receive(plain, "--dedupe", "content")
            #expect(run.status == status, "\(run.everything)")
            #expect(run.output.hasSuffix(index == 0 ? "kept\n" : "was already accepted\n"))
        }
        let named = [
            #"{"data":{"a":"1"},"message_id":"m1"}"#, #"{"google.message_id":"m2","notification":{"title":"x"}}"#,
            #"{"_ac_push":1,"_uid":"u1","_title":"x"}"#, #"{"scheduleId":"s1","title":"x"}"#,
            #"{"aerogear-push-id":"p9","alert":"x"}"#, #"{"apns-id":"i1","aps":{"alert":"x"}}"#,
            #"{"id":"own","title":"x"}"#,
        ]
        for push in named {
            #expect(try receive(push).status == 0)
            let again = try receive(push)
            #expect(again.status == 10 && again.output.hasSuffix("was already accepted\n"), "\(again.everything)")
        }
        // What stands within 'data', or beside what a provider writes, is the id of anything.
        for push in [#"{"data":{"id":"task-7","text":"x"}}"#, #"{"aps":{"alert":"x"},"id":"task-7"}"#] {
            for _ in 0..<2 { #expect(try receive(push).status == 0, "\(push)") }
        }
        // What carried it names a push that nothing else names.
        for status in [Int32(0), 10] {
            #expect(try receive(#"{"title":"carried"}"#, "--id", "carrier-1").status == status)
        }
        let update = try receive(#"{"id":"own","title":"y"}"#, "--format", "json")
        #expect(update.status == 0 && update.output.contains("\"update\": true"), "\(update.everything)")
        let runner = try await RunningRunner(nil, in: home)
        let config = Self.config(home)
        // The runner gives it its name when it handles it.
        let isShown = try await eventually {
            try Self.corewire(home, "notifications", "show", "receive:own", "--config", config).output
                .contains("title: y")
        }
        #expect(isShown)
        let list = try Self.corewire(home, "notifications", "list", "--format", "json", "--config", config)
        #expect(list.output.components(separatedBy: "Order shipped").count == 4, "\(list.everything)")
        let tap = try Self.corewire(
            home,
            "notifications",
            "send",
            "x",
            "--link",
            "ftp://x",
            "--id",
            "a/b %",
            "--wait",
            "--config",
            config
        )
        #expect(tap.status == 0, "\(tap.everything)")
        let refused = try Self.corewire(home, "notifications", "tap", "a/b %", "--config", config)
        #expect(refused.status == 1 && refused.output.hasPrefix("refused: the scheme 'ftp'"), "\(refused.everything)")
        try await runner.stop()
    }

    @Test(
        "an invalid push is rejected, with a status per reason",
        arguments: [
            ("[]", 1, "a JSON object"), ("{", 1, "a key in double quotes"),
            (#"{"a":"\#(String(repeating: "x", count: 70_000))"}"#, 1, "64KiB"),
        ]
    )
    func refused(push: String, status: Int32, words: String) throws {
        let home = try Self.folder()
        let run = try Self.corewire(home, "receive", "--config", Self.config(home), push)
        #expect(run.status == status, "\(run.everything)")
        #expect(run.errors.contains(words), "\(run.everything)")
    }

    @Test("an invalid services file accepts no push")
    func invalid() throws {
        let home = try Self.folder()
        try home.write("version: 1\nnotifications: { permision: ask }\n", to: "com.example.tasks.yaml")
        #expect(try Self.corewire(home, "receive", "--config", Self.config(home), "{}").status == 78)
    }

    @Test("a listening app handles notifications and replies")
    func app() async throws {
        let runner = try await RunningRunner(nil, in: try Self.folder())
        let script = """
            import http.client, json, socket, sys
            class Local(http.client.HTTPConnection):
                def connect(self):
                    self.sock = socket.socket(socket.AF_UNIX)
                    self.sock.connect(sys.argv[1])
            def ask(method, path, body=None):
                connection = Local("localhost")
                connection.request(method, path, body, {"X-Corewire": "1", "Content-Type": "application/json"})
                return connection.getresponse()
            stream = ask("GET", "/v1/notifications/stream?handler=app&on=presentable&timeout=20s")
            assert stream.status == 200, stream.read()
            while stream.readline() != b"event: ready\\n": pass
            sent = json.loads(ask("POST", "/v1/notifications", json.dumps({"title": "Hi"})).read())
            while not (line := stream.readline()).startswith(b"data: {\\"id\\""): pass
            seen = json.loads(line[6:])
            assert seen["id"] == sent["id"] and seen["handler"] == "app", seen
            path = f"/v1/notifications/{seen['id']}/results/app"
            answer = ask("POST", path, json.dumps({"options": ["badge"]}))
            assert answer.status == 204, answer.read()
            state = json.loads(ask("GET", f"/v1/notifications/{seen['id']}?wait=20").read())
            assert state["notification"]["options"] == ["banner", "badge", "list"], state
            assert ask("POST", path, "{}").status == 409
            print("well")
            """
        let run = try Program.run("/usr/bin/python3", ["-c", script, runner.socket])
        #expect(run.output == "well\n", "\(run.everything)")
        try await runner.stop()
    }

    @Test("a sender's text cannot control a terminal, and clearing removes everything")
    func cleared() async throws {
        let home = try Self.folder()
        let runner = try await RunningRunner(nil, in: home)
        let config = Self.config(home)
        let sent = try Self.corewire(
            home,
            "notifications",
            "send",
            "\u{1b}]0;owned\u{7}title",
            "body",
            "--id",
            "a",
            "--wait",
            "--config",
            config
        )
        #expect(sent.status == 0, "\(sent.everything)")
        let list = try Self.corewire(home, "notifications", "list", "--config", config)
        #expect(list.output.contains("\\u{1b}]0;owned\\u{7}title"))
        #expect(!sent.output.contains("\u{1b}") && !list.output.contains("\u{1b}"))
        let cleared = try Self.corewire(home, "clear", "environment", "--config", config)
        #expect(cleared.status == 0, "\(cleared.everything)")
        #expect(cleared.output.contains("notifications in the list: 1\n"))
        #expect(
            try Self.corewire(home, "notifications", "list", "--config", config).output
                == "no notifications\n"
        )
        #expect(try Self.corewire(home, "notifications", "show", "a", "--config", config).status == 1)
        try await runner.stop()
    }
}
