import Foundation
import Support
import Testing
import WireBase
import WireConfig
import WireSQLite
import WireStore
import WireSync

@Suite("The cache compared with a simple model")
struct CacheModelTests {
    @Test(
        "after random fetches, mutations, confirmations and restarts, queries match the model",
        arguments: [1, 2, 3] as [UInt64]
    )
    func model(seed: UInt64) async throws {
        let bench = try CacheBench()
        var run = ModelRun(bench, seed: seed)
        for step in 0..<200 {
            try await run.step()
            try run.check("seed \(seed), step \(step)")
        }
        await bench.close()
    }
}

/// A task as a server or an app has it.
private struct ModelTask: Equatable {
    var title: String
    var done: Bool

    func json(_ id: String) -> JSONValue {
        .object([
            ("__typename", .string("Task")), ("id", .string(id)), ("title", .string(title)), ("done", .boolean(done)),
        ])
    }
}

/// What an app wants to change.
private enum ModelChange {
    case create(String, ModelTask)
    case title(String, String)
    case delete(String)

    func renamed(_ temporary: String, _ real: String) -> Self {
        func id(_ id: String) -> String { id == temporary ? real : id }
        return switch self {
        case .create(let task, let value): .create(id(task), value)
        case .title(let task, let title): .title(id(task), title)
        case .delete(let task): .delete(id(task))
        }
    }
}

/// The model beside the cache: what was fetched, and what is queued above it.
private struct ModelRun {
    private let bench: CacheBench
    private var cache: SyncCache
    private var random: SplitMix
    private var server: [(id: String, task: ModelTask)] = []
    private var nextID = 0
    /// What was fetched; nil for what is known to be gone.
    private var base: [String: ModelTask?] = [:]
    private var list: [String]?
    private var queue: [(id: String, change: ModelChange)] = []
    /// Created and confirmed, and not in the list as it was fetched last.
    private var added: [(order: Int, id: String)] = []
    private var orders: [String: Int] = [:]
    private var rewritings: [TemporaryID.Rewriting] = []
    private var now: Int64 = 1_000

