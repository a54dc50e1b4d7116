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
        #expect(Self.metric(bench, "connected{stream=\"tasks\"} 1"))
        #expect(Self.metric(bench, "connections_total{stream=\"tasks\"} 1"))
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
        #expect(await eventually { Self.metric(bench, "connected{stream=\"tasks\"} 1") })
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
        #expect(await eventually { Self.metric(bench, "connected{stream=\"tasks\"} 1") && server.isRead })
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

    private static func metric(_ bench: NotificationBench, _ text: String) -> Bool {
        bench.bench.metrics.text(.prometheus).contains("corewire_notification_stream_\(text)")
    }
}

/// A server that answers one request after the other when a test says so, and keeps the stream open.
private final class HeldStreams: ServerClient {
    private struct State {
        var calls: [ServerCall] = []
        var waiting: [CheckedContinuation<ServerAnswer?, Never>] = []
        var ready: [ServerAnswer?] = []
        var body: HeldBody?
    }

    private let state = Mutex(State())

    var calls: [ServerCall] { state.withLock { $0.calls } }
    /// Whether all that was said was read.
    var isRead: Bool { state.withLock { $0.body }?.isRead ?? false }

    func answer(_ text: String) {
        let body = HeldBody()
        state.withLock { $0.body = body }
        if !text.isEmpty { body.say(text) }
        give(ServerAnswer(status: .ok, fields: ["Content-Type": "text/event-stream"], body: body))
    }

    func say(_ text: String) { state.withLock { $0.body }?.say(text) }
    func end() { state.withLock { $0.body }?.end() }

    func refuse(_ status: Int, _ type: String) {
        let body = HeldBody()
        body.end()
        let fields: Fields = type.isEmpty ? [:] : ["Content-Type": type]
        give(ServerAnswer(status: Status(status), fields: fields, body: body))
    }

    func fail() { give(nil) }

    private func give(_ answer: ServerAnswer?) {
        let waiter = state.withLock { state -> CheckedContinuation<ServerAnswer?, Never>? in
            guard !state.waiting.isEmpty else {
                state.ready.append(answer)
                return nil
            }
            return state.waiting.removeFirst()
        }
        waiter?.resume(returning: answer)
    }

    func send(_ call: ServerCall) async throws(CallFailure) -> ServerAnswer {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<ServerAnswer?, Never>) in
                let ready = state.withLock { state -> ServerAnswer?? in
                    state.calls.append(call)
                    if Task.isCancelled { return .some(nil) }
                    if !state.ready.isEmpty { return state.ready.removeFirst() }
                    state.waiting.append(continuation)
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in waiting { waiter.resume(returning: nil) }
        }
        guard let answer else { throw CallFailure(.transfer(.unreachable), "cannot connect", wasNotSent: true) }
        return answer
    }

    func url(of address: Address) -> WebURL? { nil }
}

private final class HeldBody: BodyReader {
    private let said: AsyncStream<[UInt8]>
    private let continuation: AsyncStream<[UInt8]>.Continuation
    private let unread = Mutex(0)

    init() { (said, continuation) = AsyncStream.makeStream(of: [UInt8].self) }

    var isRead: Bool { unread.withLock { $0 == 0 } }

    func say(_ text: String) {
        unread.withLock { $0 += 1 }
        continuation.yield(Array(text.utf8))
    }
    func end() { continuation.finish() }

    func read() async throws -> [UInt8]? {
        for await bytes in said {
            unread.withLock { $0 -= 1 }
            return bytes
        }
        return nil
    }
}
