import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireService
import WireSync
import Workbench

@Suite("Delta queries", .timeLimit(.minutes(2)))
struct DeltaTests {
    /// Tasks with the times of their last changes, as a server keeps them.
    private final class Tasks: Sendable {
        struct Entry: Sendable {
            var title: String
            var time: Int64
            var isDeleted = false
        }

        /// How many are told at most, and whether the time of an answer is the present in any case.
        let most: Int
        private let tellsPresent = Mutex(false)

        init(most: Int = .max) { self.most = most }

        func tellPresent(_ tells: Bool) { tellsPresent.withLock { $0 = tells } }

        private let state = Mutex<(entries: [String: Entry], now: Int64, oldest: Int64)>(([:], 1_000, 0))

        func put(_ id: String, _ title: String) {
            state.withLock { state in
                state.now += 1
                state.entries[id] = Entry(title: title, time: state.now)
            }
        }

        func delete(_ id: String) {
            state.withLock { state in
                state.now += 1
                state.entries[id]?.time = state.now
                state.entries[id]?.isDeleted = true
            }
        }

        /// Forgets what was deleted, and refuses times from before then.
        func forgetDeleted(refusing: Bool) {
            state.withLock { state in
                state.entries = state.entries.filter { !$0.value.isDeleted }
                state.now += refusing ? 1 : 1_000_000_000
                if refusing { state.oldest = state.now }
            }
        }

        func answer(_ request: JSONValue) -> JSONValue {
            state.withLock { state in
                let all = state.entries.sorted { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
                guard ["Changed", "Told"].contains(request["operationName"]?.string) else {
                    let tasks = state.entries.sorted { $0.key < $1.key }.filter { !$0.value.isDeleted }.map { entry in
                        JSONValue.members([
                            "__typename": .string("Task"), "id": .string(entry.key),
                            "title": .string(entry.value.title),
                        ])
                    }
                    let page = JSONValue.members(["__typename": .string("TaskPage"), "items": .array(tasks)])
                    return .members(["data": .members(["findTasks": page])])
                }
                let since = Int64(request["variables"]?["lastSync"]?.integer ?? -1)
                if since > 0, since < state.oldest {
                    return .members(["errors": .array([.members(["message": .string("lastSync is too old")])])])
                }
                let fitting = all.filter { $0.value.time > since }
                let items = fitting.prefix(min(most, request["variables"]?["limit"]?.integer ?? .max))
                let isPaged = items.count < fitting.count && !tellsPresent.withLock { $0 }
                let last = isPaged ? items.last?.value.time ?? state.now : state.now
                let told = items.map { entry in
                    JSONValue.members([
                        "__typename": .string("TaskDelta"), "id": .string(entry.key),
                        "title": .string(entry.value.title), "_deleted": .boolean(entry.value.isDeleted),
                        "_lastUpdatedAt": .string("\(entry.value.time)"),
                    ])
                }
                let page = JSONValue.members([
                    "__typename": .string("TaskDeltaList"), "items": .array(told), "lastSync": .integer(Int(last)),
                ])
                return .members(["data": .members(["syncTasks": page])])
            }
        }
    }

    private static func bench(_ rules: String, _ tasks: Tasks, query: String = "Changed") async throws -> LiveBench {
        let server = LiveServer()
        server.answer { tasks.answer($0) }
        return try await LiveBench("delta: { Task: { query: \(query), \(rules) } }", server: server)
    }

    private static func times(_ bench: LiveBench, _ query: String = "Changed") -> [Int] {
        bench.server.requests(query).map { $0["variables"]?["lastSync"]?.integer ?? -1 }
    }

    @Test("changes are fetched since the last response, by the server's time")
    func changes() async throws {
        let tasks = Tasks()
        tasks.put("1", "milk")
        tasks.put("2", "bread")
        let bench = try await Self.bench("every: 1m, adds: [AllTasks]", tasks)
        #expect(await bench.passing { Self.times(bench) == [0] })
        _ = try await bench.query("AllTasks", "networkOnly")
        #expect(try await bench.titles() == ["1 milk", "2 bread"])
        tasks.put("1", "oat milk")
        tasks.delete("2")
        tasks.put("3", "eggs")
        #expect(try await bench.passing { try await bench.titles() == ["1 oat milk", "3 eggs"] })
        #expect(Self.times(bench) == [0, 1_002])
        #expect(try await bench.passing { try await bench.delta()["lastSync"]?.string == "1005" })
        #expect(try await bench.delta()["deleted"]?.integer == 1)
        #expect(bench.server.requests("AllTasks").count == 1)
        await bench.end()
    }

