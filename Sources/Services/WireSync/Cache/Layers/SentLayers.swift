import WireConfig

/// What mutations that were sent at once have added to lists: kept in one record of the region, by which other processes and
/// the next run know of it until the lists are fetched.
///
/// Each layer is a field, whose moment is when it was confirmed. A record takes so many fields alone.
enum SentLayers {
    /// What the ids of such layers begin with.
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
