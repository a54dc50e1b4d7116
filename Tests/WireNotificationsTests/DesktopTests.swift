import Foundation
import Support
import Testing
import WireConfig

@Suite("Notifications on a desktop, over its session bus")
struct DesktopTests {
    private static func file(_ home: TemporaryFolder, sinks: String = "[desktop]") -> String {
        """
        version: 1
        app: { id: com.example.tasks, name: Tasks }
        notifications:
          permission: granted
          sinks: \(sinks)
          links: { schemes: [https], exec: [sh, -c, 'echo "$1" > "\(home.url.path)/opened"', --, "{{ link }}"] }
          handlers:
            show: { on: presentable, present: [banner, list], buttons: [reply, later] }
            loud: { on: presentable, when: { loud: present }, present: [sound] }
          buttons:
            reply: { label: "Re: {{ title }}", exec: [sh, -c, 'echo "$1" > "\(home.url.path)/replied"', --, "{{ id }}"] }
            later: { label: Later, open: "https://example.com/later" }
        api: {}

        """
    }

    private static func send(_ runner: RunningRunner, _ body: String) async throws {
        let answer = try await runner.ask("POST", "/v1/notifications", ["Content-Type: application/json"], text: body)
        #expect(answer.status == 201, "\(answer)")
    }

    private static func state(_ runner: RunningRunner, _ id: String) async throws -> JSONValue {
        let answer = try await runner.ask("GET", "/v1/notifications/\(id)?wait=30")
        return try JSONValue(parsing: Array(answer.body), named: "answer")
    }

    private static func desktopTrouble(_ runner: RunningRunner) async throws -> String? {
        let answer = try await runner.ask("GET", "/v1/notifications/permission")
        return try JSONValue(parsing: Array(answer.body), named: "answer")["desktop"]?.string
    }

    /// The desktop is heard a while after the runner is ready: pressed until it is.
    private static func pressed(_ bus: SessionBus, _ number: Int, _ key: String, until isSo: () async throws -> Bool)
        async throws -> Bool
    {
        for _ in 0..<100 {
            bus.press(number, key)
            for _ in 0..<20 {
                if try await isSo() { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        return false
    }

    @Test(
        "text, marks, sound and buttons are as the sender and the file want them; what is pressed is done, and opened"
    )
    func pressed() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await RunningRunner(
            Self.file(home),
            in: home,
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        let wish = JSONValue.members([
            "id": .string("a"), "title": .string("--It's 5 < 6\u{1b}[31m"), "subtitle": .string("ward"),
            "body": .string("<b>bold</b> & \"quoted\"\n\\second"), "link": .string("https://example.com/a"),
            "data": .members(["loud": .boolean(true)]),
            "buttons": .array([.members(["label": .string("Own")]), .members(["label": .string("Too many")])]),
        ])
        try await Self.send(runner, wish.text())
        #expect(try await Self.state(runner, "a")["shown"]?.boolean == true)
        let shown = try #require(bus.shown.first)
        #expect(shown.app == "Tasks")
        #expect(shown.title == "--It's 5 < 6\\u{1b}[31m, ward")
        #expect(shown.body == "&lt;b&gt;bold&lt;/b&gt; &amp; \"quoted\"\n\\second")
        let reply = "Re: --It's 5 < 6\\u{1b}[31m"
        #expect(shown.actions == ["default", "Open", "reply", reply, "later", "Later", "button0", "Own"])
        #expect(shown.hints["sound-name"] == .text("message-new-instant"))
        #expect(try await Self.state(runner, "a")["notification"]?["opened"] == nil)
        #expect(
            try await Self.pressed(bus, shown.number, "reply") { (try? home.text(of: "replied")) == "a\n" },
            "\(runner.log)"
        )
        // It is written down once the program has ended.
        #expect(
            await eventually { (try? await Self.state(runner, "a")["notification"]?["opened"]?.integer) ?? nil != nil }
        )
        #expect(
            try await Self.pressed(bus, shown.number, "default") {
                (try? home.text(of: "opened")) == "https://example.com/a\n"
            }
        )
        try await Self.send(runner, #"{"id":"b","title":"quiet"}"#)
        #expect(try await Self.state(runner, "b")["shown"]?.boolean == true)
        let quiet = try #require(bus.shown.last)
        #expect(quiet.hints["suppress-sound"] == .flag(true) && quiet.hints["sound-name"] == nil)
        // That it went by itself is nobody's doing; that it was put away is.
        bus.close(quiet.number, because: 1)
        bus.close(shown.number, because: 2)
        #expect(
            await eventually {
                (try? await runner.ask("GET", "/v1/notifications").text)?.contains("\"a\"") == false
            }
        )
        #expect(try await runner.ask("GET", "/v1/notifications").text.contains("\"b\""))
        try await runner.stop()
    }

    @Test("without a bus nothing is shown there and it is said why; all else goes on")
    func inert() async throws {
        let home = try TemporaryFolder()
        let runner = try await RunningRunner(
            Self.file(home),
            in: home,
            environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.url.path)/none"]
        )
        try await Self.send(runner, #"{"id":"a","title":"x"}"#)
        #expect(try await Self.state(runner, "a")["state"]?.string == "done")
        #expect(try await Self.desktopTrouble(runner)?.contains("the desktop does not take notifications") == true)
        let run = try runner.corewire(["notifications", "permission"])
        #expect(run.output.contains("desktop does not take"), "\(run.everything)")
        #expect(runner.log.contains("nothing is shown on the desktop"))
        #expect(try await runner.ask("GET", "/readyz").status == 200)
        try await runner.stop()
    }

    @Test(
        "a bus that dies is said to, and the one that follows it is used and heard; also where the file wants it later"
    )
    func dies() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await RunningRunner(
            Self.file(home, sinks: "[console]"),
            in: home,
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        #expect(try await runner.reload(Self.file(home)).status == 200)
        try await Self.send(runner, #"{"id":"a","title":"x"}"#)
        #expect(try await Self.state(runner, "a")["shown"]?.boolean == true)
        #expect(bus.shown.count == 1)
        bus.end()
        try await Self.send(runner, #"{"id":"b","title":"x"}"#)
        #expect(try await Self.state(runner, "b")["shown"]?.boolean == true)
        #expect(try await Self.desktopTrouble(runner) != nil)
        try bus.begin()
        try await Self.send(runner, #"{"id":"c","title":"x"}"#)
        #expect(try await Self.state(runner, "c")["shown"]?.boolean == true)
        #expect(try await Self.desktopTrouble(runner) == nil)
        let last = try #require(bus.shown.last)
        #expect(
            try await Self.pressed(bus, last.number, "reply") { (try? home.text(of: "replied")) == "c\n" },
            "\(runner.log)"
        )
        try await runner.stop()
    }
}