    @Test("a restart continues after the last response, a cleared cache from the beginning")
    func restart() async throws {
        let tasks = Tasks()
        tasks.put("1", "milk")
        var bench = try await Self.bench("every: 0s", tasks)
        #expect(await bench.passing { Self.times(bench) == [0] })
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        bench = try await bench.restarted("delta: { Task: { query: Changed, every: 0s } }")
        #expect(await bench.passing { Self.times(bench) == [0, 1_001] })
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        _ = try await bench.bench.clear(.all)
        #expect(await bench.passing { Self.times(bench) == [0, 1_001, 0] })
        await bench.end()
    }

    @Test("pages are requested until the limit is not reached")
    func limit() async throws {
        let tasks = Tasks()
        for number in 1...5 { tasks.put("\(number)", "task \(number)") }
        let bench = try await Self.bench("variables: { limit: 2 }, every: 0s", tasks)
        #expect(await bench.passing { Self.times(bench) == [0, 1_002, 1_004] })
        #expect(try await bench.passing { try await bench.delta()["changed"]?.integer == 5 })
        await bench.end()
    }

    @Test(
        "if the server has forgotten the time, all objects are fetched, and others are deleted",
        arguments: [true, false]
    )
    func forgotten(refusing: Bool) async throws {
        let tasks = Tasks()
        tasks.put("1", "milk")
        tasks.put("2", "bread")
        let bench = try await Self.bench("every: 1m", tasks)
        _ = try await bench.query("AllTasks", "networkOnly")
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        tasks.delete("2")
        tasks.put("1", "oat milk")
        tasks.forgetDeleted(refusing: refusing)
        #expect(await bench.passing { Self.times(bench) == [0, 1_002, 0] })
        // The list names an object that is gone, so it is not whole any more.
        #expect(try await bench.passing { try await bench.titles() == nil })
        #expect(try await bench.query("AllTasks", "cacheFirst")["data"]?["findTasks"]?["items"]?.array?.count == 1)
        await bench.end()
    }

    @Test("a failed query is retried with backoff, or when a token is available")
    func pause() async throws {
        let (server, people) = (LiveServer(), HandPeople())
        server.answer { _ in .members(["errors": .array([.members(["message": .string("broken")])])]) }
        people.signIn("ada")
        let bench = try await LiveBench(
            "delta: { Task: { query: Changed, every: 0s } }",
            server: server,
            isOfUsers: true,
            people: people
        )
        #expect(await eventually { !Self.times(bench).isEmpty })
        // It may ask twice, where the user is found while it begins.
        for _ in 0..<200 { await breath() }
        let begun = Self.times(bench).count
        for count in 1...3 {
            people.recovered.notify(())
            #expect(await eventually { Self.times(bench).count >= begun + count })
            for _ in 0..<50 { await breath() }
            #expect(Self.times(bench).count == begun + count)
        }
        await bench.end()
    }

    @Test("a token that becomes available again after the first query is not missed")
    func early() async throws {
        let (server, isHeard, isEarly) = (LiveServer(), OneShot(), OneShot())
        let people = HandPeople(hearing: isHeard)
        server.answer { _ in
            if !isHeard.hasFired { isEarly.fire() }
            return .members(["errors": .array([.members(["message": .string("broken")])])])
        }
        people.signIn("ada")
        let bench = try await LiveBench(
            "delta: { Task: { query: Changed, every: 0s } }",
            server: server,
            isOfUsers: true,
            people: people
        )
        #expect(await eventually { !Self.times(bench).isEmpty })
        #expect(!isEarly.hasFired)
        await bench.end()
    }

    /// A bench whose server tells one time after the other, and the last again and again.
    private static func bench(telling times: [JSONValue]) async throws -> LiveBench {
        let server = LiveServer()
        let rest = Mutex(times)
        server.answer { _ in
            let time = rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first }
            let page = JSONValue.members([
                "__typename": .string("TaskDeltaList"), "items": .array([]), "lastSync": time,
            ])
            return .members(["data": .members(["syncTasks": page])])
        }
        return try await LiveBench("delta: { Task: { query: Changed, every: 1m } }", server: server)
    }

