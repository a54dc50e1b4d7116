/// Gathers the fields of one object in the order of its selection, whose keys all its objects share.
struct FieldGathering {
    private let expected: [String]
    private var values: [RecordValue] = []
    /// The keys of an object whose fields differ from the selection.
    private var others: [String]?

    init(_ expected: [String]) {
        self.expected = expected
        values.reserveCapacity(expected.count)
    }

    /// Adds a field that is not there yet.
    mutating func add(_ key: String, _ value: RecordValue) {
        let place = values.count
        if others == nil, place >= expected.count || expected[place] != key { others = Array(expected.prefix(place)) }
        others?.append(key)
        values.append(value)
    }

    /// Adds a field, or replaces the earlier value of the field.
    mutating func replace(_ key: String, _ value: RecordValue) {
        let keys = others ?? Array(expected.prefix(values.count))
        if let place = keys.firstIndex(of: key) { values[place] = value } else { add(key, value) }
    }

    consuming func fields(at moment: Moment) -> RecordFields {
        let keys = others ?? (values.count == expected.count ? expected : Array(expected.prefix(values.count)))
        return RecordFields(keys, values, at: FieldMoments(moment))
    }
}
