import Synchronization
package import WireStore

/// A store some of whose entries cannot be read while a test says so, as when its server is away.
package final class FailingReads: StoreAround {
    package let store: any KeyValueStore
    /// The part of the keys that cannot be read, and why; nil where all can.
    private let failing = Mutex<(keys: String, kind: StoreFailure.Kind)?>(nil)

    package init(_ store: any KeyValueStore) { self.store = store }

    package func fail(_ keys: String?, as kind: StoreFailure.Kind = .away) {
        failing.withLock { $0 = keys.map { ($0, kind) } }
    }

    package func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        try check(key)
        return try await store.entry(key, in: namespace)
    }

    package func summary(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry.Summary? {
        try check(key)
        return try await store.summary(key, in: namespace)
    }

    private func check(_ key: String) throws(StoreFailure) {
        guard let (keys, kind) = failing.withLock({ $0 }), key.contains(keys) else { return }
        throw StoreFailure(kind, "the entry cannot be read")
    }
}