    init(_ bench: CacheBench, seed: UInt64) {
        self.bench = bench
        cache = bench.cache()
        random = SplitMix(seed: seed)
    }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(max(1, count))) }

    mutating func step() async throws {
        now += 10
        bench.clock.set(now)
        switch pick(12) {
        case 0, 1: try await fetchList()
        case 2: try await fetchOne()
        case 3: changeServer()
        case 4, 5: queueCreation()
        case 6, 7: queueTitle()
        case 8: queueDeletion()
        case 9, 10: try await send()
        default: restart()
        }
    }

    // MARK: The server

    private mutating func fetchList() async throws {
        let answer = JSONValue.object([("tasks", .array(server.map { $0.task.json($0.id) }))])
        try await cache.write(answer, to: Self.tasks)
        for (id, task) in server { base[id] = .some(task) }
        list = server.map(\.id)
        added = []
    }

    private mutating func fetchOne() async throws {
        guard !server.isEmpty else { return }
        let (id, task) = server[pick(server.count)]
        try await cache.write(.object([("task", task.json(id))]), to: try Self.task(id))
        base[id] = .some(task)
    }

    private mutating func changeServer() {
        nextID += 1
        switch pick(3) {
        case 0: server.append(("s\(nextID)", ModelTask(title: "server \(nextID)", done: true)))
        case 1 where !server.isEmpty: server[pick(server.count)].task.title = "changed \(nextID)"
        default: if !server.isEmpty { server.remove(at: pick(server.count)) }
        }
    }

    // MARK: The queue

    private var visible: [String] { (expected()?.map(\.id)) ?? [] }

    private mutating func enqueue(_ change: ModelChange, _ layer: [LayerChange], _ answer: JSONValue?) throws {
        nextID += 1
        let id = "m\(nextID)"
        queue.append((id, change))
        orders[id] = nextID
        cache.show(cache.layer(id, expecting: answer ?? .null, of: Self.mutation, and: layer))
    }

    private mutating func queueCreation() {
        nextID += 1
        let (id, task) = ("\(TemporaryID.prefix)\(nextID)", ModelTask(title: "new \(nextID)", done: false))
        try? enqueue(
            .create(id, task),
            [.add(RecordKey("Task", [id]), to: ListTarget(.every(field: "tasks", of: "Query")))],
            .object([("change", task.json(id))])
        )
    }

    private mutating func queueTitle() {
        let ids = visible
        guard !ids.isEmpty else { return }
        let (id, title) = (ids[pick(ids.count)], "title \(nextID)")
        let answer = JSONValue.object([
            ("__typename", .string("Task")), ("id", .string(id)), ("title", .string(title)),
        ])
        try? enqueue(.title(id, title), [], .object([("change", answer)]))
    }

    private mutating func queueDeletion() {
        let ids = visible
        guard !ids.isEmpty else { return }
        let id = ids[pick(ids.count)]
        try? enqueue(.delete(id), [.delete(RecordKey("Task", [id]))], nil)
    }

    private mutating func send() async throws {
        guard let (mutation, change) = queue.first else { return }
        queue.removeFirst()
        switch change {
        case .create(let temporary, let task):
            nextID += 1
            let id = "r\(nextID)"
            server.append((id, task))
            base[id] = .some(task)
            if list != nil { added.append((orders[mutation] ?? 0, id)) }
            queue = queue.map { ($0.id, $0.change.renamed(temporary, id)) }
            let rewriting = try #require(TemporaryID.Rewriting(temporary, to: .string(id)))
            rewritings.append(rewriting)
            try await confirm(mutation, task.json(id), rewriting: rewriting)
        case .title(let id, let title):
            let place = server.firstIndex { $0.id == id }
            if let place {
                server[place].task.title = title
                base[id] = .some(server[place].task)
            }
            try await confirm(mutation, place.map { server[$0].task.json(id) } ?? .null)
        case .delete(let id):
            server.removeAll { $0.id == id }
            base[id] = .some(nil)
            try await confirm(mutation, .null, deleting: [RecordKey("Task", [id])])
        }
    }

    private func confirm(
        _ mutation: String,
        _ answer: JSONValue,
        deleting: Set<RecordKey> = [],
        rewriting: TemporaryID.Rewriting? = nil
    ) async throws {
        let data = JSONValue.object([("change", answer)])
        try await cache.confirm(mutation, data, to: Self.mutation, deleting: deleting, rewriting: rewriting)
    }

    /// A new process: memory is empty, layers and real ids come from where they were kept.
    private mutating func restart() {
        let layers = cache.layers.map { $0.json.text() }
        cache = bench.cache()
        cache.show(only: layers.compactMap { (try? json($0)).flatMap(OptimisticLayer.init(json:)) })
        cache.resolve(rewritings.compactMap { TemporaryID.Rewriting($0.temporary, to: $0.real) })
    }

    // MARK: What is to be seen

    private func seen(_ id: String) -> ModelTask? {
        var task = base[id] ?? nil
        for (_, change) in queue {
            switch change {
            case .create(id, let created): task = created
            case .title(id, let title): task?.title = title
            case .delete(id): task = nil
            default: break
            }
        }
        return task
    }

    private func expected() -> [(id: String, task: ModelTask)]? {
        guard var ids = list else { return nil }
        var additions = added
        for (mutation, change) in queue {
            if case .create(let id, _) = change { additions.append((orders[mutation] ?? 0, id)) }
        }
        for (_, id) in additions.sorted(by: { $0.order < $1.order }) where !ids.contains(id) { ids.append(id) }
        return ids.compactMap { id in seen(id).map { (id, $0) } }
    }

    func check(_ place: String) throws {
        let reading = try cache.read(Self.tasks)
        guard let expected = expected() else {
            guard case .miss = reading else { return #expect(Bool(false), "\(place): a list that was not fetched") }
            return
        }
        guard case .hit(let hit) = reading else {
            #expect(Bool(false), "\(place): \(reading)")
            return
        }
        let wanted = expected.map { id, task -> JSONValue in
            .object([("id", .string(id)), ("title", .string(task.title)), ("done", .boolean(task.done))])
        }
        #expect(hit.answer.data.text() == JSONValue.object([("tasks", .array(wanted))]).text(), "\(place)")
    }

    private static let tasks = question("{ tasks { id title done } }")
    private static let mutation = question("mutation { change { id title done } }")

    private static func task(_ id: String) throws -> CacheQuestion {
        question("query($id: ID!) { task(id: $id) { id title done } }", ["id": .string(id)])
    }
}

/// A store of its own, and a clock that is set by hand.
final class CacheBench: Sendable {
    let store: SQLiteStore
    let clock = SetClock()
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try SQLiteStore.open(folder: folder.path, sealer: PlainSealer())
    }

    /// Another process has the file open as well.
    func other() throws -> SQLiteStore { try SQLiteStore.open(folder: folder.path, sealer: PlainSealer()) }

    func cache(
        _ store: (any RecordStore)? = nil,
        rules: RecordRules = RecordRules(),
        _ change: (inout CacheSettings) -> Void = { _ in }
    ) -> SyncCache {
        var settings = CacheSettings(
            region: "sync/app/dev/u-1/",
            digest: { bytes in bytes.reduce(into: 5_381) { $0 = $0 &* 33 &+ Int($1) }.description },
            now: clock.now
        )
        change(&settings)
        return SyncCache(store ?? self.store, settings, rules)
    }

    func close() async {
        await store.close()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Seals so that what is sealed does not stand in the file.
struct PlainSealer: Sealer {
    func seal(_ bytes: [UInt8], for place: String) throws(StoreFailure) -> [UInt8] { bytes.map { $0 ^ 0x5a } }
    func open(_ sealed: [UInt8], for place: String) throws(StoreFailure) -> [UInt8] { sealed.map { $0 ^ 0x5a } }
    func isCurrent(_ sealed: [UInt8]) -> Bool { true }
}

func question(_ text: String, _ variables: [String: JSONValue] = [:]) -> CacheQuestion {
    guard let asked = try? Asked(text) else { preconditionFailure("no document: \(text)") }
    return CacheQuestion(
        document: text,
        operation: asked.operation,
        fragments: asked.fragments,
        variables: variables
    )
}
