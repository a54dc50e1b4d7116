import Synchronization
package import WireStore

/// Counts the records of each type.
extension SyncCache {
    /// The records by type name; those of fields of a root type count under that type.
    package func recordsByType() throws(StoreFailure) -> [String: Int] {
        var (counts, last): ([String: Int], String?) = ([:], nil)
        let own = Set(state.withLock { $0.marks }.union([SentLayers.key]).map(settings.name))
        while true {
            let page = try store.records(of: settings.region, after: last, limit: 1_000).records
            guard let end = page.keys.max() else { return counts }
            last = end
            for (name, bytes) in page where !name.hasPrefix("~") && !own.contains(name) {
                guard let type = Self.type(name, bytes) else { continue }
                counts[type, default: 0] += 1
            }
        }
    }

    /// Nil for a deletion mark, or bytes that cannot be read.
    private static func type(_ name: String, _ bytes: [UInt8]) -> String? {
        guard let record = CacheRecord(bytes: bytes), !record.isDeleted else { return nil }
        if let type = record.type { return type }
        let isReadable = !name.hasPrefix(CacheSettings.digested)
        // 'Query.tasks' and 'Query/tasks/0' belong to the root, 'Task:7/ward' to no known type.
        return isReadable ? name.split(whereSeparator: { ".:/".contains($0) }).first.map(String.init) : "unknown"
    }
}
