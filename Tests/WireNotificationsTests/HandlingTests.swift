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
import Workbench

@Suite("Handling notifications")
struct HandlingTests {
    @Test(
        "the combined result is failed if any handler failed, else newData if any has new data, else noData",
        arguments: [
            ([0, 10], "newData"), ([10, 10], "noData"), ([10, 3], "failed"), ([0, 3], "failed"), ([0, 0], "newData"),
        ] as [([Int32], String)]
    )
    func fold(statuses: [Int32], result: String) async throws {
        let programs = ScriptedPrograms()
        programs.end("one", statuses[0])
        programs.end("two", statuses[1])
        let bench = try await NotificationBench(
            """
            handlers:
              one: { on: remote, exec: [one], retries: 0 }
              two: { on: remote, exec: [two], retries: 0 }
            """,
            programs: programs
        )
        let state = try await bench.done(try await bench.send(#"{"silent":true}"#))
        #expect(state["result"]?.string == result)
        #expect(state["handlers"]?.array?.count == 2)
        await bench.end()
    }

    @Test("conditions and kinds select the handlers of a notification")
    func conditions() async throws {
        let bench = try await NotificationBench(
            """
            handlers:
              changed: { on: remote, when: { kind: [changed, made] }, exec: [changed] }
              other: { on: remote, when: { kind: absent }, exec: [other] }
              deep: { on: remote, when: { task.id: present }, exec: [deep, "{{ task.id }}"] }
              people: { on: presentable, exec: [people] }
            """
        )
        _ = try await bench.done(try await bench.send(#"{"silent":true,"data":{"kind":"made","task":{"id":7}}}"#))
        _ = try await bench.done(try await bench.send(#"{"silent":true}"#))
        #expect(bench.programs.calls(of: "changed").count == 1)
        #expect(bench.programs.calls(of: "other").count == 1)
        #expect(bench.programs.calls(of: "deep") == [["7"]])
        #expect(bench.programs.calls(of: "people").isEmpty)
        await bench.end()
    }

    @Test("a failed handler is retried, a successful one is not, also after a restart")
    func again() async throws {
        let section = """
            handlers:
              good: { on: remote, exec: [good] }
              bad: { on: remote, exec: [bad], retries: 2 }
            """
        let folder = try TemporaryFolder()
        let programs = ScriptedPrograms()
        programs.end("bad", 1, 1, 0)
        let first = try await NotificationBench(section, in: folder, programs: programs)
        try await first.send(#"{"id":"a","silent":true}"#)
        let state = try await first.state("a") { told in
            told["state"]?.string == "waiting" && told["handlers"]?.array?.count == 2 && told["reason"] != nil
        }
        #expect(state["reason"]?.string?.contains("'bad' exited with 1") == true)
        try await first.skipWait(of: "a")
        #expect(await eventually { programs.calls(of: "bad").count == 2 })
        _ = try await first.state("a") { $0["state"]?.string == "waiting" }
        await first.end()
        let clock = HandClock(wall: first.bench.clock.clockwork.wall())
        let second = try await NotificationBench(section, in: folder, clock: clock, programs: programs)
        try await second.skipWait(of: "a")
        let done = try await second.done("a")
        #expect(done["result"]?.string == "newData")
        #expect(done["handlers"]?.array?.last?["attempts"]?.integer == 3)
        #expect(programs.calls(of: "good").count == 1)
        #expect(programs.calls(of: "bad").count == 3)
        await second.end()
    }

    @Test("a successful handler does not run again if the program ends while others are running")
    func killed() async throws {
        let section = """
            handlers:
              good: { on: remote, exec: [good] }
              slow: { on: remote, exec: [slow] }
            """
        let folder = try TemporaryFolder()
        let programs = ScriptedPrograms()
        _ = programs.barrier("slow")
        let first = try await NotificationBench(section, in: folder, programs: programs)
        try await first.send(#"{"id":"a","silent":true}"#)
        _ = try await first.state("a") { $0["handlers"]?.array?.count == 1 }
        await first.kill()
        let second = try await NotificationBench(section, in: folder, storeClock: Self.minutes(1))
        #expect(try await second.done("a")["result"]?.string == "newData")
        #expect(programs.calls(of: "good").count == 1)
        #expect(second.programs.calls(of: "good").isEmpty)
        #expect(second.programs.calls(of: "slow").count == 1)
        await second.end()
    }

    @Test("an interrupted handler is repeated with that information, and keeps its retries")
    func attempts() async throws {
        let section = "handlers: { slow: { on: remote, exec: [slow], retries: 1 } }"
        let folder = try TemporaryFolder()
        let programs = ScriptedPrograms()
        _ = programs.barrier("slow")
        let first = try await NotificationBench(section, in: folder, programs: programs)
        try await first.send(#"{"id":"a","silent":true}"#)
        #expect(await eventually { programs.calls.count == 1 })
        await first.kill()
        let cut = ScriptedPrograms()
        _ = cut.barrier("slow")
        let second = try await NotificationBench(section, in: folder, storeClock: Self.minutes(1), programs: cut)
        #expect(await eventually { cut.calls.count == 1 })
        // Told to end, and without the time for it.
        await second.breakOff()
        let failing = ScriptedPrograms()
        failing.end("slow", 1)
        let third = try await NotificationBench(section, in: folder, storeClock: Self.minutes(2), programs: failing)
        _ = try await third.state("a") { $0["handlers"]?.array?.first?["next"] != nil }
        try await third.skipWait(of: "a")
        let record = try #require(try await third.done("a")["handlers"]?.array?.first)
        let told = (programs.calls + cut.calls + failing.calls).map { $0.environment["COREWIRE_ATTEMPT"] }
        #expect(told == ["1", "2", "3", "4"])
        #expect(record["attempts"]?.integer == 4)
        #expect(record["interrupted"]?.integer == 2)
        await third.end()
    }

    @Test("a handler that succeeds after an interruption reports the interrupted attempt")
    func succeedsLater() async throws {
        let section = "handlers: { slow: { on: remote, exec: [slow] } }"
        let folder = try TemporaryFolder()
        let programs = ScriptedPrograms()
        _ = programs.barrier("slow")
        let first = try await NotificationBench(section, in: folder, programs: programs)
        try await first.send(#"{"id":"a","silent":true}"#)
        #expect(await eventually { programs.calls.count == 1 })
        await first.kill()
        let second = try await NotificationBench(section, in: folder, storeClock: Self.minutes(1))
        let record = try #require(try await second.done("a")["handlers"]?.array?.first)
        #expect(record["result"]?.string == "newData" && record["attempts"]?.integer == 2)
        #expect(record["interrupted"]?.integer == 1)
        await second.end()
    }

    @Test("a notification that crashes the program repeatedly fails, and does not block those behind it")
    func ruinous() async throws {
        let folder = try TemporaryFolder()
        let calls = Mutex<[String: Int]>([:])
        let barrier = OneShot()
        func start(_ number: Int) async throws -> NotificationBench {
            let handlers = EmbedderNotificationHandlers()
            let handler = EmbedderNotificationHandler(
                "shared",
                timeout: .seconds(60),
                .presentable { handed in
                    calls.withLock { $0[handed.id, default: 0] += 1 }
                    if handed.id == "ruinous" { await barrier.wait() }
                    return ["list"]
                }
            )
            _ = handlers.bring(handler)
            return try await NotificationBench(
                "permission: granted",
                in: folder,
                storeClock: Self.minutes(number),
                handlers: handlers
            )
        }
        for number in 0..<10 {
            let bench = try await start(number)
            if number == 0 {
                try await bench.send(#"{"id":"ruinous","title":"x"}"#)
                try await bench.send(#"{"id":"good","title":"x"}"#)
                _ = try await bench.state("good") { $0["handlers"]?.array?.count == 1 }
            }
            #expect(await eventually { calls.withLock { $0["ruinous"] } == number + 1 })
            #expect(await eventually { (try? bench.isClaimed("good")) == true })
            await bench.kill()
        }
        let last = try await start(10)
        let givenUp = try await last.done("ruinous")
        #expect(givenUp["result"]?.string == "failed")
        #expect(givenUp["reason"]?.string == "failed after 10 interrupted attempts")
        let good = try await last.done("good")
        #expect(good["result"]?.string == "noData", "\(good.text())")
        #expect(good["shown"]?.boolean == true)
        #expect(calls.withLock { $0 } == ["ruinous": 10, "good": 1])
        barrier.fire()
        await last.end()
    }

    @Test("notifications in progress at a kill are resumed beside current ones")
    func takenUp() async throws {
        let section = "parallel: 2\nhandlers: { slow: { on: remote, timeout: 5m, exec: [slow, \"{{ id }}\"] } }"
        let folder = try TemporaryFolder()
        let programs = ScriptedPrograms()
        let barrier = programs.barrier("slow")
        let first = try await NotificationBench(section, in: folder, programs: programs)
        for number in 0..<12 { try await first.send(#"{"id":"\#(number)","silent":true}"#) }
        #expect(await eventually { programs.calls.count == 2 })
        await first.kill()
        // Its claims hold for eight seconds.
        let time = StoreTime()
        time.pass(.seconds(5))
        let second = try await NotificationBench(section, in: folder, storeClock: time.clock, programs: programs)
        #expect(await eventually { programs.calls.count == 4 })
        time.pass(.seconds(4))
        let start = second.bench.clock.clockwork.wall()
        // No longer than that, or the handlers' own time would be up.
        let hasTaken = await eventually {
            if second.bench.clock.clockwork.wall() < start + 60_000 { second.bench.clock.pass(.milliseconds(250)) }
            return programs.calls.count >= 6
        }
        #expect(hasTaken)
        #expect(programs.calls(of: "slow").map { $0[0] }.sorted() == ["0", "0", "1", "1", "2", "3"])
        barrier.fire()
        for number in 0..<12 { _ = try await second.done("\(number)") }
        await second.end()
    }

    @Test(
        "the work on a notification ends when its claim is lost, or may be",
        .timeLimit(.minutes(1)),
        arguments: [false, true]
    )
    func losesClaim(isAway: Bool) async throws {
        let programs = ScriptedPrograms()
        let barrier = programs.barrier("slow")
        let bench = try await NotificationBench(
            "handlers: { slow: { on: remote, timeout: 5m, exec: [slow] } }",
            programs: programs,
            queue: { LosingClaims($0, isAway: isAway) }
        )
        let id = try await bench.send(#"{"silent":true}"#)
        #expect(await eventually { programs.calls.count == 1 })
        var passes = 0
        let isRepeated = await eventually {
            // Not as long as the time limit of the handler.
            if passes < 10, bench.bench.clock.wakes(in: .seconds(2)) {
                passes += 1
                bench.bench.clock.pass(.seconds(2))
            }
            return programs.calls.count > 1
        }
        #expect(isRepeated)
        barrier.fire()
        #expect(try await bench.done(id)["result"]?.string == "newData")
        await bench.end()
    }

    /// So much later, as the store sees it.
    private static func minutes(_ count: Int) -> StoreClock {
        StoreClock(
            now: StoreClock.system.now,
            uptime: { StoreClock.system.uptime() + Int64(count) * 60_000 },
            boot: StoreClock.system.boot
        )
    }

    @Test("a handler of the program gets only notifications received after its registration")
    func brought() async throws {
        let programs = ScriptedPrograms()
        let barrier = programs.barrier("note")
        let bench = try await NotificationBench("parallel: 1\n\(IntakeTests.note)", programs: programs)
        let seen = Mutex<[String]>([])
        try await bench.send(#"{"id":"1","silent":true}"#)
        try await bench.send(#"{"id":"2","silent":true}"#)
        _ = bench.handlers.bring(
            EmbedderNotificationHandler(
                "late",
                timeout: .seconds(5),
                .remote { handed in
                    seen.withLock { $0.append(handed.id) }
                    return true
                }
            )
        )
        try await bench.send(#"{"id":"3","silent":true}"#)
        barrier.fire()
        let done = try await bench.done("3")
        #expect(done["handlers"]?.array?.compactMap { $0["name"]?.string }.contains("swift:late") == true)
        _ = try await bench.done("2")
        #expect(seen.withLock { $0 } == ["3"])
        await bench.end()
    }

    @Test("a handler over its timeout has failed, whether or not it reacts to cancellation")
    func slow() async throws {
        let programs = ScriptedPrograms()
        let barrier = programs.barrier("slow")
        let stubborn = OneShot()
        let bench = try await NotificationBench(
            "handlers: { slow: { on: remote, exec: [slow], timeout: 5s, retries: 0 } }",
            programs: programs
        )
        _ = bench.handlers.bring(
            EmbedderNotificationHandler(
                "stubborn",
                timeout: .seconds(5),
                .remote { _ in
                    await Task { await stubborn.wait() }.value
                    return true
                }
            )
        )
        let id = try await bench.send(#"{"silent":true}"#)
        #expect(await eventually { programs.calls.count == 1 })
        let state = try await bench.state(id) { told in
            if told["handlers"]?.array?.count == 2 { return true }
            // Nobody knows when whoever looks after the time of each begins to.
            bench.bench.clock.pass(.seconds(1))
            return false
        }
        let reasons = (state["handlers"]?.array ?? []).compactMap { $0["reason"]?.string }
        #expect(reasons == ["timed out after 5s", "timed out after 5s"])
        barrier.fire()
        stubborn.fire()
        await bench.end()
    }

    @Test("an argument from a notification is never an option of the program")
    func options() async throws {
        let bench = try await NotificationBench(
            """
            handlers:
              plain: { on: any, exec: [plain, "{{ body }}"] }
              ended: { on: any, exec: [ended, --, "{{ body }}"] }
              said: { on: any, exec: [said, "--text={{ body }}"] }
            """
        )
        let state = try await bench.done(try await bench.send(#"{"body":"--delete-all"}"#))
        #expect(bench.programs.calls(of: "plain").isEmpty)
        #expect(bench.programs.calls(of: "ended") == [["--", "--delete-all"]])
        #expect(bench.programs.calls(of: "said") == [["--text=--delete-all"]])
        #expect(state["result"]?.string == "failed")
        #expect(state.text().contains("would take for an option"))
        await bench.end()
    }

    @Test("programs get the notification's id in variables, and its content on standard input")
    func told() async throws {
        let bench = try await NotificationBench(IntakeTests.note)
        _ = try await bench.done(try await bench.send(#"{"id":"a","title":"Hi","data":{"x":1}}"#))
        let call = try #require(bench.programs.calls.first)
        #expect(call.environment["COREWIRE_NOTIFICATION_ID"] == "a")
        #expect(call.environment["COREWIRE_HANDLER"] == "note")
        let read = try JSONValue(parsing: try #require(call.input), named: "input")
        #expect(read["title"]?.string == "Hi")
        #expect(read["data"]?["x"]?.integer == 1)
        await bench.end()
    }

    @Test("a push server is told the delivery with its time, and the open once")
    func delivered() async throws {
        let clock = HandClock()
        let bench = try await NotificationBench(
            "permission: granted\nhandlers: { show: { on: presentable, present: [list] } }",
            clock: clock
        )
        let came = clock.clockwork.wall()
        try await bench.send(#"{"payload":{"from":"crm","uid":"7","title":"A"}}"#)
        _ = try await bench.done("crm:7")
        #expect(bench.servers.told == [.init(event: "delivery", id: "7", moment: came)])
        clock.pass(.seconds(3))
        #expect(try await bench.ask(.post, "/v1/notifications/crm:7/tap", #"{"id":"t1"}"#).status == 202)
        #expect(
            try await bench.ask(.post, "/v1/notifications/crm:7/tap", #"{"id":"t1"}"#).json["new"]?.boolean == false
        )
        #expect(await eventually { bench.servers.told.count == 2 })
        #expect(bench.servers.told.last == .init(event: "open", id: "7", moment: came + 3_000))
        #expect(try await bench.ask(.delete, "/v1/notifications/crm:7").status == 204)
        #expect(bench.servers.told.last?.event == "dismiss")
        await bench.end()
        #expect(bench.servers.told.count == 3)
    }
}

/// A queue that does not extend claims: it says that they are lost, or is away.
private final class LosingClaims: QueueAround {
    let queue: any WorkQueue
    private let isAway: Bool

    init(_ queue: any WorkQueue, isAway: Bool) { (self.queue, self.isAway) = (queue, isAway) }

    func extend(_ claims: [ClaimedWork], by lease: Duration) async throws(StoreFailure) -> [Bool] {
        if isAway { throw StoreFailure(.away, "the server cannot be reached") }
        return claims.map { _ in false }
    }
}
