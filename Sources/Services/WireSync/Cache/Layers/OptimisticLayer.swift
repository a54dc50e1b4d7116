/// What one queued mutation is expected to change, shown until the server has answered.
package struct OptimisticLayer: Sendable, Equatable {
    /// The id of the mutation.
    package let id: String
    package var changes: [LayerChange]

    package init(_ id: String, _ changes: [LayerChange]) {
        self.id = id
        self.changes = changes
    }

    /// A layer of the objects that an optimistic answer tells of.
    ///
    /// The fields of the root are left out: the answer to a mutation is not asked for again.
    package init(_ id: String, _ records: WrittenRecords, and others: [LayerChange] = []) {
        self.id = id
        let objects = records.records.filter { key, _ in !RecordKey.rootPrefixes.contains { key.text.hasPrefix($0) } }
        changes = objects.sorted { $0.key < $1.key }.map { LayerChange.fields($0.key, $0.value.ageless) } + others
    }
}

extension RecordKey {
    /// What the keys of a root's fields begin with, and those of objects that only their place identifies.
    fileprivate static let rootPrefixes = ["Query", "Mutation", "Subscription"].flatMap { ["\($0).", "\($0)/"] }
}

extension CacheRecord {
    fileprivate var ageless: Self {
        Self(type: type, fields: fields.mapValues { CachedField($0.value, at: CachedField.ageless) })
    }
}

/// One change of a layer.
package enum LayerChange: Sendable, Equatable {
    /// Fields of an object have other values.
    case fields(RecordKey, CacheRecord)
    case add(RecordKey, to: ListTarget)
    case remove(RecordKey, from: ListTarget)
    /// The object is in no list, and null where a field refers to it.
    case delete(RecordKey)
}

/// A list that a layer adds an object to; nothing is added to a list that is not known.
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

    package init(_ place: Place, isFirst: Bool = false) {
        self.place = place
        self.isFirst = isFirst
    }

    /// Whether a field of an object belongs to it.
    func takes(_ key: String) -> Bool {
        switch place {
        case .field(let wanted, _): key == wanted
        case .every(let name, _): key == name || key.hasPrefix("\(name)(")
        }
    }
}
