/// The records of one answer.
package struct WrittenRecords: Sendable {
    package var records: [RecordKey: CacheRecord] = [:]

    package init() {}

    /// Adds what one place of an answer says of an object.
    mutating func add(_ record: CacheRecord, under key: RecordKey) {
        if records[key]?.merge(record) == nil { records[key] = record }
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
