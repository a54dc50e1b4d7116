package import WireStore

/// A store that does as another in everything that a test does not change.
package protocol StoreAround: KeyValueStore {
    var store: any KeyValueStore { get }
}

extension StoreAround {
    package func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        try await store.entry(key, in: namespace)
    }

    package func summary(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry.Summary? {
        try await store.summary(key, in: namespace)
    }

    package func list(_ namespace: String, prefix: String, after: String?, limit: Int) async throws(StoreFailure)
        -> [StoredEntry.Summary]
    {
        try await store.list(namespace, prefix: prefix, after: after, limit: limit)
    }

    package func usage(of namespace: String) async throws(StoreFailure) -> StoreUsage {
        try await store.usage(of: namespace)
    }

    package func namespaces() async throws(StoreFailure) -> [String] { try await store.namespaces() }

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

    package func changes(after version: Int64, in namespace: String?, limit: Int) async throws(StoreFailure)
        -> StoreChanges
    {
        try await store.changes(after: version, in: namespace, limit: limit)
    }

    package func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        try await store.changed(after: version)
    }

    package func reseal() async throws(StoreFailure) -> Resealed { try await store.reseal() }

    package func scrub() async throws(StoreFailure) -> Scrubbed { try await store.scrub() }

    package func scrubbable() async throws(StoreFailure) -> Scrubbed { try await store.scrubbable() }

    package func failure() async -> StoreFailure? { await store.failure() }
}
