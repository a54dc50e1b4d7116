import Synchronization
import Testing
import WireBase
import WireHTTP
import WireSQLite
import WireService
import WireStore
import Workbench

@Suite("Records in the store")
struct RepositoryTests {
    private let workbench: Workbench
    private let records: Repository<Tally>

    init() throws {
        workbench = try Workbench()
        records = Repository(in: workbench.store, namespace: "corewire/test", prefix: "a/", of: "tally")
    }

    @Test("a change is repeated on top of a concurrent write")
    func conflict() async throws {
        _ = try await records.put(Tally(count: 1), of: "x", after: nil)
        let version = try await records.version(of: "x")
        // A writer with an older version is refused, and 'edit' reads anew.
        _ = try await records.edit("x") { $0?.count += 10 }
        await #expect(throws: StoreFailure.self) { try await records.put(Tally(count: 5), of: "x", after: version) }
        #expect(try await records.read("x")?.record == Tally(count: 11))
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try await records.edit("x") { $0?.count += 1 } } }
            try await group.waitForAll()
        }
        #expect(try await records.read("x")?.record == Tally(count: 31))
    }

    @Test("a change is repeated for any number of concurrent writes")
    func conflicts() async throws {
        let contested = Repository<Tally>(
            in: ContestedStore(workbench.store, conflicts: 5),
            namespace: "corewire/test",
            prefix: "a/",
            of: "tally"
        )
        let edited = try await contested.edit("x") { record -> Int in
            record = Tally(count: (record?.count ?? 0) + 1)
            return record?.count ?? 0
        }
        #expect(edited.answer == 501 && edited.stored?.record == Tally(count: 501))
        #expect(try await records.read("x")?.version == edited.stored?.version)
        let gone = try await contested.edit("x") { $0 = nil }
        #expect(gone.stored == nil)
        #expect(try await records.read("x") == nil)
    }

    @Test("a change that throws, or a failing store, writes nothing")
    func thrown() async throws {
        try await records.edit("x") { $0 = Tally(count: 1) }
        await #expect(throws: StoreFailure.self) {
            try await records.edit("x") { record throws(StoreFailure) in
                record?.count = 2
                throw StoreFailure(.closed, "it ends")
            }
        }
        #expect(try await records.read("x")?.record == Tally(count: 1))
    }

    @Test("of concurrent creations the first one wins")
    func made() async throws {
        let store = ContestedStore(workbench.store, conflicts: 1)
        let bytes = try await store.bytes("made", in: "corewire/test") { NewValue([1], type: "text/plain") }
        #expect(bytes == ContestedStore.quicker(1))
        let again = try await store.bytes("made", in: "corewire/test") { NewValue([2], type: "text/plain") }
        #expect(again == bytes)
    }

    @Test("change events name the written and removed records of the prefix")
    func changes() async throws {
        try await records.edit("before") { $0 = Tally(count: 1) }
        let start = try await records.latest()
        try await records.edit("x") { $0 = Tally(count: 1) }
        try await records.edit("x") { $0?.count = 2 }
        try await records.edit("before") { $0 = nil }
        let others = Repository<Tally>(in: workbench.store, namespace: "corewire/test", prefix: "b/", of: "tally")
        try await others.edit("other") { $0 = Tally(count: 1) }
        let found = try await records.changes(after: start)
        #expect(found.names == ["x", "before"] && !found.hasGap)
        #expect(try await records.changes(after: found.version).isEmpty)
    }

    @Test("an unchanged record is not written, and nil removes it")
    func unchanged() async throws {
        _ = try await records.put(Tally(count: 1), of: "x", after: nil)
        let version = try await records.version(of: "x")
        #expect(try await records.edit("x") { $0?.count }.answer == 1)
        #expect(try await records.version(of: "x") == version)
        _ = try await records.edit("x") { $0 = nil }
        #expect(try await records.read("x") == nil)
        _ = try await records.edit("x") { $0 = nil }
        #expect(try await records.version(of: "x") == nil)
    }

    @Test(
        "a record of a newer version, or without a required member, is an error with its name, and unchanged",
        arguments: [
            (#"{"version":2,"count":1}"#, StoreFailure.Kind.newer, "'/version': found version 2, expected 1"),
            (#"{"count":1}"#, .corrupt, "'/version': 'version' is missing"),
            (#"{"version":1}"#, .corrupt, "'/count': 'count' is missing"),
            (#"{"version":1,"count":"x"}"#, .corrupt, "'/count': 'count': found text, expected a whole number"),
            ("{", .corrupt, ""),
        ]
    )
    func unreadable(text: String, kind: StoreFailure.Kind, detail: String) async throws {
        let bytes = Array(text.utf8)
        _ = try await workbench.store.put(
            NewValue(bytes, type: "application/json"),
            under: "a/x",
            in: "corewire/test",
            if: .absent
        )
        await #expect {
            try await records.edit("x") { $0 = Tally(count: 0) }
        } throws: { error in
            let failure = error as? StoreFailure
            return failure?.kind == kind && failure?.reason.contains("tally 'x'") ?? false
                && failure?.reason.contains(detail) ?? false
        }
        #expect(try workbench.store.entry("a/x", in: "corewire/test")?.bytes == bytes)
    }

    @Test(
        "unreadable records are skipped on request, other failures are thrown",
        arguments: [StoreFailure.Kind.sealed, .corrupt, .newer, .busy, .away]
    )
    func damaged(kind: StoreFailure.Kind) async throws {
        let damaged = Repository<Tally>(
            in: DamagedStore(workbench.store, kind),
            namespace: "corewire/test",
            prefix: "a/",
            of: "tally"
        )
        _ = try await records.put(Tally(count: 1), of: "x", after: nil)
        var told: [StoreFailure.Kind] = []
        if kind == .busy || kind == .away {
            await #expect(throws: StoreFailure.self) { try await damaged.readable("x") { told.append($0.kind) } }
        } else {
            #expect(try await damaged.all { told.append($0.kind) }.isEmpty && told == [kind])
        }
    }

    @Test("all names of the prefix are listed, beyond one page, and no others")
    func names() async throws {
        let expected = (100..<400).map { "n\($0)" }
        for name in expected { _ = try await records.put(Tally(count: 0), of: name, after: nil) }
        let others = Repository<Tally>(in: workbench.store, namespace: "corewire/test", prefix: "b/", of: "tally")
        _ = try await others.put(Tally(count: 0), of: "other", after: nil)
        var names: [String] = []
        try await records.eachName { names.append($0) }
        #expect(names == expected)
        #expect(try await records.list().map(\.name) == expected)
    }

    @Test("a list goes on after entries that were removed while they were read")
    func removedMeanwhile() async throws {
        for name in ["x1", "x2", "x3", "y"] { _ = try await records.put(Tally(count: 0), of: name, after: nil) }
        let store = WatchedStore(workbench.store, missing: ["a/x1", "a/x2"])
        let found = try await store.entries("corewire/test", prefix: "a/x", after: nil, limit: 2)
        #expect(found.map(\.summary.key) == ["a/x3"])
        #expect(try await store.entries("corewire/test", prefix: "a/x", after: "a/x3", limit: 2).isEmpty)
    }

    @Test("a list of large values ends early")
    func largeValues() async throws {
        let value = NewValue([UInt8](repeating: 0, count: 3 << 20), type: "application/octet-stream")
        for key in ["1", "2"] {
            _ = try await workbench.store.put(value, under: key, in: "corewire/large", if: .always)
        }
        let store = WatchedStore(workbench.store)
        let first = try await store.entries("corewire/large", prefix: "", after: nil, limit: 10)
        #expect(first.map(\.summary.key) == ["1"])
        let second = try await store.entries("corewire/large", prefix: "", after: "1", limit: 10)
        #expect(second.map(\.summary.key) == ["2"])
    }

    @Test("few changes are read in one call")
    func oneCall() async throws {
        let store = WatchedStore(workbench.store)
        let watched = Repository<Tally>(in: store, namespace: "corewire/test", prefix: "a/", of: "tally")
        let start = try await records.latest()
        try await records.edit("x") { $0 = Tally(count: 1) }
        #expect(try await watched.changes(after: start).names == ["x"])
        #expect(store.looks == 1)
    }
}

private struct Tally: JSONRecord, Equatable {
    var count: Int
    static let form = JSONForm<Self>("Tally", "A number.", version: 1)
}

extension Tally {
    init(_ members: inout Members<Self>) throws(JSONMismatch) {
        count = try members.required("count", \.count, "The number.")
    }
}

/// A store that another process writes to before each of the first writes.
private final class ContestedStore: StoreAround {
    let store: any KeyValueStore
    private let left: Mutex<Int>

    init(_ store: any KeyValueStore, conflicts: Int) {
        self.store = store
        left = Mutex(conflicts)
    }

    static func quicker(_ number: Int) -> [UInt8] { Tally(count: number * 100).bytes }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        let number = left.withLock { left in
            defer { left = max(0, left - 1) }
            return left
        }
        if number > 0 {
            // The last of five writes 500.
            let count = await (try store.summary(key, in: namespace) == nil ? 1 : 6 - number)
            let quicker = NewValue(Self.quicker(count), type: "application/json")
            _ = try await store.put(quicker, under: key, in: namespace, if: .always)
        }
        return try await store.put(value, under: key, in: namespace, if: condition)
    }
}

/// A store that cannot give any value.
private final class DamagedStore: StoreAround {
    let store: any KeyValueStore
    private let kind: StoreFailure.Kind

    init(_ store: any KeyValueStore, _ kind: StoreFailure.Kind) { (self.store, self.kind) = (store, kind) }

    func entry(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry? {
        throw StoreFailure(kind, "the value is damaged")
    }
}

/// A store that counts reads of the history, and whose reader misses some entries that it lists.
private final class WatchedStore: StoreAround {
    let store: any KeyValueStore
    private let missing: Set<String>
    private let count = Mutex(0)

    init(_ store: any KeyValueStore, missing: Set<String> = []) { (self.store, self.missing) = (store, missing) }

    var looks: Int { count.withLock { $0 } }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        missing.contains(key) ? nil : try await store.entry(key, in: namespace)
    }

    func changes(after version: Int64, in namespace: String?, limit: Int) async throws(StoreFailure) -> StoreChanges {
        count.withLock { $0 += 1 }
        return try await store.changes(after: version, in: namespace, limit: limit)
    }
}
