import WireBase
import WireStore

/// A store that tells its process nothing of what other processes have changed until it asks.
struct LateNews: KeyValueStore {
    let store: any KeyValueStore

    func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        try? await ContinuousClock().sleep(for: .seconds(86_400))
        return version
    }

    func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        try await store.entry(key, in: namespace)
    }

    func summary(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry.Summary? {
        try await store.summary(key, in: namespace)
    }

    func list(_ namespace: String, prefix: String, after: String?, limit: Int) async throws(StoreFailure)
        -> [StoredEntry.Summary]
    {
        try await store.list(namespace, prefix: prefix, after: after, limit: limit)
    }

    func usage(of namespace: String) async throws(StoreFailure) -> StoreUsage { try await store.usage(of: namespace) }

    func namespaces() async throws(StoreFailure) -> [String] { try await store.namespaces() }

    func put(_ value: NewValue, under key: String, in namespace: String, if condition: StoreCondition)
        async throws(StoreFailure) -> StoreReceipt
    {
        try await store.put(value, under: key, in: namespace, if: condition)
    }

    func remove(_ key: String, in namespace: String, if condition: StoreCondition) async throws(StoreFailure) -> Bool {
        try await store.remove(key, in: namespace, if: condition)
    }

    func clear(_ namespace: String) async throws(StoreFailure) -> Int { try await store.clear(namespace) }

    func changes(after version: Int64, in namespace: String?, limit: Int) async throws(StoreFailure) -> StoreChanges {
        try await store.changes(after: version, in: namespace, limit: limit)
    }

    func reseal() async throws(StoreFailure) -> Resealed { try await store.reseal() }

    func scrub() async throws(StoreFailure) -> Scrubbed { try await store.scrub() }
    func scrubbable() async throws(StoreFailure) -> Scrubbed { try await store.scrubbable() }

    func failure() async -> StoreFailure? { await store.failure() }
}
