import Support
import Synchronization
import Testing
import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireStore
import Workbench

@testable import WireNotifications

@Suite("Receiving notifications")
struct IntakeTests {
    static let note = "handlers: { note: { on: any, exec: [note, \"{{ id }}\"] } }"

    @Test("a repeated id is one notification, handled once, also after a restart")
    func once() async throws {
        let folder = try TemporaryFolder()
        let first = try await NotificationBench(Self.note, in: folder)
        #expect(try await first.ask(.post, "/v1/notifications", #"{"id":"a","title":"Hi"}"#).status == 201)
        _ = try await first.done("a")
        let again = try await first.ask(.post, "/v1/notifications", #"{"id":"a","title":"Hi"}"#)
        #expect(again.status == 200)
        #expect(again.json["new"]?.boolean == false)
        await first.end()
        let second = try await NotificationBench(Self.note, in: folder)
        #expect(try await second.ask(.post, "/v1/notifications", #"{"id":"a","title":"Hi"}"#).status == 200)
        try await second.send(#"{"id":"b","title":"Hi"}"#)
        _ = try await second.done("b")
        #expect(first.programs.calls(of: "note") == [["a"]])
        #expect(second.programs.calls(of: "note") == [["b"]])
        await second.end()
    }

    @Test("a push is identified by its sender's id, per registrar")
    func names() async throws {
        let bench = try await NotificationBench(Self.note)
        for payload in [
            #"{"from":"crm","uid":"7","title":"A"}"#, #"{"from":"ups","uid":"7","title":"A"}"#,
            #"{"from":"crm","uid":"7","title":"A"}"#,
        ] {
            try await bench.send(#"{"payload":\#(payload)}"#)
        }
        _ = try await bench.done("crm:7")
        _ = try await bench.done("ups:7")
        #expect(bench.programs.calls(of: "note").count == 2)
        await bench.end()
    }

    @Test("a notification without an id gets a UUIDv7")
    func unnamed() async throws {
        let bench = try await NotificationBench(Self.note, clock: HandClock(wall: 0x0123_4567_89ab))
        let id = try await bench.send(#"{"title":"A"}"#)
        #expect(id.hasPrefix("01234567-89ab-7") && id.utf8.count == 36)
        await bench.end()
    }

    @Test("a push without an id is identified by its carrier's id")
    func carriers() async throws {
        let bench = try await NotificationBench(Self.note)
        let first = try await bench.send(#"{"payload":{"title":"A"},"carrier":"x1"}"#)
        #expect(try await bench.send(#"{"payload":{"title":"A"},"carrier":"x1"}"#) == first)
        #expect(try await bench.send(#"{"payload":{"title":"A"},"carrier":"x2"}"#) != first)
        #expect(try await bench.send(#"{"payload":{"title":"A"}}"#) != first)
        await bench.end()
    }

    @Test(
        "a push is recognized for as long as its transport may repeat it, and for 'deduplicate' at least",
        arguments: [(Duration.zero, 6, false), (.zero, 8, true), (.seconds(30 * 86_400), 29, false)]
    )
    func repeated(repeats: Duration, days: Int, isNew: Bool) async throws {
        let folder = try TemporaryFolder()
        func accept(_ bench: NotificationBench) async throws -> NotificationIntake.Accepted {
            var arrival = IncomingNotification(.push(.members(["title": .string("Hi")])), way: "ward")
            (arrival.carrier, arrival.repeats) = ("7", repeats)
            return try await bench.service.intake.accept(arrival, for: bench.service)
        }
        let first = try await NotificationBench(Self.note, in: folder)
        let accepted = try await accept(first)
        #expect(accepted.isNew)
        _ = try await first.done(accepted.id)
        await first.end()
        let time = StoreTime()
        time.pass(.seconds(days * 86_400))
        let second = try await NotificationBench(Self.note, in: folder, storeClock: time.clock)
        #expect(try await accept(second).isNew == isNew)
        await second.end()
    }

    @Test("notifications that arrive together are queued in their order, however long each look takes")
    func together() async throws {
        let bench = try await NotificationBench(Self.note, queue: { SlowLooks($0) })
        let queue = try #require(bench.queue as? SlowLooks)
        let service = bench.service
        let ids = await withTaskGroup(of: (Int, String?).self) { group in
            for (number, turn) in ArrivalTurn.turns(3).enumerated() {
                group.addImmediateTask {
                    var arrival = IncomingNotification(.push(.members(["title": .string("Hi")])), way: "ward")
                    (arrival.carrier, arrival.turn) = ("\(number)", turn)
                    let accepted = try? await service.intake.accept(arrival, for: service)
                    await turn?.end(hasFailed: accepted == nil)
                    return (number, accepted?.id)
                }
            }
            #expect(await eventually { queue.looks == 3 })
            queue.release.fire()
            var ids: [Int: String] = [:]
            for await (number, id) in group { ids[number] = id }
            return ids
        }
        #expect(queue.added == (0..<3).compactMap { ids[$0] } && ids.count == 3)
        await bench.end()
    }

    @Test(
        "an invalid notification is rejected with the reason",
        arguments: [
            (#"{"data":{}}"#, 400, "no title or body"), (#"{"title":7}"#, 400, "expected text"),
            (#"{"id":"a\u0007b","title":"x"}"#, 422, "without control characters"),
            (
                #"{"title":"x","buttons":[{"label":"1"},{"label":"2"},{"label":"3"},{"label":"4"}]}"#, 400,
                "expected 3 at most"
            ),
            (#"{"title":"x","expires":"soon"}"#, 400, "a duration"), (#"{"titel":"x"}"#, 400, "did you mean 'title'"),
            (#"{"payload":{"a":1},"title":"x"}"#, 400, "only 'carrier' is allowed"),
            (#"{"carrier":"x1","title":"x"}"#, 400, "with 'payload' only"),
            (#"{"payload":7}"#, 400, "expected an object"), (#"{"title":"x","data":[]}"#, 400, "expected an object"),
        ]
    )
    func refused(body: String, status: Int, words: String) async throws {
        let bench = try await NotificationBench(Self.note)
        let answer = try await bench.ask(.post, "/v1/notifications", body)
        #expect(answer.status == status)
        #expect(answer.json.text().contains(words), "\(answer.json.text())")
        #expect(bench.programs.calls.isEmpty)
        await bench.end()
    }

    @Test("an oversized or too deep one is rejected with the setting")
    func large() async throws {
        let bench = try await NotificationBench("maxPayload: 1KiB\n\(Self.note)")
        // What is around the text takes twelve bytes.
        func titled(_ count: Int) -> String { #"{"title":"\#(String(repeating: "x", count: count))"}"# }
        #expect(try await bench.ask(.post, "/v1/notifications", titled(1_012)).status == 201)
        let large = try await bench.ask(.post, "/v1/notifications", titled(1_013))
        #expect(large.status == 413)
        #expect(large.json["config"]?["path"]?.string == "notifications.maxPayload")
        // The body has two levels more.
        for (count, status) in [(30, 201), (31, 400)] {
            let deep = String(repeating: "[", count: count) + String(repeating: "]", count: count)
            let answer = try await bench.ask(.post, "/v1/notifications", #"{"payload":{"a":\#(deep)}}"#)
            #expect(answer.status == status, "\(answer.json.text())")
        }
        await bench.end()
    }

    @Test("the queue is limited by the file")
    func full() async throws {
        let programs = ScriptedPrograms()
        let barrier = programs.barrier("note")
        let bench = try await NotificationBench("maxWaiting: 2\n\(Self.note)", programs: programs)
        try await bench.send(#"{"id":"1","title":"x"}"#)
        try await bench.send(#"{"id":"2","title":"x"}"#)
        let third = try await bench.ask(.post, "/v1/notifications", #"{"id":"3","title":"x"}"#)
        #expect(third.status == 507)
        #expect(third.json["config"]?["path"]?.string == "notifications.maxWaiting")
        barrier.fire()
        _ = try await bench.done("2")
        #expect(try await bench.ask(.post, "/v1/notifications", #"{"id":"3","title":"x"}"#).status == 201)
        await bench.end()
    }

    @Test("an expired notification is neither handled nor shown")
    func expired() async throws {
        let programs = ScriptedPrograms()
        let barrier = programs.barrier("note")
        let bench = try await NotificationBench("parallel: 1\n\(Self.note)", programs: programs)
        try await bench.send(#"{"id":"1","title":"x"}"#)
        #expect(await eventually { programs.calls.count == 1 })
        try await bench.send(#"{"id":"2","title":"x","expires":"1m"}"#)
        bench.bench.clock.pass(.seconds(20))
        bench.bench.clock.jump(to: bench.bench.clock.clockwork.wall() + 120_000)
        barrier.fire()
        #expect(try await bench.done("2")["reason"]?.string?.contains("the notification has expired") == true)
        #expect(programs.calls.count == 1)
        await bench.end()
    }

    @Test("the expiry of a push is its sender's, at a time or after the arrival")
    func expiredPush() async throws {
        let bench = try await NotificationBench(Self.note)
        let now = bench.bench.clock.clockwork.wall()
        for (carrier, seconds) in [("past", -60), ("future", 60)] {
            let payload = #"{"aps":{"alert":"x"},"apns-expiration":"\#(now / 1_000 + Int64(seconds))"}"#
            try await bench.send(#"{"payload":\#(payload),"carrier":"\#(carrier)"}"#)
        }
        let relative = #"{"message":{"notification":{"body":"x"},"android":{"ttl":"60s"}}}"#
        try await bench.send(#"{"payload":\#(relative),"carrier":"relative"}"#)
        #expect(try await bench.done("api:past")["reason"]?.string?.contains("the notification has expired") == true)
        for name in ["api:future", "api:relative"] { _ = try await bench.done(name) }
        #expect(bench.programs.calls(of: "note").map { $0[0] }.sorted() == ["api:future", "api:relative"])
        await bench.end()
    }

    @Test("a push of the embedded servers is acknowledged when it is stored")
    func embedded() async throws {
        let servers = ScriptedEmbedded()
        let bench = try await NotificationBench(
            Self.note,
            offering: [ServiceAbility.embeddedPushing.offered(by: servers)]
        )
        servers.send("p1", #"{"aps":{"alert":"Hi"}}"#)
        #expect(await eventually { servers.taken == ["p1"] })
        let id = "embedded:apns:p1"
        #expect(try await bench.done(id)["way"]?.string == "embedded")
        await bench.end()
    }

    @Test("a push of the embedded servers that is always rejected is dropped with a log message")
    func embeddedRefused() async throws {
        let servers = ScriptedEmbedded()
        let bench = try await NotificationBench(
            "maxPayload: 1KiB\n\(Self.note)",
            offering: [ServiceAbility.embeddedPushing.offered(by: servers)]
        )
        servers.send("p1", "[]")
        servers.send("p2", #"{"title":"\#(String(repeating: "x", count: 1_013))"}"#)
        servers.send("p3", #"{"title":"\#(String(repeating: "x", count: 1_012))"}"#)
        #expect(await eventually { servers.taken == ["p1", "p2", "p3"] })
        #expect(bench.bench.told.log.count { $0.hasPrefix("a push is rejected") } == 2)
        _ = try await bench.done("embedded:apns:p3")
        #expect(bench.programs.calls(of: "note") == [["embedded:apns:p3"]])
        #expect(!bench.bench.told.log.contains { $0.contains("handler has failed") })
        await bench.end()
    }
}

/// A queue whose first look for an item takes until it is released; it notes what is added, in order.
private final class SlowLooks: QueueAround {
    let queue: any WorkQueue
    let release = OneShot()
    private let state = Mutex((looks: 0, added: [String]()))

    init(_ queue: any WorkQueue) { self.queue = queue }

    var looks: Int { state.withLock { $0.looks } }
    var added: [String] { state.withLock { $0.added } }

    func find(_ id: String, in queue: String) async throws(StoreFailure) -> (item: WaitingWork, payload: [UInt8])? {
        let isFirst = state.withLock { state in
            state.looks += 1
            return state.looks == 1
        }
        if isFirst { await release.wait() }
        return try await self.queue.find(id, in: queue)
    }

    func add(_ item: NewWork, to queue: String, within quota: QueueQuota) async throws(StoreFailure) -> AddedWork {
        state.withLock { $0.added.append(item.id) }
        return try await self.queue.add(item, to: queue, within: quota)
    }
}
