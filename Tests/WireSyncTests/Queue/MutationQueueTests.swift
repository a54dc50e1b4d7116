import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireSQLite
import WireService
import WireStore
import WireTelemetry
import Workbench

@Suite("The mutation queue", .timeLimit(.minutes(5)))
struct MutationQueueTests {
    private static func title(_ title: String) -> JSONValue { input(["title": .string(title)]) }

    @Test("an immediate mutation changes cached lists and objects like a queued one")
    func sentAtOnce() async throws {
        let bench = try await QueueBench(isQueueing: false)
        _ = try await bench.mutate("CreateTask", input(["title": .string("a")]))
        try await bench.fetch()
        let created = try await bench.mutate("CreateTask", input(["title": .string("b")])).json
        let id = try #require(created["data"]?["createTask"]?["id"], "\(created.text())")
        func titles() async throws -> [String]? { try await bench.titles()?.map { String($0.suffix(1)) } }
        let first = try await titles()
        #expect(first == ["a", "b"])
        _ = try await bench.mutate("UpdateTask", input(["id": id, "title": .string("c"), "_version": .integer(1)]))
        let second = try await titles()
        #expect(second == ["a", "c"])
        _ = try await bench.mutate("DeleteTask", input(["id": id]))
        #expect(try await titles() == ["a"])
        await bench.kill()
    }

