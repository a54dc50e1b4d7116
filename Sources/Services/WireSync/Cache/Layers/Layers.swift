/// The layers of all queued mutations, in order, above the server's data.
package struct Layers: Sendable {
    private var numbers: [String: [Int]] = [:]
    private var changes: [Int: LayerChange] = [:]
    private var next = 0
    /// The confirmed layers in that order; a layer that is set again is not confirmed.
    private var settled: [(id: String, time: Int64)] = []
    /// The mutations confirmed last.
    private var confirmed: [String] = []
    /// The last position of a confirmation.
    private(set) var lastEnd: Int64 = 0
    /// The changes of objects, and of the lists of a type, by number and so in order.
    private var byKey: [RecordKey: [Int]] = [:]
    private var byType: [String: [Int]] = [:]
    /// The layers that name a temporary id.
    private var naming: [String: Set<String>] = [:]

    package init() {}

    package var isEmpty: Bool { numbers.isEmpty }
    package var count: Int { numbers.count }

    package func contains(_ id: String) -> Bool { numbers[id] != nil }

    /// Adds a layer above all others, or replaces one with the same id; returns the affected records.
    @discardableResult
    package mutating func set(_ layer: OptimisticLayer) -> Set<RecordKey> {
        let former = numbers[layer.id].map { $0.compactMap { changes[$0] } } ?? []
        if former == layer.changes, numbers[layer.id] != nil { return [] }
        // A layer without additional changes keeps its place.
        let kept = numbers[layer.id] ?? []
        var changed = remove(layer.id)
        let fits = kept.count >= layer.changes.count
        let taken = fits ? Array(kept.prefix(layer.changes.count)) : Array(next..<next + layer.changes.count)
        if !fits { next += layer.changes.count }
        numbers[layer.id] = taken
        if let end = layer.end, !settled.contains(where: { $0.id == layer.id }) { settled.append((layer.id, end)) }
        for (number, change) in zip(taken, layer.changes) {
            lastEnd = max(lastEnd, change.end?.position ?? 0)
            insert(change, number)
            for name in change.temporaries { naming[name, default: []].insert(layer.id) }
            changed.insert(change.target)
        }
        return changed
    }

    /// Adds a stored layer, which may be older than the confirmation of its mutation: it must not cover the server's
    /// answer then.
    mutating func show(_ layer: OptimisticLayer) -> Set<RecordKey> {
        layer.end == nil && confirmed.contains(layer.id) ? [] : set(layer)
    }

    /// Removes a layer; returns the affected records.
    @discardableResult
    package mutating func remove(_ id: String) -> Set<RecordKey> {
        var changed: Set<RecordKey> = []
        for number in numbers.removeValue(forKey: id) ?? [] {
            guard let change = changes.removeValue(forKey: number) else { continue }
            switch change.index {
            case .key(let key): Self.remove(number, of: key, in: &byKey)
            case .type(let type): Self.remove(number, of: type, in: &byType)
            }
            for name in change.temporaries {
                naming[name]?.remove(id)
                if naming[name]?.isEmpty == true { naming[name] = nil }
            }
            changed.insert(change.target)
        }
        return changed
    }

    /// Removes what the server has confirmed at a time; lists fetched earlier keep the additions.
    @discardableResult
    package mutating func settle(_ id: String, at moment: Moment) -> Set<RecordKey> {
        confirmed.append(id)
        if confirmed.count > Self.mostSettled { confirmed.removeFirst(confirmed.count / 2) }
        let left = layer(id).compactMap { $0.settled(at: moment) }
        return left.isEmpty ? remove(id) : set(OptimisticLayer(id, left))
    }

    /// Removes settled layers from before a time, when all their lists have expired, and more where there are too
    /// many; returns the removed layers and the affected records.
    ///
    /// Lists that would lack an addition become unknown until the server returns them.
    package mutating func forgetSettled(before time: Int64) -> (layers: [String], changed: Set<RecordKey>) {
        let count = settled.prefix { $0.time < time }.count
        let excess = settled.count - Self.mostSettled
        // Removes half at once, so that it happens rarely.
        let gone = settled.prefix(max(count, excess > 0 ? excess + Self.mostSettled / 2 : 0)).map(\.id)
        settled.removeFirst(gone.count)
        let changed = lose(gone.dropFirst(count), before: time)
        return (gone, gone.reduce(into: changed) { $0.formUnion(remove($1)) })
    }

    /// Notes the lists that would lack the changes of layers, and replaces notes of expired lists.
    private mutating func lose(_ ids: some Collection<String>, before time: Int64) -> Set<RecordKey> {
        let former = layer(Self.lost)
        if ids.isEmpty, former.isEmpty { return [] }
        var ends: [ListTarget.Place: Moment] = [:]
        for change in former + ids.flatMap(layer) {
            guard let target = change.list, target.end.time >= time else { continue }
            ends[target.place] = max(ends[target.place] ?? target.end, target.end)
        }
        let changes = ends.map { LayerChange.unknown(ListTarget($0.key, end: $0.value)) }
        if changes.isEmpty { return remove(Self.lost) }
        return set(OptimisticLayer(Self.lost, changes))
    }

    private static let mostSettled = 1_000
    /// The layer of lost additions.
    private static let lost = "~lost"

    /// A region that was recreated starts at a lower position, without earlier lists: all are right.
    mutating func forgetEnds(beyond position: Int64) -> Set<RecordKey> {
        lastEnd = 0
        let known = remove(Self.lost)
        let ends = Moment(position: 0, time: 0)
        return settled.map(\.id).reduce(into: known) { changed, id in
            let changes = layer(id)
            guard changes.contains(where: { ($0.end ?? ends).position > position }) else { return }
            changed.formUnion(set(OptimisticLayer(id, changes.compactMap { $0.settled(at: ends) })))
        }
    }

    /// Replaces a temporary id by the real one; returns the affected records, under both keys.
    @discardableResult
    package mutating func rewrite(_ rewriting: TemporaryID.Rewriting) -> Set<RecordKey> {
        var changed: Set<RecordKey> = []
        for id in naming[rewriting.temporary] ?? [] {
            changed.formUnion(set(OptimisticLayer(id, layer(id).map(rewriting.callAsFunction))))
        }
        return changed
    }

    /// The changes of a layer, in order.
    package func layer(_ id: String) -> [LayerChange] { (numbers[id] ?? []).compactMap { changes[$0] } }

    /// Whether any layer names an object without an id of the server.
    package var namesTemporaries: Bool { !naming.isEmpty }

    /// Whether any layer may change a record.
    func concern(_ key: RecordKey, _ record: CacheRecord) -> Bool {
        byKey[key] != nil || record.type.map { byType[$0] != nil } == true
    }

    /// The records changed by layers, which must stay in the cache.
    package var keys: some Sequence<RecordKey> { byKey.keys }

    /// The layers, in order.
    package var all: [OptimisticLayer] {
        numbers.sorted { ($0.value.first ?? 0, $0.key) < ($1.value.first ?? 0, $1.key) }.map {
            OptimisticLayer($0.key, layer($0.key))
        }
    }

    // MARK: Reading

    /// A record as seen through all layers.
    package func record(_ key: RecordKey, over base: RecordLookup) -> RecordLookup {
        if isEmpty { return base }
        var seen = SeenRecord(base)
        // The list changes of a type depend on the type that the record has after earlier changes.
        var done = -1
        func changeLists(before end: Int) {
            guard !byType.isEmpty, let type = seen.type else { return }
            for number in byType[type] ?? [] where number > done && number < end {
                if let change = changes[number] { seen.apply(change) }
                done = number
            }
        }
        for number in byKey[key] ?? [] {
            changeLists(before: number)
            if let change = changes[number] { seen.apply(change) }
        }
        changeLists(before: .max)
        return seen.lookup
    }

    // MARK: Index

    private mutating func insert(_ change: LayerChange, _ number: Int) {
        changes[number] = change
        switch change.index {
        case .key(let key): Self.insert(number, into: &byKey[key, default: []])
        case .type(let type): Self.insert(number, into: &byType[type, default: []])
        }
    }

    private static func insert(_ number: Int, into numbers: inout [Int]) {
        let place = numbers.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
        numbers.insert(number, at: place)
    }

    private static func remove<Key>(_ number: Int, of key: Key, in index: inout [Key: [Int]]) {
        guard let place = index[key]?.firstIndex(of: number) else { return }
        index[key]?.remove(at: place)
        if index[key]?.isEmpty == true { index[key] = nil }
    }
}

extension LayerChange {
    fileprivate enum Index {
        case key(RecordKey)
        case type(String)
    }

    fileprivate var index: Index {
        switch self {
        case .fields(let key, _), .delete(let key): .key(key)
        case .add(_, let target), .remove(_, let target), .unknown(let target):
            switch target.place {
            case .field(let field, let key): .key(key.holder(of: field))
            case .every(_, let type): .type(type)
            }
        }
    }

    /// The list that it changes.
    fileprivate var list: ListTarget? {
        switch self {
        case .fields, .delete: nil
        case .add(_, let target), .remove(_, let target), .unknown(let target): target
        }
    }

    /// The key that affected readers depend on.
    fileprivate var target: RecordKey {
        switch self {
        case .fields(let key, _), .delete(let key): key
        case .add(_, let target), .remove(_, let target), .unknown(let target):
            switch target.place {
            case .field(let field, let key): key.holder(of: field)
            case .every(let field, let type): RecordKey(lists: field, of: type)
            }
        }
    }
}

extension RecordKey {
    /// Stands for a list field of all objects of a type: readers of such a list depend on it.
    init(lists field: String, of type: String) { self.init("*\(type).\(field)") }
}
