/// The expected changes of one queued mutation, shown until the server has answered.
package struct OptimisticLayer: Sendable, Equatable {
    /// The id of the mutation.
    package let id: String
    package var changes: [LayerChange]

    package init(_ id: String, _ changes: [LayerChange]) {
        self.id = id
        self.changes = changes
    }

    /// Makes the layer of an optimistic answer.
    ///
    /// The fields of the root are omitted: the answer to a mutation is never requested again.
    package init(_ id: String, _ records: WrittenRecords, and others: [LayerChange] = []) {
        self.id = id
        var records = records
        for root in [RecordKey.query, .mutation, .subscription] { records.removeRoot(root) }
        let objects = records.records.sorted { $0.key < $1.key }
        changes = objects.map { LayerChange.fields($0.key, $0.value.ageless) } + others
    }
}

extension CacheRecord {
    fileprivate var ageless: Self {
        var copy = self
        copy.fields.setAgeless()
        return copy
    }
}

extension OptimisticLayer {
    /// When its mutation was confirmed; nil while it is queued.
    var end: Int64? {
        guard changes.allSatisfy({ $0.end != nil }) else { return nil }
        return changes.compactMap(\.end?.time).max()
    }
}

extension LayerChange {
    /// When its mutation was confirmed; nil while it is queued.
    var end: Moment? {
        switch self {
        case .fields, .delete, .unknown: nil
        case .add(_, let target), .remove(_, let target): target.end == .never ? nil : target.end
        }
    }
}

extension OptimisticLayer {
    /// The layer with real ids in place of temporary ones.
    func resolved(_ aliases: TemporaryID.Aliases) -> Self {
        var layer = self
        for (place, change) in changes.enumerated() {
            for name in change.temporaries {
                if let rewriting = aliases.rewriting(of: name) {
                    layer.changes[place] = rewriting(layer.changes[place])
                }
            }
        }
        return layer
    }
}

/// One change of a layer.
package enum LayerChange: Sendable, Equatable {
    /// Sets fields of an object.
    case fields(RecordKey, CacheRecord)
    case add(RecordKey, to: ListTarget)
    case remove(RecordKey, from: ListTarget)
    /// Deletes an object: it is in no list, and fields that refer to it are null.
    case delete(RecordKey)
    /// Makes lists with lost additions unknown.
    case unknown(ListTarget)
}

extension LayerChange {
    /// The part of the change that remains after the server's confirmation: lists fetched earlier lack the object.
    func settled(at moment: Moment) -> Self? {
        switch self {
        case .fields, .delete: nil
        case .unknown: self
        case .add(let key, let target): .add(key, to: target.ending(at: moment))
        case .remove(let key, let target): .remove(key, from: target.ending(at: moment))
        }
    }
}

/// A list that a layer adds an object to; unknown lists stay unknown.
package struct ListTarget: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// One field by its key.
        case field(String, of: RecordKey)
        /// The field of all objects of a type, whatever its arguments.
        case every(field: String, of: String)
    }

    package let place: Place
    /// Whether the object comes before all others.
    package let isFirst: Bool
    /// Lists requested later than this need no addition.
    package let end: Moment

    package init(_ place: Place, isFirst: Bool = false, end: Moment = .never) {
        self.place = place
        self.isFirst = isFirst
        self.end = end
    }

    func ending(at moment: Moment) -> Self { Self(place, isFirst: isFirst, end: min(end, moment)) }

    /// Whether a field of an object belongs to it.
    func takes(_ key: String, told moment: Moment) -> Bool {
        guard moment.position < end.position || moment == .never else { return false }
        return switch place {
        case .field(let wanted, _): key == wanted
        case .every(let name, _): key == name || key.hasPrefix("\(name)(")
        }
    }
}
