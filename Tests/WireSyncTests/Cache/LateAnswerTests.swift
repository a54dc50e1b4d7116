import Testing
import WireConfig
import WireStore
import WireSync

@Suite("Responses in flight during changes")
struct LateAnswerTests {
    private static let list = question("{ tasks { id title } }")
    private static let one = question("{ task { id title } }")
    private static let create = question("mutation { create { id title } }")

    private let store = MemoryStore()
    private let clock = SetClock()

    private func cache() -> SyncCache {
        let settings = CacheSettings(region: "r", digest: { "\($0.count)" }, now: clock.now)
        return SyncCache(store, settings, RecordRules())
    }

    private func list(_ tasks: String...) throws -> JSONValue {
        let items = tasks.map { #"{"__typename":"Task","id":"\#($0)","title":"\#($0)"}"# }
        return try json(#"{"tasks":[\#(items.joined(separator: ","))]}"#)
    }

    private func one(_ title: String) throws -> JSONValue {
        try json(#"{"task":{"__typename":"Task","id":"1","title":"\#(title)"}}"#)
    }

    private func ids(_ cache: SyncCache) throws -> String {
        guard case .hit(let hit) = try cache.read(Self.list) else { return "miss" }
        return hit.answer.data["tasks"]?.array?.compactMap { $0["id"]?.string }.joined(separator: " ") ?? "none"
    }

    /// The layer of a mutation that creates a task, as it is queued.
    private func show(in cache: SyncCache) throws {
        let new = try json(#"{"create":{"__typename":"Task","id":"7","title":"new"}}"#)
        let place = LayerChange.add(RecordKey("Task", ["7"]), to: ListTarget(.every(field: "tasks", of: "Query")))
        cache.show(cache.layer("m", expecting: new, of: Self.create, and: [place]))
    }

    private func confirm(_ cache: SyncCache) async throws {
        let answer = try json(#"{"create":{"__typename":"Task","id":"7","title":"new"}}"#)
        _ = try await cache.confirm("m", answer, to: Self.create)
    }

    @Test(
        "a list requested before a confirmation does not hide the created object, by any clock",
        arguments: [500, 1_000, 2_000] as [Int64]
    )
    func created(time: Int64) async throws {
        let cache = cache()
        try await cache.write(try list("1"), to: Self.list)
        try show(in: cache)
        let before = cache.moment()
        try await confirm(cache)
        clock.set(time)
        try await cache.write(try list("1"), to: Self.list, sent: before)
        #expect(try ids(cache) == "1 7")
        // Also where another process keeps the layer, and after it was kept.
        let kept = try #require(cache.layers.first).json.text()
        let other = self.cache()
        other.show(try #require(OptimisticLayer(json: try json(kept))))
        #expect(try ids(other) == "1 7")
        try await cache.write(try list("1"), to: Self.list, sent: cache.moment())
        #expect(try ids(cache) == "1")
        #expect(try ids(other) == "1")
    }

    @Test("list additions of an immediate mutation are visible to other processes and the next run, for a day")
    func sentAtOnce() async throws {
        let (cache, other) = (cache(), cache())
        try await cache.write(try list("1"), to: Self.list)
        let woken = Counter()
        _ = other.watch(try other.keys(Self.list), wake: woken.wake)
        let before = other.moment()
        let answer = try json(#"{"create":{"__typename":"Task","id":"7","title":"7"}}"#)
        let place = LayerChange.add(RecordKey("Task", ["7"]), to: ListTarget(.every(field: "tasks", of: "Query")))
        try await cache.confirm("sent-a", answer, to: Self.create, adding: [place])
        try other.follow()
        #expect(woken.count == 1)
        for one in [cache, other, self.cache()] { #expect(try ids(one) == "1 7") }
        // The layers of queued mutations take the place of those of queued mutations alone.
        other.show(only: [])
        try await other.write(try list("1", "2"), to: Self.list, sent: before)
        for one in [cache, other, self.cache()] { #expect(try ids(one) == "1 2 7") }
        clock.set(86_400_000)
        #expect(try ids(self.cache()) == "1 2 7")
        clock.set(86_402_000)
        #expect(try ids(self.cache()) == "1 2")
        try await other.write(try list("1", "2"), to: Self.list, sent: other.moment())
        for one in [cache, other, self.cache()] { #expect(try ids(one) == "1 2") }
    }

    @Test(
        "a response requested before a deletion does not restore the object, a later one does",
        arguments: [500, 1_000, 2_000] as [Int64]
    )
    func deleted(time: Int64) async throws {
        let (cache, other) = (cache(), cache())
        try await cache.write(try list("1", "2"), to: Self.list)
        let before = other.moment()
        try await cache.delete([RecordKey("Task", ["1"])])
        clock.set(time)
        try await other.write(try list("1", "2"), to: Self.list, sent: before)
        #expect(try ids(cache) == "2")
        try await other.write(try list("1", "2"), to: Self.list, sent: other.moment())
        #expect(try ids(cache) == "1 2")
    }

    @Test("of two responses the one requested last stays, in any order")
    func reversed() async throws {
        let cache = cache()
        let first = cache.moment()
        clock.set(1_001)
        let second = cache.moment()
        try await cache.write(try one("new"), to: Self.one, sent: second)
        try await cache.write(try one("old"), to: Self.one, sent: first)
        #expect(try cache.text(Self.one) == #"{"task":{"id":"1","title":"new"}}"#)
        // A clock that is set back changes nothing.
        clock.set(10)
        try await cache.write(try one("newer"), to: Self.one, sent: cache.moment())
        #expect(try cache.text(Self.one) == #"{"task":{"id":"1","title":"newer"}}"#)
        guard case .hit(let hit) = try cache.read(Self.one) else { return #expect(Bool(false)) }
        #expect(hit.answer.oldest == 10)
    }

    @Test("positions from before a recreation of the region are converted, and so are ends of layers")
    func recreated() async throws {
        let cache = cache()
        for title in ["a", "b", "c"] { try await cache.write(try one(title), to: Self.one) }
        try await cache.write(try list("1"), to: Self.list)
        try show(in: cache)
        try await confirm(cache)
        let before = cache.moment()
        _ = store.forgetRecords(ofRegionsBeginning: "r")
        try await cache.write(try one("late"), to: Self.one, sent: before)
        try await cache.write(try one("next"), to: Self.one, sent: cache.moment())
        #expect(try cache.text(Self.one) == #"{"task":{"id":"1","title":"next"}}"#)
        try await cache.write(try list("1"), to: Self.list, sent: cache.moment())
        #expect(try ids(cache) == "1")
    }
}
