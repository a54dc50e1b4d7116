import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNetworkContract
import WireNotifications
import WireService
import WireTelemetry
import Workbench

@Suite("Reading event streams")
struct EventStreamReadingTests {
    private static let type = "text/event-stream"

    private static func bench(_ server: HeldStreams, _ settings: String = "") async throws -> NotificationBench {
        try await NotificationBench(
            "streams: { tasks: { url: \"https://api.example.com/stream\"\(settings) } }\n\(IntakeTests.note)",
            offering: [ServiceAbility.serverRequests.offered(by: server)]
        )
    }

    // MARK: What is taken

    @Test("events of other types, without data, or that are no objects are skipped without advancing the position")
    func others() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server)
        let body = [
            #"event: open\#ndata: {"id":"x1","event":"open"}"#, #"event: keepalive\#ndata: {"id":"x2"}"#, "data:",
            "data: [1]", "data: 7", "data: {}", #"id: 5\#nevent: other\#ndata: {"kind":"o"}"#,
            #"data: {"kind":"a"}"#, #"event: message\#nid: 6\#ndata: {"kind":"b"}"#,
        ].joined(separator: "\n\n")
        server.answer(body + "\n\n")
        _ = try await bench.done("tasks:6")
        #expect(await eventually { bench.programs.calls(of: "note").count == 2 })
        #expect(bench.bench.told.log.count { $0.contains("'events'") } == 3)
        // An event without data is no notification, and nothing is wrong with it.
        #expect(bench.bench.told.log.count { $0.contains("is not a notification") } == 3)
        server.end()
        #expect(await Self.asked(server, bench, 2))
        #expect(server.calls.last?.fields["Last-Event-ID"] == "6")
        await bench.end()
    }

    @Test("the file lists the event types that are notifications")
    func listed() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server, ", events: [task, due]")
        server.answer(
            "id: 1\nevent: task\ndata: {\"a\":1}\n\nid: 2\ndata: {\"a\":2}\n\nid: 3\nevent: due\ndata: {\"a\":3}\n\n"
        )
        _ = try await bench.done("tasks:1")
        _ = try await bench.done("tasks:3")
        #expect(try await bench.ask(.get, "/v1/notifications/tasks:2").status == 404)
        await bench.end()
    }

    @Test("an id without data advances the position, an empty id resets it, an incomplete one does not count")
    func ids() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server)
        server.answer("id: 1\ndata: {\"a\":1}\n\nid: 9\n\nid: 10\n")
        _ = try await bench.done("tasks:1")
        server.end()
        #expect(await Self.asked(server, bench, 2))
        #expect(server.calls.last?.fields["Last-Event-ID"] == "9")
        server.answer("id\ndata: {\"a\":2}\n\n")
        #expect(await eventually { bench.programs.calls(of: "note").count == 2 })
        server.end()
        #expect(await Self.asked(server, bench, 3))
        #expect(server.calls.last?.fields["Last-Event-ID"] == nil)
        await bench.end()
    }

    @Test("skipped events are not requested again")
    func passed() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server)
        server.answer("id: 5\nevent: other\ndata: {\"kind\":\"o\"}\n\n")
        #expect(await eventually { server.isRead })
        server.end()
        #expect(await Self.asked(server, bench, 2))
        #expect(server.calls.last?.fields["Last-Event-ID"] == "5")
        await bench.end()
    }

    @Test("a payload field can identify an event without an id")
    func field() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server, ", id: id, resume: { header: X-Since }")
        server.answer("data: {\"id\":\"n7\",\"title\":\"x\"}\n\n")
        _ = try await bench.done("tasks:n7")
        server.end()
        #expect(await Self.asked(server, bench, 2))
        #expect(server.calls.last?.fields["X-Since"] == "n7")
        await bench.end()
    }

    @Test("the payload is a field of the data, or is made of several fields")
    func payloads() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server, ", payload: data")
        server.answer("id: 1\ndata: {\"hello\":true}\n\nid: 2\ndata: {\"data\":{\"title\":\"inner\"}}\n\n")
        #expect(try await bench.done("tasks:2")["title"]?.string == "inner")
        #expect(try await bench.ask(.get, "/v1/notifications/tasks:1").status == 404)
        await bench.end()
        let other = HeldStreams()
        let fields = "{ title: alert.head, body: alert.text, link: url, urgency: level, badge: unread, data: more }"
        let mapped = try await Self.bench(other, ", payload: \(fields)")
        other.answer(
            #"id: 1\#ndata: {"kind":"hello"}\#n\#n"#
                + #"id: 2\#ndata: {"alert":{"head":"Late","text":7},"url":"https://x.example","level":"critical","#
                + #""unread":3,"more":{"ward":"3B"},"title":"no"}\#n\#n"#
        )
        let shown = try await mapped.passed("tasks:2")
        #expect(shown["title"]?.string == "Late")
        #expect(shown["body"]?.string == "7")
        #expect(shown["link"]?.string == "https://x.example")
        #expect(shown["urgency"]?.string == "critical")
        #expect(shown["badge"]?.integer == 3)
        #expect(shown["data"]?["ward"]?.string == "3B")
        #expect(try await mapped.ask(.get, "/v1/notifications/tasks:1").status == 404)
        // Without that field the data is the message, without members that have the names of parts.
        other.say("id: 3\ndata: {\"alert\":{\"head\":\"Late\"},\"title\":\"no\",\"ward\":\"4\"}\n\n")
        let whole = try await mapped.passed("tasks:3")
        #expect(whole["title"]?.string == "Late")
        #expect(whole["data"]?["title"] == nil)
        #expect(whole["data"]?["ward"]?.string == "4")
        await mapped.end()
    }

    @Test("missed messages are requested before those of the stream, page by page, until nothing is new")
    func catchUp() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(
            server,
            ", id: id, events: [message], catchUp: { url: \"https://api.example.com/missed\", items: data }"
        )
        server.answer("data: {\"id\":\"4\"}\n\n")
        #expect(await eventually { server.calls.count == 2 })
        server.answer(
            #"{"data":[{"id":"1"},{"id":"1b","event":"other"},{"title":"no id"},{"id":"2"}]}"#,
            type: "application/json"
        )
        server.end()
        #expect(await eventually { server.calls.count == 3 })
        #expect(server.calls.last?.fields["Last-Event-ID"] == "2")
        #expect(await eventually { Set(bench.programs.calls(of: "note").map(\.first)) == ["tasks:1", "tasks:2"] })
        server.answer(#"{"data":[{"id":"3"}]}"#, type: "application/json")
        server.end()
        #expect(await eventually { server.calls.count == 4 })
        #expect(try await bench.ask(.get, "/v1/notifications/tasks:4").status == 404)
        // The stream is not connected until it has caught up.
        #expect(await !Self.metric(bench, "connected{stream=\"tasks\"} 1"))
        server.answer(#"{"data":[]}"#, type: "application/json")
        server.end()
        _ = try await bench.done("tasks:4")
        #expect(await Self.metric(bench, "connected{stream=\"tasks\"} 1"))
        #expect(try await bench.ask(.get, "/v1/notifications/tasks:1b").status == 404)
        #expect(server.calls.count == 4)
        await bench.end()
    }

    @Test("a missed message that the stream brings too is stored once; a later one with its id is an update")
    func overlap() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server, ", id: id, catchUp: { url: \"https://api.example.com/missed\" }")
        // The copy of the stream has another form.
        let stream = server.answer("data: {\"id\":\"1\",\"title\":\"A\",\"copy\":true}\n\n")
        #expect(await eventually { server.calls.count == 2 })
        server.answer(#"[{"id":"1","title":"A"},{"id":"2","title":"A"}]"#, type: "application/json")
        server.end()
        #expect(await eventually { server.calls.count == 3 })
        server.answer("[]", type: "application/json")
        server.end()
        #expect(await eventually { await Self.metric(bench, "connected{stream=\"tasks\"} 1") && stream.isRead })
        bench.bench.clock.pass(.seconds(61))
        stream.say("data: {\"id\":\"2\",\"title\":\"B\"}\n\n")
        #expect(await eventually { bench.programs.calls(of: "note").count == 3 })
        #expect(bench.programs.calls(of: "note").map(\.first).filter { $0 == "tasks:2" }.count == 2)
        await bench.end()
    }

    @Test("a response to 'catchUp' without a list is reported, and the position stays")
    func noList() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server, ", id: id, catchUp: { url: \"https://api.example.com/missed\" }")
        server.answer("id: 4\ndata: {\"a\":1}\n\n")
        #expect(await eventually { server.calls.count == 2 })
        server.answer(#"{"data":[{"id":"1"}]}"#, type: "application/json")
        server.end()
        #expect(await eventually { bench.bench.told.all.last?.contains("no list of messages") == true })
        #expect(try await bench.ask(.get, "/v1/notifications/tasks:4").status == 404)
        await bench.end()
    }

    @Test("an expired message is skipped and not requested again; a later expiry is kept")
    func expiry() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server, ", expires: until")
        let past = #"{"until":1000,"title":"old"}"#
        let text = #"{"until":"1970-01-01T00:00:10+00:00","title":"old"}"#
        let now = bench.bench.clock.clockwork.wall()
        server.answer(
            "id: 1\ndata: \(past)\n\nid: 2\ndata: \(text)\n\nid: 3\ndata: {\"until\":\(now + 60_000),\"title\":\"new\"}\n\n"
                + "id: 4\ndata: \(past)\n\nid: 5\ndata: {\"until\":-9223372036854775808}\n\nid: 6\ndata: {\"until\":0}\n\n"
        )
        _ = try await bench.done("tasks:3")
        #expect(try await bench.ask(.get, "/v1/notifications/tasks:1").status == 404)
        #expect(try await bench.ask(.get, "/v1/notifications/tasks:2").status == 404)
        #expect(await eventually { bench.bench.told.log.count { $0.contains("expired at 1970") } == 3 })
        // No expiry, as many servers write it.
        _ = try await bench.done("tasks:6")
        server.end()
        #expect(await Self.asked(server, bench, 2))
        #expect(server.calls.last?.fields["Last-Event-ID"] == "6")
        await bench.end()
    }

    // MARK: Health

    @Test(
        "a rejection degrades the service at once, with the line of the file, until the stream recovers",
        arguments: [(401, ""), (403, ""), (404, ""), (200, "text/html"), (204, "")]
    )
    func refused(status: Int, type: String) async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server)
        server.refuse(status, type)
        #expect(await eventually { bench.bench.told.all.contains { $0.hasPrefix("degraded: the stream 'tasks'") } })
        #expect(await eventually { !bench.events("streamFailed").isEmpty })
        let failed = try #require(bench.events("streamFailed").first)
        #expect(failed["config"]?["path"]?.string == "notifications.streams.tasks.url")
        #expect(failed["reason"]?.string?.contains("\(status)") == true)
        #expect(await Self.asked(server, bench, 2))
        server.answer("data: {\"a\":1}\n\n")
        #expect(await eventually { bench.bench.told.all.last == "well" })
        #expect(await eventually { bench.events("streamRecovered").count == 1 })
        #expect(await Self.metric(bench, "connected{stream=\"tasks\"} 1"))
        #expect(await Self.metric(bench, "connections_total{stream=\"tasks\"} 1"))
        await bench.end()
    }

    @Test("a failing or unreachable server degrades the service after the third attempt")
    func failing() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server)
        server.refuse(500, "")
        #expect(await Self.asked(server, bench, 2))
        server.fail()
        #expect(await Self.asked(server, bench, 3))
        #expect(bench.bench.told.all.isEmpty)
        server.fail()
        #expect(await eventually { bench.bench.told.all.last?.hasPrefix("degraded: ") == true })
        // It stands for a while, though nothing comes.
        #expect(await Self.asked(server, bench, 4))
        server.answer("")
        #expect(await eventually { await Self.metric(bench, "connected{stream=\"tasks\"} 1") })
        #expect(bench.bench.told.all.count == 1)
        let isWell = await eventually {
            bench.bench.clock.pass(.seconds(1))
            return bench.bench.told.all.last == "well"
        }
        #expect(isWell)
        await bench.end()
    }

    @Test("a stream is reconnected after its idle limit; comments reset the limit")
    func idle() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server, ", idleLimit: 60s")
        server.answer(": hello\n\n")
        #expect(await eventually { await Self.metric(bench, "connected{stream=\"tasks\"} 1") && server.isRead })
        for _ in 0..<3 {
            #expect(await eventually { bench.bench.clock.wakes(in: .seconds(60)) })
            bench.bench.clock.pass(.seconds(45))
            server.say(": still here\n\n")
            #expect(await eventually { server.isRead })
        }
        #expect(server.calls.count == 1)
        #expect(await Self.asked(server, bench, 2, step: .seconds(30)))
        #expect(
            bench.bench.told.log.contains { $0.contains("no data for 60s") || $0.contains("no data for 1m") }
        )
        #expect(bench.bench.told.all.isEmpty)
        await bench.end()
    }

    @Test("a removed stream degrades nothing")
    func removed() async throws {
        let server = HeldStreams()
        let bench = try await Self.bench(server)
        server.refuse(401, "")
        #expect(await eventually { bench.bench.told.all.last?.hasPrefix("degraded") == true })
        try await bench.reload(IntakeTests.note)
        #expect(await eventually { bench.bench.told.all.last == "well" })
        await bench.end()
    }

    /// Whether the server is asked so often, however long it is left alone.
    private static func asked(
        _ server: HeldStreams,
        _ bench: NotificationBench,
        _ count: Int,
        step: Duration = .seconds(400)
    ) async -> Bool {
        await eventually {
            if server.calls.count < count { bench.bench.clock.pass(step) }
            return server.calls.count >= count
        }
    }

    private static func metric(_ bench: NotificationBench, _ text: String) async -> Bool {
        await bench.bench.metrics.text(.prometheus).contains("corewire_notification_stream_\(text)")
    }
}
