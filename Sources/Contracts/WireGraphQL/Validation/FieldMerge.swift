/// The queue of merged levels to examine, each once.
struct FieldMerge {
    /// How the fields of a merged level are compared.
    enum Kind: Hashable {
        /// Fields that can belong to the same object: by field and arguments.
        case sameObject
        /// All fields: by the shape of their values.
        case form
    }

    /// Merged levels, such as those of a field that occurs several times.
    private struct Merged: Hashable {
        let kind: Kind
        let levels: [Int]
    }

    private var seen: Set<Merged> = []
    private var waiting: [Merged] = []
    /// The fields of a finding.
    var reported: Set<Int> = []

    init(roots: [Int]) {
        for root in roots.reversed() { add(.form, [root]) }
        for root in roots.reversed() { add(.sameObject, [root]) }
    }

    mutating func add(_ kind: Kind, _ levels: [Int]) {
        let merged = Merged(kind: kind, levels: Set(levels).sorted())
        if seen.insert(merged).inserted { waiting.append(merged) }
    }

    mutating func next() -> (Kind, [Int])? {
        waiting.popLast().map { ($0.kind, $0.levels) }
    }
}

extension Syntax.Field {
    /// The field with its arguments in normal form, equal for fields that read the same.
    var call: String {
        if arguments.isEmpty { return name.text }
        let sorted = arguments.sorted { $0.name.text < $1.name.text }
        return name.text + "("
            + sorted.map { "\($0.name.text):\(ValuePrinter.text($0.value, sortingFields: true))" }.joined(
                separator: ","
            )
            + ")"
    }
}
