package import WireStore

/// A store that does as another in everything that a test does not change.
package protocol StoreAround: KeyValueStore {
    var store: any KeyValueStore { get }
}

extension StoreAround {
    package func entry(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry? {
        try store.entry(key, in: namespace)
    }

    package func summary(_ key: String, in namespace: String) throws(StoreFailure) -> StoredEntry.Summary? {
        try store.summary(key, in: namespace)
    }

    package func list(_ namespace: String, prefix: String, after: String?, limit: Int) throws(StoreFailure)
        -> [StoredEntry.Summary]
    {
        try store.list(namespace, prefix: prefix, after: after, limit: limit)
    }

    package func usage(of namespace: String) throws(StoreFailure) -> StoreUsage { try store.usage(of: namespace) }

    package func namespaces() throws(StoreFailure) -> [String] { try store.namespaces() }

    package func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        try await store.put(value, under: key, in: namespace, if: condition)
    }

    package func remove(_ key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> Bool
    {
        try await store.remove(key, in: namespace, if: condition)
    }

    package func clear(_ namespace: String) async throws(StoreFailure) -> Int { try await store.clear(namespace) }

    package func changes(after version: Int64, in namespace: String?, limit: Int) throws(StoreFailure) -> StoreChanges {
        try store.changes(after: version, in: namespace, limit: limit)
    }

    package func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        try await store.changed(after: version)
    }

    package func reseal() async throws(StoreFailure) -> Resealed { try await store.reseal() }

    package func scrub() async throws(StoreFailure) -> Int { try await store.scrub() }

    package func formerCopies() throws(StoreFailure) -> Int { try store.formerCopies() }

    package func failure() async -> StoreFailure? { await store.failure() }
}
