import Synchronization
import WireStore

/// Reads the records of one answer as of one moment, from memory or the store, seen through the layers.
///
/// Used by one thread; the records it has read are cached afterwards.
final class RecordLoader: RecordSource {
    private let cache: SyncCache
    private let view: any RecordView
    private let layers: Layers
    private(set) var read: [RecordKey: CacheRecord?] = [:]
    /// A read failure, which leaves no answer.
    private(set) var failure: StoreFailure?

    init(_ cache: SyncCache, _ look: SyncCache.CacheView, _ layers: Layers? = nil) {
        (self.cache, view) = (cache, look.view)
        self.layers = layers ?? look.known.layers
    }

    func record(_ key: RecordKey) -> RecordLookup { layers.record(key, over: RecordLookup(base(key))) }

    func prepare(_ values: [RecordValue]) {
        let wanted = values.compactMap { value -> RecordKey? in
            guard case .reference(let key) = value, read[key] == nil else { return nil }
            return key
        }
        if wanted.isEmpty { return }
        load(remember(wanted))
    }

    /// Takes records from memory where that matches the view; returns the other keys.
    private func remember(_ keys: [RecordKey]) -> [RecordKey] {
        cache.state.withLock { state in
            guard state.position == view.position else { return keys }
            return keys.filter { key in
                guard let record = state.records.use(key) else { return true }
                read[key] = .some(record)
                return false
            }
        }
    }

    private func base(_ key: RecordKey) -> CacheRecord? {
        if let known = read[key] { return known }
        load(remember([key]))
        return read[key] ?? nil
    }

    private func load(_ keys: [RecordKey]) {
        if keys.isEmpty { return }
        let names = keys.map(cache.settings.name)
        do throws(StoreFailure) {
            let found = try view.records(names)
            for (key, name) in zip(keys, names) { read[key] = .some(found[name].flatMap { CacheRecord(bytes: $0) }) }
        } catch {
            failure = failure ?? error
            for key in keys { read[key] = .some(nil) }
        }
    }
}
