import Testing
import WireBase
import WireConfig
import WireGraphQL
import WireSQLite
import WireStore
import WireSync

@Suite("The query cache")
struct SyncCacheTests {
    private static let list = question("{ tasks { id title } }")
    private static let one = question("query($id: ID!) { task(id: $id) { id title } }", ["id": .string("1")])

    private func tasks(_ titles: String...) throws -> JSONValue {
        let items = titles.enumerated().map { #"{"__typename":"Task","id":"\#($0 + 1)","title":"\#($1)"}"# }
        return try json(#"{"tasks":[\#(items.joined(separator: ","))]}"#)
    }

    private func task(_ title: String, _ id: String = "1") throws -> JSONValue {
        try json(#"{"task":{"__typename":"Task","id":"\#(id)","title":"\#(title)"}}"#)
    }

    private func read(_ cache: SyncCache, _ question: CacheQuestion = list) throws -> String {
        switch try cache.read(question) {
        case .hit(let hit): String(decoding: hit.bytes, as: UTF8.self)
        case .miss(let miss): "miss \(miss.key)"
        }
    }

    @Test("a result survives the process, and is read by other processes of the group", arguments: [false, true])
    func shared(isSealed: Bool) async throws {
        let bench = try CacheBench()
        let first = bench.cache { $0.isSealed = isSealed }
        try await first.write(try tasks("a", "b"), to: Self.list)
        let store = try bench.other()
        let second = bench.cache(store) { $0.isSealed = isSealed }
        #expect(try read(second) == #"{"tasks":[{"id":"1","title":"a"},{"id":"2","title":"b"}]}"#)
        let woken = Counter()
        guard case .hit(let hit) = try second.read(Self.list) else { return #expect(Bool(false)) }
        _ = second.watch(hit.answer.keys, wake: woken.wake)
        let bystander = Counter()
        _ = second.watch([RecordKey("Task", ["9"])], wake: bystander.wake)
        try await first.write(try task("new"), to: Self.one)
        try second.follow()
        #expect(woken.count == 1)
        #expect(bystander.count == 0)
        #expect(try read(second) == #"{"tasks":[{"id":"1","title":"new"},{"id":"2","title":"b"}]}"#)
        await store.close()
        await bench.close()
    }

    @Test("a watcher wakes once per relevant change, and not for its own result")
    func watchers() async throws {
        let bench = try CacheBench()
        let cache = bench.cache()
        try await cache.write(try tasks("a", "b"), to: Self.list)
        guard case .hit(let hit) = try cache.read(Self.list) else { return #expect(Bool(false)) }
        let woken = Counter()
        let watcher = cache.watch(hit.answer.keys, wake: woken.wake)
        try await cache.write(try tasks("x", "y"), to: Self.list)
        #expect(woken.count == 1)
        try await cache.write(try tasks("x", "y"), to: Self.list)
        #expect(woken.count == 1)
        try await cache.write(try tasks("x", "z"), to: Self.list, but: watcher)
        #expect(woken.count == 1)
        try await cache.write(try task("other", "9"), to: Self.one)
        #expect(woken.count == 1)
        cache.show(OptimisticLayer("m", [.delete(RecordKey("Task", ["1"]))]))
        #expect(woken.count == 2)
        try cache.follow()
        #expect(woken.count == 2)
        cache.unwatch(watcher)
        cache.drop("m")
        #expect(woken.count == 2)
        await bench.close()
    }

    @Test("a repeated read returns current data")
    func memory() async throws {
        let bench = try CacheBench()
        let cache = bench.cache()
        try await cache.write(try tasks("a"), to: Self.list)
        for title in ["b", "c"] {
            #expect(try read(cache) == read(cache))
            try await cache.write(try task(title), to: Self.one)
            #expect(try read(cache) == #"{"tasks":[{"id":"1","title":"\#(title)"}]}"#)
        }
        cache.show(OptimisticLayer("m", [.fields(RecordKey("Task", ["1"]), CacheRecord(fields: ["title": told("d")]))]))
        #expect(try read(cache) == #"{"tasks":[{"id":"1","title":"d"}]}"#)
        cache.drop("m")
        #expect(try read(cache) == #"{"tasks":[{"id":"1","title":"c"}]}"#)
        // The same answer again is as young as it was told last.
        bench.clock.set(9_000)
        try await cache.write(try tasks("c"), to: Self.list)
        guard case .hit(let hit) = try cache.read(Self.list) else { return #expect(Bool(false)) }
        #expect(hit.answer.oldest == 9_000)
        #expect(try await cache.clear() == 3)
        #expect(try read(cache) == "miss Query")
        await bench.close()
    }

    private func told(_ title: String) -> CachedField { CachedField(.scalar(.string(title)), at: CachedField.ageless) }

    @Test(
        "a temporary id is replaced everywhere in one step: records, layers and queries",
        arguments: [false, true]
    )
    func temporaryID(isSealed: Bool) async throws {
        let bench = try CacheBench()
        let cache = bench.cache { $0.isSealed = isSealed }
        let create = question("mutation { create { id title } }")
        let new = try json(#"{"create":{"__typename":"Task","id":"local-a","title":"new"}}"#)
        try await cache.write(try tasks("a"), to: Self.list)
        let key = RecordKey("Task", ["local-a"])
        cache.show(
            cache.layer(
                "m1",
                expecting: new,
                of: create,
                and: [.add(key, to: ListTarget(.every(field: "tasks", of: "Query")))]
            )
        )
        cache.show(OptimisticLayer("m2", [.fields(key, CacheRecord(fields: ["title": told("edited")]))]))
        // A record that refers to it, under a field that names it.
        let ask = question("query($id: ID!) { task(id: $id) { id } }", ["id": .string("local-a")])
        try await cache.write(try task("new", "local-a"), to: ask)
        #expect(try read(cache, ask) == #"{"task":{"id":"local-a"}}"#)
        let answer = try json(#"{"create":{"__typename":"Task","id":"7","title":"new"}}"#)
        let rewriting = TemporaryID.Rewriting("local-a", to: .string("7"))
        try await cache.confirm("m1", answer, to: create, rewriting: rewriting)
        #expect(try read(cache) == #"{"tasks":[{"id":"1","title":"a"},{"id":"7","title":"edited"}]}"#)
        #expect(try read(cache, ask) == #"{"task":{"id":"7"}}"#)
        #expect(
            try read(bench.cache { $0.isSealed = isSealed }, question("query { task(id: \"7\") { id } }"))
                == #"{"task":{"id":"7"}}"#
        )
        #expect(cache.real(of: "local-a")?.string == "7")
        #expect(try cache.listing(after: nil, limit: 9).records.allSatisfy { !$0.name.contains("local-") })
        // The server's own list, told later, is right as it is.
        bench.clock.set(2_000)
        try await cache.write(try tasks("a"), to: Self.list)
        #expect(try read(cache) == #"{"tasks":[{"id":"1","title":"a"}]}"#)
        cache.drop("m2")
        #expect(cache.layers.map(\.id) == ["m1"])
        #expect(cache.forgetSettled(before: 5_000) == ["m1"])
        await bench.close()
    }

    @Test("a deleted object stays deleted until the server returns it")
    func deletion() async throws {
        let bench = try CacheBench()
        let cache = bench.cache()
        try await cache.write(try tasks("a", "b"), to: Self.list)
        try await cache.delete([RecordKey("Task", ["1"])])
        #expect(try read(cache) == #"{"tasks":[{"id":"2","title":"b"}]}"#)
        try await cache.write(try task("back"), to: Self.one)
        #expect(try read(cache) == #"{"tasks":[{"id":"1","title":"back"},{"id":"2","title":"b"}]}"#)
        await bench.close()
    }

    @Test("records of a changed type are dropped, and no others")
    func schemaChange() async throws {
        let bench = try CacheBench()
        let cache = bench.cache()
        func schema(_ title: String, _ count: String) -> Schema {
            var task = Schema.NamedType(.object, "Task")
            task.fields = [Schema.FieldType("id", .named("ID")), Schema.FieldType("title", .named(title))]
            var query = Schema.NamedType(.object, "Query")
            query.fields = [
                Schema.FieldType("tasks", .list(.named("Task"))), Schema.FieldType("count", .named(count)),
                Schema.FieldType("task", .named("Task")),
            ]
            return Schema(types: [task, query], directives: [], query: "Query", mutation: nil, subscription: nil)
        }
        #expect(try await cache.adopt(schema("String", "Int")) == 0)
        try await cache.write(try tasks("a"), to: Self.list)
        try await cache.write(try json(#"{"count":1}"#), to: question("{ count }"))
        #expect(try await cache.adopt(schema("String", "Int")) == 0)
        #expect(try await cache.adopt(schema("String", "Float")) == 1)
        #expect(try read(cache, question("{ count }")) == "miss Query")
        #expect(try read(cache) == #"{"tasks":[{"id":"1","title":"a"}]}"#)
        #expect(try await bench.cache().adopt(schema("Int", "Float")) == 1)
        #expect(try read(cache) == "miss Task:1")
        await bench.close()
    }

    @Test("records are listed by name, without deleted ones")
    func listing() async throws {
        let bench = try CacheBench()
        let cache = bench.cache()
        try await cache.write(try tasks("a", "b", "c"), to: Self.list)
        try await cache.delete([RecordKey("Task", ["2"])])
        let first = try cache.listing(after: nil, limit: 2)
        #expect(first.records.map(\.name) == ["Query.tasks", "Task:1"])
        let rest = try cache.listing(after: first.last, limit: 9)
        #expect(rest.records.map(\.name) == ["Task:3"])
        #expect(rest.records.first?.record.fields["title"]?.value == .scalar(.string("c")))
        #expect(try cache.listing(after: rest.last, limit: 9).last == nil)
        await bench.close()
    }

    @Test("regions of users, servers and environments are separate, and are cleared by prefix")
    func scopes() {
        func scope(_ environment: String, _ server: String) -> SyncScope {
            SyncScope(app: "app", environment: environment, server: server) {
                "\($0.reduce(7) { $0 &* 31 &+ Int($1) })"
            }
        }
        let (dev, prod, other) = (scope("dev", "a"), scope("prod", "a"), scope("dev", "b"))
        let regions = [
            dev.anonymous, dev.region(issuer: "i", subject: "s"), dev.region(issuer: "i", subject: "t"),
            prod.anonymous, other.anonymous,
        ]
        #expect(Set(regions).count == 5)
        #expect(dev.region(issuer: "i", subject: "s").hasPrefix(dev.users))
        #expect(!dev.anonymous.hasPrefix(dev.users))
        #expect(other.anonymous.hasPrefix(dev.environment) && !prod.anonymous.hasPrefix(dev.environment))
        #expect(regions.allSatisfy { $0.hasPrefix(dev.app) })
    }

    @Test("a result of many records is stored and reported at once, within the limit of the region")
    func size() async throws {
        let bench = try CacheBench()
        let cache = bench.cache { $0.size = .kibibytes(64) }
        let woken = Counter()
        let watcher = cache.watch([RecordKey("Task", ["3"])], wake: woken.wake)
        for round in 0..<3 {
            try await cache.write(try tasks(contentsOf: (0..<400).map { "title \(round) \($0)" }), to: Self.list)
        }
        #expect(woken.count == 3)
        #expect(try cache.usage.size.bytes <= 65_536)
        cache.rewatch(watcher, [])
        let kept = try cache.store(RecordKey("Task", ["3"]), bench)
        #expect(kept)
        await bench.close()
    }

    @Test("memory for records, results and names is limited")
    func memoryBounds() async throws {
        let bench = try CacheBench()
        let cache = bench.cache { ($0.memory, $0.isSealed) = (.kibibytes(64), true) }
        // An answer that is too large to be kept leaves nothing behind, however often it is read.
        try await cache.write(try tasks(contentsOf: (0..<400).map { "title \($0)" }), to: Self.list)
        for _ in 0..<3 { _ = try cache.read(Self.list) }
        #expect(cache.remembered.answers == 0)
        #expect(cache.remembered.records == 0)
        // Of many small ones those that had to go are gone whole, and the others are found.
        for id in 0..<200 {
            let ask = question("query($id: ID!) { task(id: $id) { id title } }", ["id": .string("\(id)")])
            try await cache.write(try task("title", "\(id)"), to: ask)
            _ = try cache.read(ask)
        }
        #expect((1...100).contains(cache.remembered.answers))
        #expect(cache.remembered.records <= cache.remembered.answers * 3)
        #expect(cache.remembered.names <= 400)
        // A record whose name is not known any more is news all the same.
        let woken = Counter()
        _ = cache.watch([RecordKey("Task", ["0"])], wake: woken.wake)
        let store = try bench.other()
        try await bench.cache(store) { $0.isSealed = true }.write(try task("new", "0"), to: Self.one)
        try cache.follow()
        #expect(woken.count == 1)
        await store.close()
        await bench.close()
    }

    @Test("a temporary id is replaced in all records that contain it, including those of the result")
    func rewriting() async throws {
        let bench = try CacheBench()
        let cache = bench.cache()
        let create = question("mutation { create { id title } }")
        let layer = OptimisticLayer("m", [.fields(RecordKey("Task", ["local-1"]), CacheRecord(type: "Task"))])
        cache.show(layer)
        let byID = { (id: String) in
            question("query($id: ID!) { task(id: $id) { id title } }", ["id": .string(id)])
        }
        let after = { (id: String) in
            question("query($id: ID!) { user { id tasks(after: $id) { id } } }", ["id": .string(id)])
        }
        let user = try json(#"{"user":{"__typename":"User","id":"1","tasks":[]}}"#)
        try await cache.write(user, to: after("local-1"))
        try await cache.write(user, to: after("local-12"))
        // The server has told the object under its real id already, and later than under the other.
        try await cache.write(try task("old", "local-1"), to: byID("local-1"))
        try await cache.write(try task("stored", "42"), to: byID("42"))
        let fresh = bench.cache()
        fresh.show(layer)
        let answer = try json(#"{"create":{"__typename":"User","id":"1","title":"u"}}"#)
        let rewriting = TemporaryID.Rewriting("local-1", to: .string("42"))
        try await fresh.confirm("m", answer, to: create, rewriting: rewriting)
        #expect(try read(fresh, after("42")) == #"{"user":{"id":"1","tasks":[]}}"#)
        #expect(try read(fresh, after("local-12")) == #"{"user":{"id":"1","tasks":[]}}"#)
        #expect(try read(fresh, byID("42")) == #"{"task":{"id":"42","title":"stored"}}"#)
        await bench.close()
    }

    private func tasks(contentsOf titles: [String]) throws -> JSONValue {
        let items = titles.enumerated().map { #"{"__typename":"Task","id":"\#($0)","title":"\#($1)"}"# }
        return try json(#"{"tasks":[\#(items.joined(separator: ","))]}"#)
    }
}

extension SyncCache {
    /// Whether the file has a record.
    fileprivate func store(_ key: RecordKey, _ bench: CacheBench) throws -> Bool {
        try !bench.store.records([key.text], in: "sync/app/dev/u-1/").records.isEmpty
    }
}
