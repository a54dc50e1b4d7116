import Synchronization
import Testing
import WireBase
import WireConfig
import WireStore
import WireSync

@Suite("The cache with concurrent steps")
struct InterleavingTests {
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

    /// What another process writes.
    private func task(_ title: String) -> [String: CacheRecord] {
        func field(_ text: String) -> CachedField { CachedField(.scalar(.string(text)), at: 1_000) }
        return ["Task:1": CacheRecord(type: "Task", fields: ["id": field("1"), "title": field(title)])]
    }

    /// A cache with a list of one task, and a mutation under way that creates another.
    private func creating() async throws -> SyncCache {
        let cache = cache()
        try await cache.write(try list("1"), to: Self.list)
        let new = try json(#"{"create":{"__typename":"Task","id":"local-a","title":"new"}}"#)
        let place = LayerChange.add(RecordKey("Task", ["local-a"]), to: ListTarget(.every(field: "tasks", of: "Query")))
        cache.show(cache.layer("m", expecting: new, of: Self.create, and: [place]))
        return cache
    }

    private func confirm(_ cache: SyncCache) async throws {
        let answer = try json(#"{"create":{"__typename":"Task","id":"7","title":"new"}}"#)
        let rewriting = TemporaryID.Rewriting("local-a", to: .string("7"))
        try await cache.confirm("m", answer, to: Self.create, rewriting: rewriting)
    }

    private static let created = #"{"tasks":[{"id":"1","title":"1"},{"id":"7","title":"new"}]}"#

    @Test("a reader that sees a commit sees its layer removed, and each watcher wakes once")
    func readerFirst() async throws {
        let cache = try await creating()
        let woken = Counter()
        _ = cache.watch(try cache.keys(Self.list), wake: woken.wake)
        let seen = Mutex("")
        store.set { $0.afterCommit = { seen.withLock { $0 = (try? cache.text(Self.list)) ?? "none" } } }
        try await confirm(cache)
        #expect(seen.withLock { $0 } == Self.created)
        #expect(woken.count == 1)
        #expect(try cache.text(Self.list) == Self.created)
        #expect(woken.count == 1)
    }

    @Test("a record read before a confirmation is not shown above the response")
    func lateRecord() async throws {
        let cache = try await creating()
        let former = cache.layers
        let answer = try json(#"{"create":{"__typename":"Task","id":"7","title":"as the server has it"}}"#)
        let rewriting = TemporaryID.Rewriting("local-a", to: .string("7"))
        try await cache.confirm("m", answer, to: Self.create, rewriting: rewriting)
        for layer in former { cache.show(layer) }
        cache.show(only: former)
        #expect(try cache.text(Self.list).contains(#"{"id":"7","title":"as the server has it"}"#))
    }

    @Test("a watcher is not woken by its own write, even if a reader sees it first")
    func ownWatcher() async throws {
        let cache = cache()
        try await cache.write(try list("1"), to: Self.list)
        let (own, other) = (Counter(), Counter())
        let watcher = cache.watch(try cache.keys(Self.list), wake: own.wake)
        _ = cache.watch(try cache.keys(Self.list), wake: other.wake)
        store.set { $0.afterCommit = { try? cache.follow() } }
        try await cache.write(try list("1", "2"), to: Self.list, but: watcher)
        #expect((own.count, other.count) == (0, 1))
        // The same where another process has written before it.
        store.set { $0.beforeEdit = { [store] in store.write(["Task:9": CacheRecord(type: "Task")]) } }
        try await cache.write(try list("1"), to: Self.list, but: watcher)
        try cache.follow()
        #expect((own.count, other.count) == (0, 2))
    }

    @Test("writes of another process before and after an edit wake watchers, and are read")
    func others() async throws {
        let cache = try await creating()
        let woken = Counter()
        _ = cache.watch([RecordKey("Task", ["1"])], wake: woken.wake)
        let (before, after) = (task("before"), task("after"))
        store.set { $0.beforeEdit = { [store] in store.write(before) } }
        try await confirm(cache)
        #expect(woken.count == 1)
        #expect(try cache.text(Self.list).contains("before"))
        store.set { $0.afterCommit = { [store] in store.write(after) } }
        try await cache.write(try one("mine"), to: Self.one)
        try cache.follow()
        #expect(woken.count == 3)
        #expect(try cache.text(Self.list) == #"{"tasks":[{"id":"1","title":"after"},{"id":"7","title":"new"}]}"#)
    }

    @Test("an edit wakes watchers even if another process has written the same")
    func overwritten() async throws {
        let cache = cache()
        try await cache.write(try one("first"), to: Self.one)
        let woken = Counter()
        _ = cache.watch(try cache.keys(Self.one), wake: woken.wake)
        let second = task("second")
        store.set { $0.beforeEdit = { [store] in store.write(second) } }
        try await cache.write(try one("second"), to: Self.one)
        try cache.follow()
        #expect(woken.count == 1)
        #expect(try cache.text(Self.one) == #"{"task":{"id":"1","title":"second"}}"#)
    }

    @Test("a rolled back edit leaves nothing in memory, also if its positions are reused")
    func takenBack() async throws {
        let cache = cache()
        try await cache.write(try one("first"), to: Self.one)
        let others = task("others").merging(["Query.a": CacheRecord()]) { first, _ in first }
        store.set {
            $0.insteadOfCommit = { [store] in
                store.write(others)
                try? cache.follow()
            }
        }
        await #expect(throws: StoreFailure.self) { try await cache.write(try one("lost"), to: Self.one) }
        #expect(try cache.text(Self.one) == #"{"task":{"id":"1","title":"others"}}"#)
    }

    @Test("a result is consistent, however often another process writes")
    func oneMoment() async throws {
        let cache = cache()
        try await cache.write(try list("1", "2"), to: Self.list)
        let writes = Atomic<Int>(0)
        store.set { hooks in
            hooks.afterRead = { [store] in
                let round = writes.add(1, ordering: .relaxed).newValue
                let list = RecordValue.list([.reference(RecordKey("Task", ["new-\(round)"]))])
                store.write(["Query.tasks": CacheRecord(type: "Query", fields: ["tasks": CachedField(list, at: 1)])])
                store.write([:], removing: ["Task:2", "Task:new-\(round - 1)"])
                store.write(["Task:new-\(round)": CacheRecord(type: "Task")])
            }
        }
        let fresh = self.cache()
        #expect(try fresh.text(Self.list) == #"{"tasks":[{"id":"1","title":"1"},{"id":"2","title":"2"}]}"#)
        #expect(writes.load(ordering: .relaxed) > 1)
    }

    @Test("a reader with outdated changes follows until memory is current")
    func faster() async throws {
        let cache = cache()
        try await cache.write(try one("first"), to: Self.one)
        let woken = Counter()
        _ = cache.watch(try cache.keys(Self.one), wake: woken.wake)
        store.write(task("second"))
        let recall = store.recall
        store.write(task("third"))
        // While the news are read, another reader that came earlier takes a part of them.
        store.set { hooks in
            hooks.beforeNews = {
                recall()
                try? cache.follow()
            }
        }
        try cache.follow()
        #expect(woken.count == 2)
        #expect(try cache.text(Self.one) == #"{"task":{"id":"1","title":"third"}}"#)
    }

    @Test("a recreated region is read correctly, also at a known position")
    func recreated() async throws {
        let cache = cache()
        try await cache.write(try list("1", "2"), to: Self.list)
        let woken = Counter()
        _ = cache.watch(try cache.keys(Self.list), wake: woken.wake)
        _ = store.forgetRecords(ofRegionsBeginning: "r")
        store.write(task("new"))
        try cache.follow()
        #expect(woken.count == 1)
        #expect(try cache.text(Self.list) == "miss Query")
    }
}
