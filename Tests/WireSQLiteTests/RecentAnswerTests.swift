import Foundation
import Support
import Testing
import WireBase
import WireSQLite
import WireStore

@Suite("Cached responses in memory")
struct RecentAnswerTests {
    private static func value(_ text: String) -> CachedValue {
        CachedValue(bytes: Array(text.utf8), notes: [1], stored: 2)
    }

    private static func text(_ key: String, of store: SQLiteStore) throws -> String? {
        try store.cached(key, in: "r").map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static func cache(_ text: String, under key: String, in store: SQLiteStore) async throws {
        try await store.cache(value(text), under: key, in: "r", bound: .mebibytes(1))
    }

    @Test("a repeated read makes no file access, not even for a lock")
    func noCalls() throws {
        let folder = try StoreFolder()
        // The first makes the files.
        _ = try folder.calls("recache", 1)
        let few = try folder.calls("recache", 1)
        let many = try folder.calls("recache", 2_000)
        #expect(many < few + 100, "\(few) calls for one read, \(many) for 2000")
    }

    @Test("stores, replacements and removals are visible to all readers and processes at once")
    func changes() async throws {
        let folder = try StoreFolder()
        let (first, second) = (try folder.open(), try folder.open())
        for (number, writer) in [first, second, first, second].enumerated() {
            try await Self.cache("\(number)", under: "k", in: writer)
            for reader in [first, second, first, second] { #expect(try Self.text("k", of: reader) == "\(number)") }
        }
        try await first.forget("k", in: "r")
        #expect(try Self.text("k", of: second) == nil)
        #expect(try Self.text("k", of: first) == nil)
        try await Self.cache("again", under: "k", in: second)
        #expect(try Self.text("k", of: first) == "again")
        _ = try Self.text("k", of: second)
        #expect(first.recentCacheUsage.entries == 1)
        try await second.forget(nil, in: "r")
        #expect(try Self.text("k", of: first) == nil)
        #expect(first.recentCacheUsage.entries == 0)
    }

    @Test("memory stays within its limit")
    func bounded() async throws {
        let folder = try StoreFolder()
        var limits = StoreLimits()
        limits.recentSize = .kibibytes(16)
        let store = try SQLiteStore.open(folder: folder.path, sealer: try Keys.sealer(1), limits: limits)
        let text = String(repeating: "x", count: 700)
        for key in 0..<40 { try await Self.cache(text, under: "\(key)", in: store) }
        for key in 0..<40 {
            _ = try Self.text("\(key)", of: store)
            #expect(store.recentCacheUsage.size <= .kibibytes(16))
        }
        #expect((10...18).contains(store.recentCacheUsage.entries), "\(store.recentCacheUsage)")
        await store.close()
        #expect(store.recentCacheUsage.entries == 0)
        #expect(throws: StoreFailure.self) { try Self.text("0", of: store) }
    }

    @Test("damage or removal of the file invalidates memory")
    func renewed() async throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try await Self.cache("old", under: "k", in: store)
        #expect(try Self.text("k", of: store) == "old")
        for name in ["cache.db", "cache.db-wal", "cache.db-shm"] {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        }
        try await Self.cache("new", under: "other", in: store)
        #expect(try Self.text("k", of: store) == nil)
        #expect(try Self.text("other", of: store) == "new")
        #expect(store.recentCacheUsage.entries == 1)
    }

    @Test("closing during reads is safe")
    func closing() async throws {
        for _ in 0..<20 {
            let folder = try StoreFolder()
            let store = try folder.open()
            try await Self.cache("x", under: "k", in: store)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        while (try? Self.text("k", of: store)) != nil { await Task.yield() }
                    }
                }
                await store.close()
            }
        }
    }
}
