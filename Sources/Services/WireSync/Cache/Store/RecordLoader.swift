import Synchronization
import WireStore

/// Reads records for one answer: from memory, else from the store, seen through the layers.
///
/// Used by one thread; what it has read is kept in memory afterwards.
final class RecordLoader: RecordSource {
    private let cache: SyncCache
    private let layers: Layers
    private(set) var read: [RecordKey: CacheRecord?] = [:]
    /// Why something could not be read, which is then no answer.
    private(set) var failure: StoreFailure?

    init(_ cache: SyncCache, _ layers: Layers) {
        self.cache = cache
        self.layers = layers
    }

    func record(_ key: RecordKey) -> RecordLookup { layers.record(key, over: RecordLookup(base(key))) }

    func prepare(_ values: [RecordValue]) {
        let wanted = values.compactMap { value -> RecordKey? in
            guard case .reference(let key) = value, read[key] == nil else { return nil }
            return key
        }
        if wanted.isEmpty { return }
        let missing = cache.state.withLock { state in
            wanted.filter { key in
                guard let record = state.records.use(key) else { return true }
                read[key] = .some(record)
                return false
            }
        }
        load(missing)
    }

    private func base(_ key: RecordKey) -> CacheRecord? {
        if let known = read[key] { return known }
        if let record = cache.state.withLock({ $0.records.use(key) }) {
            read[key] = .some(record)
            return record
        }
        load([key])
        return read[key] ?? nil
    }

    private func load(_ keys: [RecordKey]) {
        if keys.isEmpty { return }
        let names = keys.map(cache.settings.name)
        do throws(StoreFailure) {
            let found = try cache.store.records(names, in: cache.settings.region).records
            for (key, name) in zip(keys, names) { read[key] = .some(found[name].flatMap { CacheRecord(bytes: $0) }) }
        } catch {
            failure = failure ?? error
            for key in keys { read[key] = .some(nil) }
        }
    }
}