    @Test(
        "a timestamp before 1970 is invalid",
        arguments: [.string("-9223372036854775808"), .integer(.min), .integer(-1)] as [JSONValue]
    )
    func negative(time: JSONValue) async throws {
        let bench = try await Self.bench(telling: [.string("1700000000000"), time])
        #expect(await bench.passing { Self.times(bench).count >= 2 })
        #expect(
            try await bench.passing { try await bench.delta()["lastError"]?.string?.contains("milliseconds") == true }
        )
        #expect(try await bench.delta()["lastSync"]?.string == "1700000000000")
        await bench.end()
    }

    @Test("if the server's time went back, all objects are fetched")
    func backwards() async throws {
        let bench = try await Self.bench(telling: [.integer(.max), .integer(2_000)])
        #expect(await bench.passing { Self.times(bench).count >= 4 })
        #expect(Self.times(bench).prefix(4) == [0, .max, 0, 2_000])
        await bench.end()
    }

    @Test("a full page whose time does not advance deletes nothing")
    func full() async throws {
        let tasks = Tasks()
        tasks.put("1", "milk")
        tasks.put("2", "bread")
        let server = LiveServer()
        server.answer { tasks.answer($0) }
        var bench = try await LiveBench("cache: { maxAge: 1d }", server: server)
        _ = try await bench.query("AllTasks", "networkOnly")
        server.answer { _ in
            let task = JSONValue.members([
                "__typename": .string("TaskDelta"), "id": .string("1"), "title": .string("milk"),
                "_deleted": .boolean(false),
            ])
            let page = JSONValue.members([
                "__typename": .string("TaskDeltaList"), "items": .array([task]), "lastSync": .integer(5),
            ])
            return .members(["data": .members(["syncTasks": page])])
        }
        bench = try await bench.restarted("delta: { Task: { query: Changed, variables: { limit: 1 }, every: 1m } }")
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        #expect(try await bench.titles() == ["1 milk", "2 bread"])
        #expect(try await bench.delta()["truncated"]?.boolean == true)
        // Nor is it known how far the type is up to date.
        #expect(await bench.passing { Self.times(bench).prefix(4) == [0, 5, 0, 5] })
        await bench.end()
    }

    @Test("objects omitted by a full response with the current time are fetched again, and count as missing")
    func present() async throws {
        let tasks = Tasks()
        let bench = try await Self.bench("variables: { limit: 2 }, every: 1m", tasks, query: "Told")
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        #expect(try await bench.delta()["truncated"] == nil)
        tasks.tellPresent(true)
        for number in 1...3 { tasks.put("\(number)", "task \(number)") }
        _ = try await bench.query("AllTasks", "networkOnly")
        #expect(await bench.passing { Self.times(bench, "Told").prefix(3) == [0, 1_000, 1_000] })
        #expect(try await bench.delta()["truncated"]?.boolean == true)
        #expect(try await bench.titles()?.count == 3)
        tasks.tellPresent(false)
        #expect(await bench.passing { Self.times(bench, "Told").contains(1_002) })
        #expect(try await bench.passing { try await bench.delta()["truncated"] == nil })
        await bench.end()
    }

    @Test("a server with its own limit is queried until all objects are returned")
    func limitOfServer() async throws {
        let tasks = Tasks(most: 2)
        for number in 1...5 { tasks.put("\(number)", "task \(number)") }
        let server = LiveServer()
        server.answer { tasks.answer($0) }
        var bench = try await LiveBench("cache: { maxAge: 1d }", server: server)
        _ = try await bench.query("AllTasks", "networkOnly")
        bench = try await bench.restarted("delta: { Task: { query: Told, every: 0s } }")
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        #expect(Self.times(bench, "Told").prefix(3) == [0, 1_002, 1_004])
        #expect(try await bench.titles()?.count == 5)
        await bench.end()
    }

    @Test("without a known position, objects that the server omits are deleted")
    func unknown() async throws {
        let tasks = Tasks()
        tasks.put("1", "milk")
        tasks.put("2", "bread")
        let server = LiveServer()
        server.answer { tasks.answer($0) }
        var bench = try await LiveBench("cache: { maxAge: 1d }", server: server)
        _ = try await bench.query("AllTasks", "networkOnly")
        tasks.delete("2")
        tasks.forgetDeleted(refusing: false)
        bench = try await bench.restarted("delta: { Task: { query: Changed, every: 1m } }")
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        #expect(try await bench.titles() == nil)
        await bench.end()
    }

    @Test("a failure is reported and retried, also when the network returns")
    func failures() async throws {
        let tasks = Tasks()
        let bench = try await Self.bench("every: 0s", tasks)
        #expect(await bench.passing { Self.times(bench).count == 1 })
        #expect(try await bench.passing { try await bench.delta()["lastRun"] != nil })
        bench.server.answer { _ in .members(["errors": .array([.members(["message": .string("broken")])])]) }
        bench.link.become(false)
        await breath()
        bench.link.become(true)
        #expect(try await bench.passing { try await bench.delta()["lastError"]?.string == "broken" })
        #expect(
            await eventually { bench.bench.told.all.last?.contains("'Task' are not updated: broken") == true }
        )
        bench.server.answer { tasks.answer($0) }
        #expect(await bench.passing { bench.bench.told.all.last == "well" })
        #expect(try await bench.delta()["lastError"] == nil)
        await bench.end()
    }
}
