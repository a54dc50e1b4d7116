/// The records of one answer.
package struct WrittenRecords: Sendable {
    package var records: [RecordKey: CacheRecord] = [:]

    package init() {}

    /// Removes the fields of a root, and the objects that only their place below it identifies.
    mutating func removeRoot(_ root: RecordKey) {
        let prefixes = ["\(root.text).", "\(root.text)/"]
        for key in records.keys where prefixes.contains(where: { key.text.hasPrefix($0) }) { records[key] = nil }
    }

    /// Makes room for so many more records.
    mutating func reserve(_ count: Int) { records.reserveCapacity(records.count + count) }

    /// Adds what one place of an answer says of an object.
    mutating func add(_ record: CacheRecord, under key: RecordKey) {
        // Most objects stand in an answer once.
        guard var former = records.updateValue(record, forKey: key) else { return }
        former.merge(record)
        records[key] = former
    }
}

/// How large an answer may be for the cache.
package struct RecordLimits: Sendable {
    package var records = 200_000
    package var nodes = 1_000_000
    package var depth = 256

    package init() {}

    package enum Exceeded: String, Error {
        case records, nodes, depth
    }
}
