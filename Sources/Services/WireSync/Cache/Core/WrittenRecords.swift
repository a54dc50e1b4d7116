/// The records of one answer.
package struct WrittenRecords: Sendable {
    package var records: [RecordKey: CacheRecord] = [:]

    package init() {}

    /// Removes the fields of a root, and the objects identified only by their place below it.
    mutating func removeRoot(_ root: RecordKey) {
        let prefixes = ["\(root.text).", "\(root.text)/"]
        for key in records.keys where prefixes.contains(where: { key.text.hasPrefix($0) }) { records[key] = nil }
    }

    /// Reserves capacity for more records.
    mutating func reserve(_ count: Int) { records.reserveCapacity(records.count + count) }

    /// Adds the fields of an object at one place of an answer.
    mutating func add(_ record: CacheRecord, under key: RecordKey) {
        // Most objects occur only once in an answer.
        guard var former = records.updateValue(record, forKey: key) else { return }
        former.merge(record)
        records[key] = former
    }
}

/// The maximum size of an answer in the cache.
package struct RecordLimits: Sendable {
    package var records = 200_000
    package var nodes = 1_000_000
    package var depth = 256

    package init() {}

    package enum Exceeded: String, Error {
        case records, nodes, depth
    }
}
