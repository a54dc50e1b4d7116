import Testing
import WireConfig
import WireStore
import WireSync

@Suite("Delta results with concurrent processes")
struct DeltaCacheTests {
    private static let list = question("{ tasks { id title } }")
    private static let page = question("{ found { items { id title } } }")
    private static let changed =
        "query($lastSync: T) { sync(lastSync: $lastSync) { items { id title _deleted } lastSync } }"

    private let store = MemoryStore()
    private let clock = SetClock()

    private func cache() -> SyncCache {
        let settings = CacheSettings(region: "r", digest: { "\($0.count)" }, now: clock.now)
        return SyncCache(store, settings, RecordRules())
    }

    private func task(_ id: String) -> String { #"{"__typename":"Task","id":"\#(id)","title":"\#(id)"}"# }

    private func list(_ ids: String...) throws -> JSONValue {
        try json(#"{"tasks":[\#(ids.map(task).joined(separator: ","))]}"#)
    }

    private func page(_ ids: String...) throws -> JSONValue {
        try json(#"{"found":{"__typename":"Page","items":[\#(ids.map(task).joined(separator: ","))]}}"#)
    }

    private func ids(_ cache: SyncCache, _ question: CacheQuestion = list) throws -> String {
        guard case .hit(let hit) = try cache.read(question) else { return "miss" }
        let items = hit.answer.data["tasks"] ?? hit.answer.data["found"]?["items"]
        return items?.array?.compactMap { $0["id"]?.string }.joined(separator: " ") ?? "none"
    }

    /// Takes over that the server has told of some tasks.
    private func take(
        _ ids: String...,
        into cache: SyncCache,
        adding lists: [CacheQuestion] = [list],
        since clearing: Int64? = nil
    ) async throws {
        let form = try #require(DeltaForm(Asked(Self.changed).operation))
        let data = try json(#"{"sync":{"items":[\#(ids.map(task).joined(separator: ","))],"lastSync":9}}"#)
        let answer = try #require(DeltaAnswer(data, form, of: "Task", sent: cache.moment()))
        _ = try await cache.store(
            answer,
            to: question(Self.changed),
            form,
            of: "Task",
            adding: lists,
            upTo: DeltaPosition(.integer(9), query: "q"),
            clearing: clearing ?? cache.clearing
        )
    }

    @Test("a list extended by another process keeps that extension, and its age")
    func extended() async throws {
        let (cache, other) = (cache(), cache())
        try await cache.write(try list("1"), to: Self.list)
        _ = try ids(cache)
        clock.set(5_000)
        let items = ["1", "9"].map { RecordValue.reference(RecordKey("Task", [$0])) }
        let field = CachedField(.list(items), at: 1_000)
        let task = CacheRecord(
            type: "Task",
            fields: ["id": .init(.scalar(.string("9")), at: 1_000), "title": .init(.scalar(.string("9")), at: 1_000)]
        )
        store.set { hooks in
            hooks.beforeEdit = { [store] in
                store.write(["Query.tasks": CacheRecord(type: "Query", fields: ["tasks": field]), "Task:9": task])
            }
        }
        try await take("7", into: cache)
        #expect(try ids(cache) == "1 9 7")
        #expect(try ids(other) == "1 9 7")
        guard case .hit(let hit) = try other.read(Self.list) else { return #expect(Bool(false)) }
        #expect(hit.answer.oldest == 1_000)
    }

    @Test("an object added by another process is not new, and the list is unchanged")
    func brought() async throws {
        let cache = cache()
        try await cache.write(try list("1"), to: Self.list)
        _ = try ids(cache)
        store.set { hooks in
            hooks.beforeEdit = { [store] in store.write(["Task:7": CacheRecord(type: "Task")]) }
        }
        try await take("7", into: cache)
        #expect(try ids(cache) == "1")
    }

    @Test("a list fetched by another process is extended too")
    func fetched() async throws {
        let (cache, other) = (cache(), cache())
        try await other.write(try page("1"), to: Self.page)
        let stored = ["Query.found", "Query/found", "Task:1"].reduce(into: [String: CacheRecord]()) { stored, key in
            stored[key] = store.bytes(key).flatMap { CacheRecord(bytes: $0) }
        }
        #expect(stored.count == 3)
        _ = try await other.clear()
        store.set { hooks in hooks.beforeEdit = { [store] in store.write(stored) } }
        try await take("7", into: cache, adding: [Self.page])
        #expect(try ids(cache, Self.page) == "1 7")
    }

    @Test("a result requested before a clearing by another process is not stored")
    func cleared() async throws {
        let (cache, other) = (cache(), cache())
        try await cache.write(try list("1"), to: Self.list)
        let clearing = cache.clearing
        _ = try await other.clear()
        try await take("7", into: cache, since: clearing)
        #expect(try cache.deltaPosition(of: "Task") == nil)
        #expect(store.bytes("Task:7") == nil)
        try await cache.write(try list("1"), to: Self.list, sent: cache.moment(), clearing: clearing)
        #expect(try ids(cache) == "miss")
        // Nor where the region was not there before, and is cleared again.
        let next = cache.clearing
        store.set { hooks in
            hooks.beforeEdit = { [store] in
                store.write(["Task:9": CacheRecord(type: "Task")])
                _ = store.forgetRecords(ofRegionsBeginning: "r")
            }
        }
        try await take("7", into: cache, since: next)
        #expect(try cache.deltaPosition(of: "Task") == nil)
        try await take("7", into: cache)
        #expect(try cache.deltaPosition(of: "Task") != nil)
    }
}
