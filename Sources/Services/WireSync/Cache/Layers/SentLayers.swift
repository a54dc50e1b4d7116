import WireConfig

/// The list additions of mutations that were sent at once: stored in one record of the region, so that other processes
/// and the next run have them until the lists are fetched.
///
/// Each layer is a field whose time is that of its confirmation. The number of fields of a record is limited.
enum SentLayers {
    /// The prefix of the ids of such layers.
    static let prefix = "sent-"
    static let key = RecordKey("~sent")

    static func record(_ layer: OptimisticLayer, at moment: Moment) -> CacheRecord {
        CacheRecord(fields: [layer.id: CachedField(.scalar(layer.json), at: moment)])
    }

    /// The layers of a record that were confirmed at a time or later, as they are left then.
    static func layers(of record: CacheRecord, since time: Int64) -> [OptimisticLayer] {
        record.fields.compactMap { _, field in
            guard field.time >= time, case .scalar(let json) = field.value, let layer = OptimisticLayer(json: json)
            else {
                return nil
            }
            return OptimisticLayer(layer.id, layer.changes.compactMap { $0.settled(at: field.moment) })
        }
    }
}
