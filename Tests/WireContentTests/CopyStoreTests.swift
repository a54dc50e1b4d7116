import Synchronization
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireStore
import Workbench

@testable import WireContent

@Suite("Copies in the store")
struct CopyStoreTests {
    private static func copy(_ id: String, at timestamp: Int64) throws -> ModuleCopy {
        let item = try #require(ContentItem(.members(["id": .string(id)]), bytes: Array(#"{"id":"\#(id)"}"#.utf8)))
        let identity = ModuleCopy.Identity(id: nil, name: "News", locale: nil)
        return ModuleCopy(identity, timestamp: timestamp, checked: 0, items: [item])
    }

    @Test("a copy that another process replaces while it is read is not damaged")
    func replaced() async throws {
        let bench = try Workbench()
        let other = CopyStore(bench.store, OpenSSLSecrecy())
        let changes = SyncChanges(timestamp: 1)
        let first = try await other.write(try Self.copy("a", at: 1), after: nil, changes: changes, in: "x", over: nil)
        let second = try Self.copy("b", at: 2)
        let values = InterruptedReads(bench.store) { () async throws(StoreFailure) in
            _ = try await other.write(second, after: nil, changes: changes, in: "x", over: first.version)
        }
        let reading = try await CopyStore(values, OpenSSLSecrecy()).read("x")
        #expect(reading.stored?.copy["b"] != nil && reading.stored?.copy["a"] == nil)
    }

    @Test("a copy that another process has replaced is not removed")
    func notRemoved() async throws {
        let bench = try Workbench()
        let store = CopyStore(bench.store, OpenSSLSecrecy())
        let changes = SyncChanges(timestamp: 1)
        let first = try await store.write(try Self.copy("a", at: 1), after: nil, changes: changes, in: "x", over: nil)
        let second = try Self.copy("b", at: 2)
        _ = try await store.write(second, after: nil, changes: changes, in: "x", over: first.version)
        await #expect(throws: StoreFailure.self) { try await store.wipe("x", over: first.version) }
        #expect(try await store.read("x").stored?.copy["b"] != nil)
    }
}

/// A store to which another process writes before the first part of a copy is read.
private final class InterruptedReads: StoreAround {
    let store: any KeyValueStore
    private let write: @Sendable () async throws(StoreFailure) -> Void
    private let isWritten = Mutex(false)

    init(_ store: any KeyValueStore, _ write: @escaping @Sendable () async throws(StoreFailure) -> Void) {
        (self.store, self.write) = (store, write)
    }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        let isNext = isWritten.withLock { isWritten in
            guard !isWritten, key.hasPrefix("part-") else { return false }
            isWritten = true
            return true
        }
        if isNext { try await write() }
        return try await store.entry(key, in: namespace)
    }
}
