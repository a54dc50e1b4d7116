/// The fields of a record by their keys, in the order they were told.
///
/// Records of one selection have the same fields in the same order, so each field is looked for first where the one before
/// it was found, and no key is hashed.
package struct RecordFields: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    /// For loops over places, which copy no field.
    private(set) var items: [(key: String, value: CachedField)]

    package init(dictionaryLiteral elements: (String, CachedField)...) {
        items = elements.map { ($0.0, $0.1) }
    }

    init(reserving count: Int) {
        items = []
        items.reserveCapacity(count)
    }

    package var count: Int { items.count }
    package var isEmpty: Bool { items.isEmpty }
    package var keys: [String] { items.map(\.key) }

    package func makeIterator() -> IndexingIterator<[(key: String, value: CachedField)]> { items.makeIterator() }

    /// Adds a field that is not there yet.
    mutating func append(_ key: String, _ field: CachedField) { items.append((key, field)) }

    /// The place of a field, looked for first at the place after the former one.
    private func place(of key: String, _ next: inout Int) -> Int? {
        if next < items.count, items[next].key == key {
            next += 1
            return next - 1
        }
        guard let place = items.firstIndex(where: { $0.key == key }) else { return nil }
        next = place + 1
        return place
    }

    func find(_ key: String, _ next: inout Int) -> CachedField? {
        place(of: key, &next).map { items[$0].value }
    }

    package subscript(key: String) -> CachedField? {
        get {
            var next = 0
            return find(key, &next)
        }
        set {
            var next = 0
            switch (place(of: key, &next), newValue) {
            case (let place?, let value?): items[place].value = value
            case (let place?, nil): items.remove(at: place)
            case (nil, let value?): items.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// Takes over other fields, but for those that are younger here; returns whether one has another value.
    mutating func merge(_ others: Self) -> Bool {
        if hasKeys(of: others), items.indices.allSatisfy({ items[$0].value.moment <= others.items[$0].value.moment }) {
            let isSame = items.indices.allSatisfy { items[$0].value.value == others.items[$0].value.value }
            items = others.items
            return !isSame
        }
        var (isChanged, next) = (false, 0)
        for (key, field) in others.items {
            guard let place = place(of: key, &next) else {
                isChanged = true
                items.append((key, field))
                next = items.count
                continue
            }
            guard items[place].value.moment <= field.moment else { continue }
            if !isChanged, items[place].value.value != field.value { isChanged = true }
            items[place].value = field
        }
        return isChanged
    }

    var newest: Moment { items.lazy.map(\.value.moment).max() ?? Moment(position: 0, time: 0) }

    mutating func move(to position: Int64) {
        for place in items.indices {
            items[place].value.moment = Moment(position: position, time: items[place].value.time)
        }
    }

    /// Whether both have the same values.
    func isSame(as others: Self) -> Bool {
        var next = 0
        return count == others.count && allSatisfy { others.find($0.key, &next)?.value == $0.value.value }
    }

    /// Whether both have the same fields in the same order, as most answers to the same operation do.
    private func hasKeys(of others: Self) -> Bool {
        items.count == others.items.count && items.indices.allSatisfy { items[$0].key == others.items[$0].key }
    }

    /// Leaves so many fields, those told last.
    mutating func keepYoungest(_ count: Int) {
        let youngest = items.indices.sorted { items[$0].value.moment > items[$1].value.moment }.prefix(count)
        let kept = Set(youngest)
        items = items.indices.filter(kept.contains).map { items[$0] }
    }

    /// The same values as if no server had told them.
    mutating func setAgeless() {
        for place in items.indices { items[place].value.moment = .never }
    }
}

extension RecordFields: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        var next = 0
        return left.count == right.count && left.allSatisfy { right.find($0.key, &next) == $0.value }
    }
}
