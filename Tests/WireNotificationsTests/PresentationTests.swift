import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireSQLite
import WireStore
import WireTelemetry
import Workbench

@testable import WireNotifications

@Suite("Presenting notifications")
struct PresentationTests {
    static let show = "permission: granted\nhandlers: { show: { on: presentable, present: [banner, list] } }"

    @Test("a notification is shown in all requested ways, and suppressed only if all handlers want none")
    func union() async throws {
        let bench = try await NotificationBench(
            """
            permission: granted
            handlers:
              one: { on: presentable, when: { a: present }, present: [banner] }
              two: { on: presentable, when: { b: present }, present: [list] }
              none: { on: presentable, present: [] }
            """
        )
        try await bench.send(#"{"id":"ab","title":"x","data":{"a":1,"b":1}}"#)
        let both = try await bench.done("ab")
        #expect(both["notification"]?["options"]?.array?.compactMap(\.string) == ["banner", "list"])
        try await bench.send(#"{"id":"c","title":"x"}"#)
        let none = try await bench.done("c")
        #expect(none["shown"]?.boolean == false)
        #expect(none["suppressed"]?.string == "no handler presents the notification")
        #expect(bench.events("suppressed").count == 1)
        #expect(bench.events("shown").compactMap { $0["id"]?.string } == ["ab"])
        await bench.end()
    }

    @Test("notifications appear in order of receipt, however long their handling takes")
    func order() async throws {
        let barrier = OneShot()
        let handled = Mutex<Set<String>>([])
        let bench = try await NotificationBench(Self.show)
        _ = bench.handlers.bring(
            EmbedderNotificationHandler(
                "slow",
                timeout: .seconds(60),
                .presentable { handed in
                    handled.withLock { _ = $0.insert(handed.id) }
                    if handed.id == "0" { await barrier.wait() }
                    return ["banner"]
                }
            )
        )
        for number in 0..<5 { try await bench.send(#"{"id":"\#(number)","title":"x"}"#) }
        // All but the first are handled, and wait for it.
        #expect(await eventually { handled.withLock { $0.count } == 5 })
        #expect(bench.events("shown").isEmpty)
        barrier.fire()
        for number in 0..<5 { _ = try await bench.done("\(number)") }
        #expect(bench.events("shown").compactMap { $0["id"]?.string } == ["0", "1", "2", "3", "4"])
        await bench.end()
    }

    @Test(
        "notifications in progress at a kill appear before later ones, in order",
        arguments: [Duration.seconds(5), .seconds(60)]
    )
    func takenUp(after absence: Duration) async throws {
        let folder = try TemporaryFolder()
        let (time, barrier) = (StoreTime(), OneShot())
        let handled = Mutex(0)
        func start(waits: Bool) async throws -> NotificationBench {
            let handlers = EmbedderNotificationHandlers()
            let handler = EmbedderNotificationHandler(
                "shared",
                timeout: .seconds(3_600),
                .presentable { _ in
                    handled.withLock { $0 += 1 }
                    if waits { await barrier.wait() }
                    return ["banner"]
                }
            )
            _ = handlers.bring(handler)
            let section = "permission: granted\nparallel: 4"
            return try await NotificationBench(section, in: folder, storeClock: time.clock, handlers: handlers)
        }
        let first = try await start(waits: true)
        for number in 0..<6 { try await first.send(#"{"id":"\#(number)","title":"x"}"#) }
        #expect(await eventually { handled.withLock { $0 } == 4 })
        await first.kill()
        time.pass(absence)
        let second = try await start(waits: false)
        if absence < NotificationEngine.lease {
            // Until the claims of the first are over the others are handled, and not shown.
            #expect(await eventually { handled.withLock { $0 } == 6 })
            #expect(second.events("shown").isEmpty)
            time.pass(NotificationEngine.lease)
        }
        let isShown = await eventually {
            second.bench.clock.pass(.milliseconds(250))
            return second.events("shown").count == 6
        }
        #expect(isShown)
        #expect(second.events("shown").compactMap { $0["id"]?.string } == ["0", "1", "2", "3", "4", "5"])
        barrier.fire()
        await second.end()
    }

    @Test("the notifications that another runner of the group handles hold nothing up")
    func elsewhere() async throws {
        let shared = try Workbench()
        let group = DataStore(values: shared.store, queue: shared.store)
        let (barrier, asked) = (OneShot(), OneShot())
        let handlers = EmbedderNotificationHandlers()
        let slow = EmbedderNotificationHandler(
            "shared",
            timeout: .seconds(3_600),
            .presentable { _ in
                asked.fire()
                await barrier.wait()
                return ["banner"]
            }
        )
        _ = handlers.bring(slow)
        let section = "permission: granted\nparallel: 1"
        let first = try await NotificationBench(section, handlers: handlers, group: group)
        try await first.send(#"{"id":"1","title":"x"}"#)
        await asked.wait()
        let second = try await NotificationBench(Self.show, group: group)
        try await second.send(#"{"id":"2","title":"x"}"#)
        #expect(await eventually { second.events("shown").compactMap { $0["id"]?.string } == ["2"] })
        #expect(first.events("shown").isEmpty)
        barrier.fire()
        #expect(await eventually { first.events("shown").compactMap { $0["id"]?.string } == ["1"] })
        await first.end()
        await second.end()
        await shared.store.close()
    }

    @Test("the permission is that of a machine, also in a group")
    func permissions() async throws {
        let shared = try Workbench()
        let group = DataStore(values: shared.store, queue: shared.store)
        let first = try await NotificationBench(Self.show, group: group)
        let second = try await NotificationBench(Self.show, group: group)
        _ = try await first.ask(.put, Self.permission, #"{"answer":"denied"}"#)
        try await second.reload(Self.show)
        #expect(try await second.ask(.get, Self.permission).json["answer"]?.string == "granted")
        try await first.reload(Self.show)
        #expect(try await first.ask(.get, Self.permission).json["answer"]?.string == "denied")
        for bench in [first, second] { await bench.end() }
        await shared.store.close()
    }

    @Test("a queue that cannot be read at the start is read again", .timeLimit(.minutes(1)))
    func unreadable() async throws {
        let bench = try await NotificationBench(Self.show, queue: { AwayAtFirst($0) })
        let isReached = await eventually {
            if bench.bench.clock.wakes(in: .seconds(1)) { bench.bench.clock.pass(.seconds(1)) }
            return bench.bench.told.all.last == "well"
        }
        #expect(isReached, "\(bench.bench.told.all)")
        #expect(bench.bench.told.all.contains { $0.hasPrefix("degraded") })
        let id = try await bench.send(#"{"title":"x"}"#)
        #expect(try await bench.done(id)["shown"]?.boolean == true)
        await bench.end()
    }

    /// A queue whose first list fails.
    private final class AwayAtFirst: QueueAround {
        let queue: any WorkQueue
        private let isAway = Mutex(true)

        init(_ queue: any WorkQueue) { self.queue = queue }

        func list(_ queue: String, lane: String?, after: Int64?, limit: Int) async throws(StoreFailure) -> [WaitingWork]
        {
            let isAway = isAway.withLock { isAway in
                defer { isAway = false }
                return isAway
            }
            if isAway { throw StoreFailure(.away, "the server cannot be reached") }
            return try await self.queue.list(queue, lane: lane, after: after, limit: limit)
        }
    }

    @Test("until the permission is decided notifications wait, then appear in order, once each")
    func asked() async throws {
        let folder = try TemporaryFolder()
        let section = "handlers: { show: { on: presentable, present: [list], log: { text: \"{{ id }}\" } } }"
        let bench = try await NotificationBench(section, in: folder)
        for id in ["1", "2", "3"] { try await bench.send(#"{"id":"\#(id)","title":"x"}"#) }
        for id in ["1", "2", "3"] { _ = try await bench.state(id) { $0["for"]?.string == "permission" } }
        #expect(bench.events("shown").isEmpty)
        // The list tells the time of arrival, like the details.
        let waiting = try await bench.ask(.get, "/v1/notifications?state=waiting").json["notifications"]?.array ?? []
        #expect(waiting.map { $0["id"]?.string } == ["1", "2", "3"])
        for item in waiting {
            let detail = try await bench.state(item["id"]?.string ?? "") { _ in true }
            #expect(item["received"]?.integer == detail["received"]?.integer)
        }
        let answer = try await bench.ask(.put, "/v1/notifications/permission", #"{"answer":"granted"}"#)
        #expect(answer.json["answer"]?.string == "granted")
        for id in ["1", "2", "3"] { #expect(try await bench.done(id)["shown"]?.boolean == true) }
        #expect(bench.events("shown").compactMap { $0["id"]?.string } == ["1", "2", "3"])
        #expect(bench.bench.told.log.count { $0.hasPrefix("1 ") } == 1)
        await bench.end()
        let next = try await NotificationBench(section, in: folder)
        #expect(next.permission.answer == .granted)
        await next.end()
    }

    @Test("a decision that races with the start of the wait is not lost")
    func answeredMeanwhile() async throws {
        let bench = try await NotificationBench(
            "handlers: { show: { on: presentable, present: [list] } }",
            queue: { PuttingBack($0) }
        )
        let queue = try #require(bench.queue as? PuttingBack)
        queue.meanwhile { _ = try await bench.ask(.put, Self.permission, #"{"answer":"granted"}"#) }
        let id = try await bench.send(#"{"title":"x"}"#)
        #expect(try await bench.done(id)["shown"]?.boolean == true)
        await bench.end()
    }

    @Test("a reloaded permission applies, unless the user has decided")
    func answeredByFile() async throws {
        let section = "permission: ask\nhandlers: { show: { on: presentable, present: [list] } }"
        let bench = try await NotificationBench(section)
        let id = try await bench.send(#"{"title":"x"}"#)
        _ = try await bench.state(id) { $0["for"]?.string == "permission" }
        try await bench.reload(section.replacingOccurrences(of: "ask", with: "granted"))
        #expect(try await bench.done(id)["shown"]?.boolean == true)
        _ = try await bench.ask(.put, Self.permission, #"{"answer":"denied"}"#)
        try await bench.reload(section)
        #expect(try await bench.ask(.get, Self.permission).json["answer"]?.string == "denied")
        await bench.end()
    }

    private static let permission = "/v1/notifications/permission"

    /// A queue in which something else happens when a notification is about to be put back for want of an answer.
    private final class PuttingBack: QueueAround {
        let queue: any WorkQueue
        private let work = Mutex<(@Sendable () async throws -> Void)?>(nil)

        init(_ queue: any WorkQueue) { self.queue = queue }

        func meanwhile(_ work: @escaping @Sendable () async throws -> Void) { self.work.withLock { $0 = work } }

        func complete(_ endings: [WorkEnding], claiming streamRequest: ClaimRequest?, in queue: String)
            async throws(StoreFailure) -> CompletionResult
        {
            let isPutBack = endings.contains { ending in
                if case .later(let delay) = ending.end { delay.awaits == "permission" } else { false }
            }
            if isPutBack { try? await work.withLock { $0 }?() }
            return try await self.queue.complete(endings, claiming: streamRequest, in: queue)
        }
    }

    @Test("denied suppresses and counts, for every sender")
    func denied() async throws {
        let bench = try await NotificationBench(
            Self.show.replacingOccurrences(of: "granted", with: "denied")
        )
        _ = try await bench.done(try await bench.send(#"{"id":"1","title":"x"}"#))
        _ = try await bench.done(try await bench.send(#"{"payload":{"from":"crm","uid":"7","title":"A"}}"#))
        #expect(bench.events("suppressed").count == 2)
        let text = await bench.bench.metrics.text(.prometheus)
        #expect(text.contains(#"corewire_notifications_total{outcome="suppressed"} 2"#), "\(text)")
        await bench.end()
    }

    @Test("the list is paginated from the latest, with the unread count")
    func list() async throws {
        let bench = try await NotificationBench(Self.show)
        for number in 0..<25 { try await bench.send(#"{"id":"n\#(number)","title":"x"}"#) }
        for number in 0..<25 { _ = try await bench.done("n\(number)") }
        var (ids, next): ([String], String?) = ([], nil)
        repeat {
            let page = try await bench.ask(.get, "/v1/notifications?limit=10\(next.map { "&after=\($0)" } ?? "")").json
            ids += (page["notifications"]?.array ?? []).compactMap { $0["id"]?.string }
            #expect(page["unread"]?.integer == 25)
            next = page["next"]?.string
        } while next != nil
        #expect(ids == (0..<25).reversed().map { "n\($0)" })
        #expect(try await bench.ask(.post, "/v1/notifications/n3/read").status == 204)
        #expect(try await bench.ask(.post, "/v1/notifications/n3/read").status == 204)
        #expect(try await bench.ask(.delete, "/v1/notifications/n4").status == 204)
        let unread = try await bench.ask(.get, "/v1/notifications?state=unread&limit=200").json
        #expect(unread["unread"]?.integer == 23)
        #expect(unread["notifications"]?.array?.count == 23)
        #expect(try await bench.ask(.post, "/v1/notifications/read").json["read"]?.integer == 23)
        #expect(try await bench.ask(.get, "/v1/notifications").json["unread"]?.integer == 0)
        await bench.end()
    }

    @Test("the list keeps the latest notifications up to the limit")
    func bounded() async throws {
        let bench = try await NotificationBench("inbox: { entries: 3 }\n\(Self.show)")
        for number in 0..<6 {
            try await bench.send(#"{"id":"n\#(number)","title":"x"}"#)
            _ = try await bench.done("n\(number)")
        }
        let page = try await bench.ask(.get, "/v1/notifications").json
        #expect((page["notifications"]?.array ?? []).compactMap { $0["id"]?.string } == ["n5", "n4", "n3"])
        #expect(page["unread"]?.integer == 3)
        await bench.end()
    }

    @Test("a tap opens the link with the program of the file, a button its own, and only listed schemes")
    func taps() async throws {
        let bench = try await NotificationBench(
            """
            permission: granted
            links: { schemes: [https, tasks], exec: [open, "{{ link }}"] }
            handlers: { show: { on: presentable, present: [list], buttons: [reply] } }
            buttons: { reply: { label: "Re: {{ title | upper }}", open: "tasks://reply/{{ id | urlEncode }}" } }
            """
        )
        try await bench.send(#"{"id":"a b","title":"hi","link":"https://x.example/1"}"#)
        let shown = try await bench.done("a b")
        #expect(shown["notification"]?["buttons"]?.array?.first?["label"]?.string == "Re: HI")
        #expect(try await bench.ask(.post, "/v1/notifications/a%20b/tap").status == 202)
        #expect(await eventually { bench.programs.calls(of: "open") == [["https://x.example/1"]] })
        #expect(try await bench.ask(.post, "/v1/notifications/a%20b/tap", #"{"button":"reply"}"#).status == 202)
        #expect(await eventually { bench.programs.calls(of: "open").last == ["tasks://reply/a%20b"] })
        let unknown = try await bench.ask(.post, "/v1/notifications/a%20b/tap", #"{"button":"replay"}"#)
        #expect(unknown.status == 404)
        #expect(unknown.json["detail"]?.string?.contains("did you mean 'reply'?") == true)
        try await bench.send(#"{"id":"evil","title":"hi","link":"javascript:alert(1)"}"#)
        _ = try await bench.done("evil")
        _ = try await bench.ask(.post, "/v1/notifications/evil/tap")
        #expect(await eventually { bench.bench.told.log.contains { $0.contains("link with an allowed scheme") } })
        try await bench.send(#"{"id":"far","title":"hi","link":"ftp://x.example/1"}"#)
        _ = try await bench.done("far")
        #expect(try await bench.ask(.post, "/v1/notifications/far/tap", #"{"id":"t"}"#).status == 202)
        #expect(try await bench.done("tap:t:far")["result"]?.string == "failed")
        #expect(bench.programs.calls(of: "open").count == 2)
        await bench.end()
    }

    @Test("a tap while the store is unreadable can be repeated, and is not reported as unknown")
    func tapWithoutStore() async throws {
        let bench = try await NotificationBench(Self.show)
        await bench.bench.store.close()
        #expect(try await bench.ask(.post, "/v1/notifications/a/tap").status == 503)
        await bench.breakOff()
    }
}
