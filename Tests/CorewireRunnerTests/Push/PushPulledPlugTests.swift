import Foundation
import Support
import Testing
import WireConfig

/// BY-15: pushes of standard senders arrive after a break, in order and once; BY-3: with nothing outside.
@Suite(
    "Push servers that cannot be reached, with the sample file",
    .timeLimit(.minutes(3)),
    .enabled(if: ScriptedServer.hasModules("pywebpush") && Program.isInstalled("mosquitto_pub"))
)
struct PushPulledPlugTests {
    /// Replaces the process with the program of its arguments, whose standard error is a terminal.
    private static let terminal = [
        "/usr/bin/python3", "-c",
        """
        import os, pty, sys
        own, its = pty.openpty()
        if os.fork():
            os.dup2(its, 2)
            for descriptor in own, its: os.close(descriptor)
            os.execv(sys.argv[1], sys.argv[1:])
        # The other end of this one shows that the program has ended.
        os.close(99)
        os.close(its)
        try:
            while data := os.read(own, 65536): os.write(2, data)
        except OSError: pass
        """,
    ]

    /// The sample file with a terminal and a desktop, and its senders.
    private struct Scene {
        let home: TemporaryFolder
        let bus: BusDaemon
        let desktop = Process()
        var runner: RunningRunner
        let base: String
        let brokerPort: String

        init() async throws {
            home = try LocalSample.home(sinks: "console, terminal, desktop")
            bus = try BusDaemon()
            let script = Repository.root.appendingPathComponent("Tests/WireNotificationsTests/desktop.py").path
            // It ends with the bus, or with the other end of this.
            desktop.standardInput = Pipe()
            _ = try bus.start(desktop, "/usr/bin/python3", [script, "\(bus.folder.url.path)/shown"])
            runner = try await Self.runner(in: home, on: bus)
            let status = try JSONValue(parsing: try await runner.ask("GET", "/v1/backends").body, named: "backends")
            base = try #require(status["baseUrl"]?.string)
            brokerPort = try #require(
                status.text().firstMatch(of: /mqtt:[^"]*127\.0\.0\.1:([0-9]+)/).map { String($0.1) }
            )
        }

        private static func runner(in home: TemporaryFolder, on bus: BusDaemon) async throws -> RunningRunner {
            try await RunningRunner(
                nil,
                app: LocalSample.app,
                in: home,
                below: terminal,
                environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
            )
        }

        mutating func restart() async throws {
            try await runner.kill()
            runner = try await Self.runner(in: home, on: bus)
        }

        private func run(_ program: String, _ arguments: [String]) throws {
            let path = "\(Program.buildFolder.path):/usr/bin:/bin"
            let variables = ["PATH": path, "COREWIRE_SOCKET": runner.socket]
            let run = try Program.run(program, arguments, in: home.url, environment: variables)
            #expect(run.status == 0, "\(arguments): \(run.everything)")
        }

        /// Sends a text with the lines of Python in the documentation.
        func push(_ text: String) throws {
            let page = try Repository.text(of: "docs/push.md")
            let blocks = page.components(separatedBy: "```python\n").dropFirst().map {
                $0.components(separatedBy: "```")[0]
            }
            let lines = try #require(blocks.first { $0.contains("pywebpush.webpush(") })
            #expect(lines.contains("\"shop\"") && lines.contains("Bed 4 is free"), "\(lines)")
            try run(
                ScriptedServer.python,
                ["-c", lines.replacing("\"shop\"", with: "\"ups\"").replacing("Bed 4 is free", with: text)]
            )
        }

        /// Sends a text with a command that the file has in a comment.
        func command(_ beginning: String, _ former: String, _ text: String) throws {
            let file = try Repository.text(of: "configs/local.yaml")
            let line = try #require(file.split(separator: "\n").first { $0.contains("# \(beginning) ") })
            #expect(line.contains(former), "\(line)")
            let command = line.replacing(/^ *#[ ]/, with: "").replacing(former, with: text)
                .replacing("http://127.0.0.1:7430", with: base).replacing("-p 7437", with: "-p \(brokerPort)")
            try run("/bin/sh", ["-c", String(command)])
        }

        /// Sends a text by each sender.
        func send(_ text: String) throws {
            try push("Push \(text)")
            try command("curl", "Hello", "'Alert \(text)'")
            try command("mosquitto_pub", "Bed 4 is free", "Topic \(text)")
        }

        /// The lines of the terminal.
        var shown: [String] {
            runner.log.split(whereSeparator: \.isNewline).map(String.init).filter { $0.hasPrefix("notification ") }
        }

        /// The lines of the desktop, each for what it was asked to show.
        var onDesktop: [String] {
            ((try? bus.folder.text(of: "shown")) ?? "").split(separator: "\n").map(String.init)
        }
    }

    private static let kinds = ["Push", "Alert", "Topic"]

    @Test("what standard senders send while the servers cannot be reached arrives once, in order")
    func unplugged() async throws {
        var scene = try await Scene()
        let isSubscribed = await eventually {
            (try? scene.runner.corewire(["push", "subscription", "ups"]).status) == 0
        }
        #expect(isSubscribed, "\(scene.runner.log.suffix(2_000))")
        try scene.send("0")
        #expect(try await eventually { try scene.runner.listed().count == 3 }, "\(scene.runner.log.suffix(2_000))")
        #expect(await eventually { scene.shown.count == 3 && scene.onDesktop.count == 3 }, "\(scene.shown)")

        for fault in [["/autopush"], ["/ntfy", "--method", "GET"], ["/mqtt", "--header", "Upgrade"]] {
            let run = try scene.runner.corewire(["backends", "fault", "reset", "--on"] + fault)
            #expect(run.status == 0, "\(run.everything)")
        }
        try await scene.restart()
        for number in 1...5 { try scene.send("\(number)") }
        let metrics = try await scene.runner.ask("GET", "/metrics").text
        for stream in ["alerts", "ward", "push.webPush"] {
            #expect(metrics.contains("stream_connected{stream=\"\(stream)\"} 0"), "\(metrics)")
        }
        #expect(try scene.runner.listed().count == 3)

        #expect(try scene.runner.corewire(["backends", "clear"]).status == 0)
        #expect(try await eventually { try scene.runner.listed().count >= 18 }, "\(scene.runner.log.suffix(2_000))")
        #expect(await eventually { scene.shown.count >= 18 && scene.onDesktop.count >= 18 }, "\(scene.onDesktop)")
        let texts = try scene.runner.listedTexts()
        for kind in Self.kinds {
            let expected = (0...5).map { "\(kind) \($0)" }
            #expect(texts.filter { $0.hasPrefix(kind) } == expected, "\(texts)")
            for lines in [scene.shown, scene.onDesktop] {
                let shown = lines.compactMap { $0.firstMatch(of: /(Push|Alert|Topic) [0-9]/).map { String($0.0) } }
                #expect(shown.filter { $0.hasPrefix(kind) } == expected, "\(lines)")
            }
        }
        #expect(try await scene.runner.stop() == 0)
    }
}