    @Test("online a mutation returns the server's response, with its id")
    func online() async throws {
        let bench = try await QueueBench()
        let (status, json) = try await bench.mutate("CreateTask", Self.title("milk"), ["id": .string("m1")])
        #expect(status == 200)
        #expect(
            json["data"]?.text() == #"{"createTask":{"id":"1","title":"milk","done":false,"note":null,"_version":1}}"#
        )
        #expect(json["state"]?.string == "confirmed")
        #expect(bench.server.received.map(\.key) == ["m1"])
        #expect(bench.server.received[0].fields["api-key"] == "sesame")
        #expect(bench.server.received[0].fields["Corewire-Made"]?.hasPrefix("2026-") == true)
        // It is told once what the answer says is in the cache, which may be after the caller has it.
        var events: [String] = []
        while events.count < 3 {
            await Task.yield()
            events = bench.bench.events(named: "sync.mutation.").map(\.name)
        }
        #expect(events == ["accepted", "sent", "confirmed"].map { "sync.mutation.\($0)" })
        await bench.kill()
    }

    @Test("offline a mutation is visible at once, and sent in order when the network returns")
    func offline() async throws {
        let bench = try await QueueBench()
        bench.server.put("1", ["title": .string("milk")])
        try await bench.fetch()
        bench.goOffline()
        let (status, json) = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")])
        #expect(status == 202)
        #expect(json["state"]?.string == "accepted")
        #expect(json["data"]?["createTask"]?["id"]?.string?.hasPrefix("local-") == true)
        #expect(json["data"]?["createTask"]?["done"]?.boolean == false)
        _ = try await bench.mutate("CreateTask", Self.title("eggs"), ["id": .string("m2")])
        let version = JSONValue.integer(1)
        _ = try await bench.mutate(
            "UpdateTask",
            input(["id": .string("1"), "title": .string("oat milk"), "_version": version]),
            ["id": .string("m3")]
        )
        #expect(try await bench.titles() == ["1 oat milk", "local- bread", "local- eggs"])
        bench.goOnline()
        #expect(try await bench.reaches("m3", "confirmed"))
        #expect(bench.server.received.map(\.key) == ["m1", "m2", "m3"])
        #expect(try await bench.titles() == ["1 oat milk", "2 bread", "3 eggs"])
        await bench.kill()
    }

    @Test(
        "if the server cannot respond, callers do not wait for the next attempt"
    )
    func stalled() async throws {
        let bench = try await QueueBench()
        try await bench.fetch()
        bench.server.answer(503, .object([]))
        for (id, title) in [("m1", "bread"), ("m2", "eggs")] {
            let (status, json) = try await bench.mutate("CreateTask", Self.title(title), ["id": .string(id)])
            #expect(status == 202)
            #expect(json["data"]?["createTask"]?["title"]?.string == title)
        }
        #expect(try await bench.titles() == ["local- bread", "local- eggs"])
        #expect(try await bench.reaches("m2", "confirmed"))
        #expect(bench.server.titles == ["1 bread", "2 eggs"])
        #expect(try await bench.mutate("CreateTask", Self.title("milk"), ["id": .string("m3")]).status == 200)
        await bench.kill()
    }

    @Test("callers wait for the server again when the lane is unblocked", arguments: ["drop", "clear"])
    func unstalled(end: String) async throws {
        let bench = try await QueueBench()
        bench.server.answer(503, .object([]))
        #expect(try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).status == 202)
        if end == "drop" {
            #expect(try await bench.ask(.delete, "/v1/sync/queue/m1").status == 204)
        } else {
            _ = try await bench.bench.clear(.user)
        }
        let answer = try await bench.mutate("CreateTask", Self.title("eggs"), ["id": .string("m2")])
        #expect(answer.status == 200)
        await bench.kill()
    }

    @Test("a mutation in the outbox is accepted, even if the store fails afterwards")
    func storeFailure() async throws {
        let failing = Mutex<FailingRecord?>(nil)
        let bench = try await QueueBench { store in
            let around = FailingRecord(store)
            failing.withLock { $0 = around }
            return around
        }
        let store = try #require(failing.withLock { $0 })
        bench.goOffline()
        store.fail("m1")
        let accepted = try await bench.mutate(
            "CreateTask",
            Self.title("bread"),
            ["id": .string("m1"), "wait": .string("0s")]
        )
        #expect(accepted.status == 202, "\(accepted.json.text())")
        store.fail(nil)
        bench.goOnline()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(bench.server.titles == ["1 bread"])
        await bench.kill()
    }

    @Test("a temporary id is replaced in later mutations, lists and queries")
    func temporaryIDs() async throws {
        let bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        let created = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).json
        let temporary = try #require(created["data"]?["createTask"]?["id"]?.string)
        let change = input(["id": .string(temporary), "title": .string("rye"), "_version": .integer(1)])
        _ = try await bench.mutate("UpdateTask", change, ["id": .string("m2")])
        let done = input(["id": .string(temporary), "done": .boolean(true), "_version": .integer(1)])
        _ = try await bench.mutate("UpdateTask", done, ["id": .string("m3")])
        #expect(try await bench.titles() == ["local- rye"])
        bench.goOnline()
        #expect(try await bench.reaches("m3", "confirmed"))
        #expect(bench.server.received.map { $0.input["id"]?.string } == [nil, "1", "1"])
        // The versions were taken over: none of them is a conflict.
        #expect(bench.server.received.count == 3)
        #expect(bench.server.task("1")?["done"]?.boolean == true)
        #expect(bench.server.titles == ["1 rye"])
        #expect(try await bench.titles() == ["1 rye"])
        // A caller may go on to use the id it knows.
        let later = input(["id": .string(temporary), "note": .string("n"), "_version": .integer(3)])
        #expect(try await bench.mutate("UpdateTask", later).json["data"]?["updateTask"]?["id"]?.string == "1")
        let asked = try await bench.ask(.get, "/v1/sync/queue/m1").json
        #expect(asked["temporaryId"]?.string == temporary)
        #expect(asked["realId"]?.string == "1")
        await bench.kill()
    }

    @Test("mutations and their optimistic data survive a restart")
    func restart() async throws {
        var bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        let created = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).json
        let temporary = try #require(created["data"]?["createTask"]?["id"]?.string)
        #expect(try bench.bench.holds("bread") == false)
        bench = try await bench.restarted()
        #expect(try await bench.titles() == ["local- bread"])
        let change = input(["id": .string(temporary), "title": .string("rye"), "_version": .integer(1)])
        _ = try await bench.mutate("UpdateTask", change, ["id": .string("m2")])
        bench = try await bench.restarted()
        #expect(try await bench.titles() == ["local- rye"])
        bench.goOnline()
        #expect(try await bench.reaches("m2", "confirmed"))
        #expect(bench.server.titles == ["1 rye"])
        bench = try await bench.restarted()
        #expect(try await bench.titles() == ["1 rye"])
        await bench.kill()
    }

    @Test("a mutation executed before a kill is not executed again")
    func killed() async throws {
        var bench = try await QueueBench()
        try await bench.fetch()
        bench.server.hold(OneShot())
        _ = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1"), "wait": .string("0s")])
        #expect(await eventually { bench.server.titles == ["1 bread"] })
        await bench.kill()
        bench.server.hold(nil)
        bench = try await bench.restarted()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(bench.server.titles == ["1 bread"])
        #expect(Set(bench.server.received.map(\.key)) == ["m1"])
        #expect(try await bench.titles() == ["1 bread"])
        await bench.kill()
    }

    @Test("a mutation accepted before a crash is sent, before later ones")
    func acceptedElsewhere() async throws {
        let bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        let created = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).json
        let temporary = try #require(created["data"]?["createTask"]?["id"]?.string)
        // The record of a mutation just like it, of which the outbox knows nothing.
        let (store, other) = (bench.bench.store, "local-" + String(repeating: "0", count: 32))
        let queue = try #require(try store.namespaces().first { $0.hasSuffix("/queue") })
        let entry = try #require(try store.entry("m1", in: queue))
        let record = String(decoding: entry.bytes, as: UTF8.self)
            .replacing(temporary, with: other).replacing("\"m1\"", with: "\"m2\"").replacing("bread", with: "eggs")
        let value = NewValue(Array(record.utf8), type: entry.summary.type, isSealed: true)
        _ = try await store.put(value, under: "m2", in: queue, if: .absent)
        #expect(try await eventually { try await bench.titles()?.sorted() == ["local- bread", "local- eggs"] })
        let change = input(["id": .string(other), "title": .string("ham"), "_version": .integer(1)])
        _ = try await bench.mutate("UpdateTask", change, ["id": .string("m3")])
        bench.goOnline()
        #expect(try await bench.reaches("m3", "confirmed"))
        #expect(bench.server.received.map(\.key) == ["m1", "m2", "m3"])
        #expect(bench.server.titles == ["1 bread", "2 ham"])
        await bench.kill()
    }

    @Test("mutations accepted while a long queue is loaded stay visible")
    func acceptedAtStart() async throws {
        var bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        let repository = try await Self.title(of: 500, bench)
        bench = try await bench.restarted()
        for title in ["bread", "eggs"] {
            _ = try await bench.mutate("CreateTask", Self.title(title), ["wait": .string("0s")])
        }
        let expected = (repository + ["bread", "eggs"]).map { "local- \($0)" }
        // Until the start has read the queue, and some time after it.
        for _ in 0..<40 { #expect(try await bench.titles() == expected) }
        await bench.kill()
    }

    /// Queues so many mutations; returns the titles of their tasks.
    private static func title(of count: Int, _ bench: QueueBench) async throws -> [String] {
        let titles = (1...count).map { "task \($0)" }
        for title in titles { _ = try await bench.mutate("CreateTask", Self.title(title), ["wait": .string("0s")]) }
        return titles
    }

    @Test("a mutation accepted by another process is visible when its id is repeated")
    func givenElsewhere() async throws {
        let first = try await QueueBench()
        try await first.fetch()
        first.goOffline()
        let (folder, server, network) = (first.bench.folder, first.server, first.network)
        let second = try await QueueBench(in: folder, server: server, network: network, around: LateNews.init)
        #expect(try await second.titles() == [])
        _ = try await first.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")])
        _ = try await first.mutate("CreateTask", Self.title("eggs"), ["id": .string("m2")])
        #expect(try await second.mutate("CreateTask", Self.title("eggs"), ["id": .string("m2")]).status == 202)
        #expect(try await second.titles() == ["local- bread", "local- eggs"])
        await second.kill()
        await first.kill()
    }

    @Test("a repeated id is one mutation, with the same content only")
    func sameID() async throws {
        let bench = try await QueueBench()
        bench.goOffline()
        let first = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).json
        let second = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).json
        #expect(first.text() == second.text())
        #expect(try await bench.mutate("CreateTask", Self.title("eggs"), ["id": .string("m1")]).status == 409)
        bench.goOnline()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(bench.server.titles == ["1 bread"])
        await bench.kill()
    }

    @Test("a rejected mutation fails, and its optimistic data is removed")
    func refused() async throws {
        let bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        _ = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")])
        #expect(try await bench.titles() == ["local- bread"])
        let errors = JSONValue.array([.members(["message": .string("no room")])])
        bench.server.answer(200, .members(["data": .members(["createTask": .null]), "errors": errors]))
        bench.goOnline()
        #expect(try await bench.reaches("m1", "failed"))
        #expect(try await bench.titles() == [])
        #expect(try await bench.ask(.get, "/v1/sync/queue/m1").json["reason"]?.string == "no room")
        #expect(bench.told("failed") == ["m1"])
        let again = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")])
        #expect(again.json["errors"]?.array?.first?["message"]?.string == "no room")
        await bench.kill()
    }

    @Test("a mutation that refers to a failed object fails too")
    func orphans() async throws {
        let bench = try await QueueBench()
        bench.goOffline()
        let created = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")]).json
        let temporary = try #require(created["data"]?["createTask"]?["id"]?.string)
        let change = input(["id": .string(temporary), "title": .string("rye"), "_version": .integer(1)])
        _ = try await bench.mutate("UpdateTask", change, ["id": .string("m2")])
        #expect(try await bench.ask(.delete, "/v1/sync/queue/m1").status == 204)
        bench.goOnline()
        #expect(try await bench.reaches("m2", "failed"))
        #expect(bench.server.received.isEmpty)
        await bench.kill()
    }

    @Test("a transient error is retried", arguments: ["THROTTLED", "UNAVAILABLE"])
    func transient(code: String) async throws {
        let bench = try await QueueBench()
        let error = JSONValue.members([
            "message": .string("later"), "extensions": .members(["code": .string(code)]),
        ])
        bench.server.answer(200, .members(["data": .null, "errors": .array([error])]))
        _ = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1"), "wait": .string("0s")])
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(bench.server.received.map(\.key) == ["m1", "m1"])
        await bench.kill()
    }

    @Test("optimistic data of the caller replaces derived data, with a temporary id if absent")
    func given() async throws {
        let bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        let task = input([
            "title": .string("BREAD"), "done": .boolean(true), "note": .null, "_version": .integer(1),
        ])
        let more: KeyValuePairs<String, JSONValue?> = [
            "id": .string("m1"), "optimistic": .members(["createTask": task]),
        ]
        let json = try await bench.mutate("CreateTask", Self.title("bread"), more).json
        #expect(json["data"]?["createTask"]?["title"]?.string == "BREAD")
        #expect(try await bench.titles() == ["local- BREAD"])
        bench.goOnline()
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(try await bench.titles() == ["1 bread"])
        await bench.kill()
    }

    @Test("mutations of a user are neither visible to nor sent for another")
    func users() async throws {
        let people = HandPeople()
        people.signIn("ada")
        let bench = try await QueueBench(people: people, isOfUsers: true)
        try await bench.fetch()
        bench.goOffline()
        _ = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")])
        #expect(try await bench.titles() == ["local- bread"])
        people.signIn("bob")
        #expect(try await bench.titles() == nil)
        #expect(try await bench.state("m1") == nil)
        bench.goOnline()
        _ = try await bench.mutate("CreateTask", Self.title("eggs"), ["id": .string("m2")])
        #expect(bench.server.titles == ["1 eggs"])
        people.signIn("ada")
        #expect(try await bench.reaches("m1", "confirmed"))
        #expect(bench.server.titles == ["1 eggs", "2 bread"])
        await bench.kill()
    }

    @Test("clearing a user removes queued mutations and their optimistic data")
    func clearing() async throws {
        let bench = try await QueueBench()
        try await bench.fetch()
        bench.goOffline()
        _ = try await bench.mutate("CreateTask", Self.title("bread"), ["id": .string("m1")])
        #expect(try await bench.bench.clear(.user)["mutations and their results"] == 1)
        #expect(try await bench.state("m1") == nil)
        bench.goOnline()
        _ = try await bench.mutate("CreateTask", Self.title("eggs"), ["id": .string("m2")])
        #expect(bench.server.titles == ["1 eggs"])
        await bench.kill()
    }

    @Test("a client of the endpoint gets the expected result, or that the mutation is queued")
    func endpoint() async throws {
        let bench = try await QueueBench()
        bench.goOffline()
        let text = "mutation($input: CreateTaskInput!) { createTask(input: $input) { id title } }"
        let variables = JSONValue.object([("input", Self.title("bread"))])
        let expected = try await bench.ask(
            .post,
            "/v1/sync/graphql",
            .members(["query": .string(text), "variables": variables])
        ).json
        #expect(expected["data"]?["createTask"]?["title"]?.string == "bread")
        #expect(expected["extensions"]?["corewire"]?["state"]?.string == "accepted")
        let queued = try await bench.ask(.post, "/v1/sync/graphql", .members(["query": .string("mutation { sweep }")]))
            .json
        let error = queued["errors"]?.array?.first?["extensions"]
        #expect(error?["code"]?.string == "QUEUED")
        #expect(error?["id"]?.string != nil)
        #expect(queued["data"] == nil)
        #expect(try await bench.ask(.get, "/v1/sync/queue").json["mutations"]?.array?.count == 2)
        await bench.kill()
    }

    @Test("mutations are listed by pages, oldest or newest first, and others are not read")
    func pages() async throws {
        var bench = try await QueueBench()
        for number in 1...3 {
            _ = try await bench.mutate("CreateTask", Self.title("t"), ["id": .string("e\(number)")])
            #expect(try await bench.reaches("e\(number)", "confirmed"))
        }
        bench.goOffline()
        for number in 1...3 { _ = try await bench.mutate("CreateTask", Self.title("t"), ["id": .string("w\(number)")]) }
        func list(_ query: String) async throws -> (ids: [String], next: Int?) {
            let json = try await bench.ask(.get, "/v1/sync/queue?\(query)").json
            #expect(json["waiting"]?.integer == 3)
            return (json["mutations"]?.array?.compactMap { $0["id"]?.string } ?? [], json["next"]?.integer)
        }
        var reads: CountedReads?
        for isRestarted in [false, true] {
            if isRestarted {
                await bench.kill()
                bench = try await QueueBench(
                    in: bench.bench.folder,
                    clock: bench.bench.clock,
                    server: bench.server,
                    network: bench.network,
                    around: { store in
                        let counted = CountedReads(store)
                        reads = counted
                        return counted
                    }
                )
            }
            // Others are read as well until the start is over.
            func page(_ query: String, without others: Set<String>) async throws -> (ids: [String], next: Int?) {
                var found = try await list(query)
                let isSo = try await eventually {
                    reads?.forget()
                    found = try await list(query)
                    return reads?.keys.isDisjoint(with: others) ?? true
                }
                #expect(isSo, "reads one of \(others)")
                return found
            }
            #expect(try await page("", without: ["e1", "e2", "e3"]).ids == ["w1", "w2", "w3"])
            let first = try await page("ended=true&limit=2", without: ["e3", "w1"])
            let second = try await list("ended=true&limit=2&after=\(first.next ?? 0)")
            #expect(first.ids == ["e1", "e2"] && second.ids == ["e3", "w1"])
            let last = try await list("ended=true&limit=2&after=\(second.next ?? 0)")
            let newest = try await list("ended=true&newest=true&limit=2")
            #expect(last.ids == ["w2", "w3"] && last.next == nil && newest.ids == ["w3", "w2"])
            #expect(try await list("newest=true&after=\(newest.next ?? 0)").ids == ["w1"])
        }
        try await bench.pass(.seconds(86_401))
        #expect(try await list("ended=true").ids == ["w1", "w2", "w3"])
        await bench.kill()
    }
}

/// Notes which records of mutations are read.
private final class CountedReads: StoreAround {
    let store: any KeyValueStore
    private let read = Mutex<Set<String>>([])

    init(_ store: any KeyValueStore) { self.store = store }

    var keys: Set<String> { read.withLock { $0 } }

    func forget() { read.withLock { $0 = [] } }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        if namespace.hasSuffix("queue") { read.withLock { _ = $0.insert(key) } }
        return try await store.entry(key, in: namespace)
    }
}

/// A store that cannot read a record once that is there.
private final class FailingRecord: StoreAround {
    let store: any KeyValueStore
    private let failing = Mutex<String?>(nil)

    init(_ store: any KeyValueStore) { self.store = store }

    func fail(_ key: String?) { failing.withLock { $0 = key } }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        let entry = try await store.entry(key, in: namespace)
        guard entry != nil, failing.withLock({ $0 == key }) else { return entry }
        throw StoreFailure(.corrupt, "the record cannot be read")
    }
}
