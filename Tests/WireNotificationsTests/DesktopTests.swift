import Foundation
import Support
import Testing
import WireConfig

@Suite("Desktop notifications over the session bus")
struct DesktopTests {
    static func file(_ home: TemporaryFolder, sinks: String = "[desktop]") -> String {
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

    static func started(_ home: TemporaryFolder, _ bus: SessionBus, below words: [String] = []) async throws
        -> RunningRunner
    {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        return try await RunningRunner(Self.file(home), in: home, below: words, environment: environment)
    }

    static func send(_ runner: RunningRunner, _ body: String) async throws {
        let answer = try await runner.ask("POST", "/v1/notifications", ["Content-Type: application/json"], text: body)
        #expect(answer.status == 201, "\(answer)")
    }

    static func state(_ runner: RunningRunner, _ id: String) async throws -> JSONValue {
        let answer = try await runner.ask("GET", "/v1/notifications/\(id)?wait=30")
        return try JSONValue(parsing: Array(answer.body), named: "answer")
    }

    static func desktopTrouble(_ runner: RunningRunner) async throws -> String? {
        let answer = try await runner.ask("GET", "/v1/notifications/permission")
        return try JSONValue(parsing: Array(answer.body), named: "answer")["desktop"]?.string
    }

    /// All that was shown, once it is as many.
    static func shown(_ bus: SessionBus, _ count: Int, by runner: RunningRunner) async throws -> [SessionBus.Shown] {
        _ = await eventually { bus.shown.count >= count }
        let shown = bus.shown
        try #require(shown.count == count, "\(runner.log)")
        return shown
    }

    private static func opened(_ runner: RunningRunner, _ id: String) async throws -> Bool {
        try await state(runner, id)["notification"]?["opened"]?.integer != nil
    }

    // MARK: What is shown

    @Test(
        "text, markup, sound and buttons are as declared; a press is handled, and opens its link"
    )
    func pressed() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await Self.started(home, bus)
        let streamRequest = JSONValue.members([
            "id": .string("a"), "title": .string("--It's 5 < 6\u{1b}[31m"), "subtitle": .string("ward"),
            "body": .string("<b>bold</b> & \"quoted\"\n\\second\0\u{202e}"), "link": .string("https://example.com/a"),
            "data": .members(["loud": .boolean(true)]),
            "buttons": .array([.members(["label": .string("Own")]), .members(["label": .string("Another")])]),
        ])
        try await Self.send(runner, streamRequest.text())
        let shown = try await Self.shown(bus, 1, by: runner)[0]
        #expect(shown.app == "Tasks")
        #expect(shown.title == "--It's 5 < 6\\u{1b}[31m, ward")
        #expect(shown.body == "&lt;b&gt;bold&lt;/b&gt; &amp; \"quoted\"\n\\second")
        let reply = "Re: --It's 5 < 6\\u{1b}[31m"
        let own = ["button0", "Own", "button1", "Another"]
        #expect(shown.actions == ["default", "Open", "reply", reply, "later", "Later"] + own)
        #expect(shown.hints["sound-name"] == .text("message-new-instant"))
        #expect(shown.hints["desktop-entry"] == .text("com.example.tasks"))
        #expect(shown.hints["urgency"] == .byte(1))
        #expect((shown.replaces, shown.timeout) == (0, -1))
        #expect(try await !Self.opened(runner, "a"))
        // A token comes before the action, and means nothing here; what no button is called means nothing either.
        bus.activate(shown.number)
        bus.press(shown.number, "unknown")
        bus.press(shown.number, "reply")
        #expect(await eventually { (try? home.text(of: "replied")) == "a\n" }, "\(runner.log)")
        #expect(await eventually { (try? await Self.opened(runner, "a")) == true })
        // What was pressed is closed, and is no less in the list for it.
        #expect(await eventually { bus.closed == [shown.number] })
        #expect(try await runner.ask("GET", "/v1/notifications").text.contains("\"a\""))
        try await Self.send(runner, #"{"id":"b","title":"quiet","link":"https://example.com/b"}"#)
        let quiet = try await Self.shown(bus, 2, by: runner)[1]
        #expect(quiet.hints["suppress-sound"] == .flag(true) && quiet.hints["sound-name"] == nil)
        bus.press(quiet.number, "default")
        #expect(await eventually { (try? home.text(of: "opened")) == "https://example.com/b\n" })
        try await runner.stop()
    }

    @Test("a dismissed notification is removed from the list, an expired one is not")
    func putAway() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await Self.started(home, bus)
        for id in ["a", "b", "c"] { try await Self.send(runner, #"{"id":"\#(id)","title":"\#(id)"}"#) }
        let shown = try await Self.shown(bus, 3, by: runner)
        bus.close(shown[0].number, because: 1)
        bus.close(shown[1].number, because: 4)
        bus.close(shown[2].number, because: 2)
        #expect(
            await eventually { (try? await runner.ask("GET", "/v1/notifications").text)?.contains("\"c\"") == false }
        )
        let list = try await runner.ask("GET", "/v1/notifications").text
        #expect(list.contains("\"a\"") && list.contains("\"b\""))
        #expect(bus.closed.isEmpty)
        try await runner.stop()
    }

    @Test("hundreds of notifications appear in order, without starting a program")
    func order() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let trace = home.url.appendingPathComponent("trace").path
        let words = [
            "/usr/bin/strace", "-D", "-f", "--seccomp-bpf", "-e", "trace=execve,execveat,fork,vfork", "-o", trace,
        ]
        let runner = try await Self.started(home, bus, below: words)
        for number in 0..<300 {
            try await Self.send(runner, #"{"id":"n\#(number)","title":"n\#(number)","body":"secret"}"#)
        }
        let shown = try await Self.shown(bus, 300, by: runner)
        #expect(shown.map(\.title) == (0..<300).map { "n\($0)" })
        #expect(Set(shown.map(\.number)).count == 300)
        let traced = try home.text(of: "trace")
        #expect(traced.components(separatedBy: "execve(").count == 2, "\(traced)")
        #expect(!traced.contains("fork("))
        try await runner.stop()
    }

    @Test(
        "the urgency comes from the push",
        arguments: [
            (#""aps":{"alert":{"title":"x"},"interruption-level":"passive"}"#, 0),
            (#""aps":{"alert":{"title":"x"},"interruption-level":"active"}"#, 1),
            (#""aps":{"alert":{"title":"x"},"interruption-level":"time-sensitive"}"#, 2),
            (#""aps":{"alert":{"title":"x"}}"#, 1),
            (
                #""message":{"notification":{"title":"x"},"android":{"notification":{"notification_priority":"PRIORITY_MIN"}}}"#,
                0
            ),
            (
                #""message":{"notification":{"title":"x"},"android":{"notification":{"notification_priority":"PRIORITY_MAX"}}}"#,
                2
            ),
        ]
    )
    func urgency(payload: String, level: Int) async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await Self.started(home, bus)
        try await Self.send(runner, #"{"payload":{\#(payload)},"carrier":"1"}"#)
        #expect(try await Self.shown(bus, 1, by: runner)[0].hints["urgency"] == .byte(level))
        try await runner.stop()
    }

    @Test("a notification with the same collapse key is replaced, also with numbers above 2^31")
    func replaced() async throws {
        let (bus, home) = (try SessionBus(["--first", "4294967290"]), try TemporaryFolder())
        let runner = try await Self.started(home, bus)
        func push(_ id: String, _ tag: String) async throws {
            let streamRequest =
                #"{"payload":{"message":{"notification":{"title":"\#(id)","tag":"\#(tag)"},"data":{"id":"\#(id)"}}},"carrier":"\#(id)"}"#
            try await Self.send(runner, streamRequest)
        }
        try await push("one", "news")
        try await push("two", "other")
        try await push("three", "news")
        let shown = try await Self.shown(bus, 3, by: runner)
        #expect(shown.map(\.number) == [4_294_967_290, 4_294_967_291, 4_294_967_290])
        #expect(shown.map(\.replaces) == [0, 0, 4_294_967_290])
        bus.press(4_294_967_290, "reply")
        #expect(await eventually { (try? home.text(of: "replied"))?.isEmpty == false }, "\(runner.log)")
        #expect(await eventually { bus.closed == [4_294_967_290] })
        // It is gone from there, and so is nothing that could be replaced.
        try await push("four", "news")
        #expect(try await Self.shown(bus, 4, by: runner)[3].replaces == 0)
        try await runner.stop()
    }

    @Test("a notification tapped, read, dismissed or cleared elsewhere is closed")
    func closed() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await Self.started(home, bus)
        for id in ["a", "b", "c", "d", "e"] { try await Self.send(runner, #"{"id":"\#(id)","title":"\#(id)"}"#) }
        let numbers = try await Self.shown(bus, 5, by: runner).map(\.number)
        #expect(try await runner.ask("POST", "/v1/notifications/b/tap").status == 202)
        #expect(await eventually { bus.closed == [numbers[1]] })
        #expect(try await runner.ask("DELETE", "/v1/notifications/a").status == 204)
        #expect(try await runner.ask("POST", "/v1/notifications/d/read").status == 204)
        #expect(await eventually { bus.closed == [numbers[1], numbers[0], numbers[3]] })
        let cleared = try runner.corewire(["clear", "user"])
        #expect(cleared.status == 0, "\(cleared.everything)")
        #expect(await eventually { Set(bus.closed) == Set(numbers) && bus.closed.count == 5 })
        try await runner.stop()
    }

    @Test("an expiring notification has that timeout, and is closed afterwards")
    func expires() async throws {
        let (bus, home) = (try SessionBus(), try TemporaryFolder())
        let runner = try await Self.started(home, bus)
        try await Self.send(runner, #"{"id":"long","title":"x","expires":"1h"}"#)
        try await Self.send(runner, #"{"id":"short","title":"x","expires":"3s"}"#)
        let shown = try await Self.shown(bus, 2, by: runner)
        // A desktop would keep it before the user's eyes for all of an hour.
        #expect(shown[0].timeout == -1)
        #expect((1...3_000).contains(shown[1].timeout))
        #expect(await eventually { bus.closed == [shown[1].number] })
        try await runner.stop()
    }

    @Test("a server without actions or markup gets neither")
    func plainServer() async throws {
        let (bus, home) = (try SessionBus(["--can", "body"]), try TemporaryFolder())
        let runner = try await Self.started(home, bus)
        try await Self.send(runner, #"{"id":"a","title":"x","body":"5 < 6 & <b>"}"#)
        let shown = try await Self.shown(bus, 1, by: runner)[0]
        #expect(shown.body == "5 < 6 & <b>")
        #expect(shown.actions.isEmpty)
        bus.endDesktop()
        try bus.beginDesktop(["--can", ""])
        try await Self.send(runner, #"{"id":"b","title":"x","body":"5 < 6"}"#)
        let line = try await Self.shown(bus, 2, by: runner)[1]
        #expect((line.title, line.body) == ("x: 5 < 6", ""))
        try await runner.stop()
    }
}
