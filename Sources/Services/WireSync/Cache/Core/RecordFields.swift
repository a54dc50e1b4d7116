/// The fields of a record by key, in order of arrival.
///
/// Records of one selection share their keys, and most fields of a record have the same time. So each field is
/// searched first after the one found before, and no key is hashed.
package struct RecordFields: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    package private(set) var keys: [String]
    private(set) var values: [RecordValue]
    private(set) var moments: FieldMoments

    package init(dictionaryLiteral elements: (String, CachedField)...) {
        self.init()
        for (key, field) in elements { append(key, field) }
    }

    private init() { (keys, values, moments) = ([], [], FieldMoments()) }

    /// One value for each key.
    init(_ keys: [String], _ values: [RecordValue], at moments: FieldMoments) {
        (self.keys, self.values, self.moments) = (keys, values, moments)
    }

    package var count: Int { values.count }
    package var isEmpty: Bool { values.isEmpty }

    package func makeIterator() -> Iterator { Iterator(fields: self) }

    package struct Iterator: IteratorProtocol {
        fileprivate let fields: RecordFields
        private var place = 0

        fileprivate init(fields: RecordFields) { self.fields = fields }

        package mutating func next() -> (key: String, value: CachedField)? {
            guard place < fields.count else { return nil }
            defer { place += 1 }
            return (fields.keys[place], fields.field(place))
        }
    }

    private func field(_ place: Int) -> CachedField { CachedField(values[place], at: moments[place]) }

    /// Adds a field that is not there yet.
    mutating func append(_ key: String, _ field: CachedField) {
        moments.append(field.moment, after: count)
        keys.append(key)
        values.append(field.value)
    }

    private mutating func put(_ field: CachedField, at place: Int) {
        values[place] = field.value
        moments.set(field.moment, at: place, of: count)
    }

    /// The index of a field, searched first after the previous one.
    private func place(of key: String, _ next: inout Int) -> Int? {
        if next < keys.count, keys[next] == key {
            next += 1
            return next - 1
        }
        guard let place = keys.firstIndex(of: key) else { return nil }
        next = place + 1
        return place
    }

    func find(_ key: String, _ next: inout Int) -> CachedField? { place(of: key, &next).map(field) }

    package subscript(key: String) -> CachedField? {
        get {
            var next = 0
            return find(key, &next)
        }
        set {
            var next = 0
            switch (place(of: key, &next), newValue) {
            case (let place?, let value?): put(value, at: place)
            case (let place?, nil): leave(keys.indices.filter { $0 != place })
            case (nil, let value?): append(key, value)
            case (nil, nil): break
            }
        }
    }

    /// Merges other fields, except those that are newer here; returns whether a value has changed.
    mutating func merge(_ others: Self) -> Bool {
        if keys == others.keys, moments.precede(others.moments, count) {
            let isSame = values == others.values
            self = others
            return !isSame
        }
        var (isChanged, next) = (false, 0)
        for (key, field) in others {
            guard let place = place(of: key, &next) else {
                isChanged = true
                append(key, field)
                next = count
                continue
            }
            guard moments[place] <= field.moment else { continue }
            if !isChanged, values[place] != field.value { isChanged = true }
            put(field, at: place)
        }
        return isChanged
    }

    var newest: Moment { isEmpty ? Moment(position: 0, time: 0) : moments.newest }

    mutating func move(to position: Int64) { moments.move(to: position) }

    /// Whether both have the same values.
    func isSame(as others: Self) -> Bool {
        if keys == others.keys { return values == others.values }
        var next = 0
        return count == others.count && allSatisfy { others.find($0.key, &next)?.value == $0.value.value }
    }

    /// Removes the oldest fields above a limit.
    mutating func keepYoungest(_ count: Int) {
        let youngest = keys.indices.sorted { moments[$0] > moments[$1] }.prefix(count)
        let kept = Set(youngest)
        leave(keys.indices.filter(kept.contains))
    }

    private mutating func leave(_ places: [Int]) {
        let left = places.map { (keys[$0], field($0)) }
        self = Self()
        for (key, field) in left { append(key, field) }
    }

    /// The same values without times of a server.
    mutating func setAgeless() { moments = FieldMoments(.never) }
}

extension RecordFields: Equatable {
    package static func == (left: Self, right: Self) -> Bool {
        var next = 0
        return left.count == right.count && left.allSatisfy { right.find($0.key, &next) == $0.value }
    }
}

/// The times of a record's fields: one for all, or one for each.
struct FieldMoments: Sendable {
    private var common: Moment
    /// The time of each field; empty where all have the same time.
    private var each: [Moment] = []

    init(_ common: Moment = Moment(position: 0, time: 0)) { self.common = common }

    /// The time of all fields; nil where they differ.
    var shared: Moment? { each.isEmpty ? common : nil }

    subscript(place: Int) -> Moment { each.isEmpty ? common : each[place] }

    var newest: Moment { each.max() ?? common }
    var oldest: Moment { each.min() ?? common }

    mutating func append(_ moment: Moment, after count: Int) {
        if count == 0 {
            self = Self(moment)
        } else if !each.isEmpty || moment != common {
            spread(count)
            each.append(moment)
        }
    }

    mutating func set(_ moment: Moment, at place: Int, of count: Int) {
        if each.isEmpty, moment == common { return }
        spread(count)
        each[place] = moment
    }

    mutating func move(to position: Int64) {
        common = Moment(position: position, time: common.time)
        for place in each.indices { each[place] = Moment(position: position, time: each[place].time) }
    }

    /// Whether each time is at or before the other.
    func precede(_ others: Self, _ count: Int) -> Bool {
        if each.isEmpty, others.each.isEmpty { return common <= others.common }
        return (0..<count).allSatisfy { self[$0] <= others[$0] }
    }

    private mutating func spread(_ count: Int) {
        if each.isEmpty { each = Array(repeating: common, count: count) }
    }
}
