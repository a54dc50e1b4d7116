package import WireHTTP

/// The number of cached records of a type.
package struct SyncCachedType: JSONRecord {
    package let type: String
    package let records: Int

    package init(_ type: String, _ records: Int) { (self.type, self.records) = (type, records) }
}

extension SyncCachedType {
    package static let form = JSONForm<Self>("SyncCachedType", "The number of cached records of a type.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        type = try members.required("type", \.type, "The name of the type.", .example("Article"))
        records = try members.required(
            "records",
            \.records,
            "The number of records.",
            .count,
            .example(2)
        )
    }
}

/// The contents of the current user's cache.
package struct SyncCacheStatus: JSONRecord {
    package var records = 0
    /// The types with the most records, in descending order.
    package var types: [SyncCachedType] = []
    package var size, maxSize: Int
    package var isEncrypted: Bool

    package init(size: Int, maxSize: Int, isEncrypted: Bool) {
        (self.size, self.maxSize, self.isEncrypted) = (size, maxSize, isEncrypted)
    }
}

extension SyncCacheStatus {
    package static let form = JSONForm<Self>("SyncCacheStatus", "The contents of the current user's cache.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        records = try members.required("records", \.records, "The number of records.", .count, .example(2))
        types = try members.required("types", \.types, "The types with the most records, at most 100.")
        size = try members.required("size", \.size, "The size of all records, in bytes.", .count, .example(512))
        maxSize = try members.required(
            "maxSize",
            \.maxSize,
            "'sync.cache.maxSize', in bytes.",
            .count,
            .example(67_108_864)
        )
        isEncrypted = try members.flag("encrypted", \.isEncrypted, "Whether new records are encrypted.")
    }
}

/// The removed records.
package struct SyncCacheCleared: JSONRecord {
    package let records: Int

    package init(records: Int) { self.records = records }
}

extension SyncCacheCleared {
    package static let form = JSONForm<Self>("SyncCacheCleared", "The removed records.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        records = try members.required(
            "records",
            \.records,
            "The number of removed records.",
            .count,
            .example(2)
        )
    }
}
