import WireBase
import WireConfig
import WireGraphQL
import WireSync

/// A document to ask for and the records that are known, kept in the simplest way there is.
struct Records: RecordSource {
    var known: [RecordKey: CacheRecord] = [:]
    var layers = Layers()

    func record(_ key: RecordKey) -> RecordLookup {
        layers.record(key, over: RecordLookup(known[key]))
    }

    /// Takes an answer over; returns the keys of what it changed.
    @discardableResult
    mutating func write(
        _ text: String,
        _ answer: String,
        _ variables: String = "{}",
        rules: RecordRules = RecordRules(),
        errors: [[Normalizer.PathPart]] = [],
        at time: Int64 = 1,
        position: Int64 = 0
    ) throws -> Set<RecordKey> {
        let plan = try Asked(text).plan(json(variables), rules)
        let written = try Normalizer.records(
            of: json(answer),
            errors: errors,
            by: plan,
            at: Moment(position: position, time: time)
        )
        var changed: Set<RecordKey> = []
        for (key, record) in written.records where known[key, default: CacheRecord()].merge(record) {
            changed.insert(key)
        }
        return changed
    }

    func answer(
        _ text: String,
        _ variables: String = "{}",
        rules: RecordRules = RecordRules(),
        pages: Denormalizer.Pages = .asked
    ) throws -> RecordAnswer {
        try Denormalizer.answer(to: Asked(text).plan(json(variables), rules), from: self, pages: pages)
    }

    /// The answer as text, or what is missing.
    func read(
        _ text: String,
        _ variables: String = "{}",
        rules: RecordRules = RecordRules(),
        pages: Denormalizer.Pages = .asked
    ) throws -> String {
        do {
            return try answer(text, variables, rules: rules, pages: pages).data.text()
        } catch let miss as RecordMiss {
            return "miss: \(miss.reason) \(miss.key) \(miss.field)"
        }
    }
}

/// The first operation of a document.
struct Asked {
    let operation: Syntax.Operation
    let fragments: [String: Syntax.Fragment]

    init(_ text: String) throws {
        let source = SourceFile(name: "test", bytes: Array(text.utf8), isFile: false)
        let document = try Parser.document(source, limits: .request)
        operation = document.operations[0]
        fragments = Dictionary(document.fragments.map { ($0.name.text, $0) }) { first, _ in first }
    }

    func plan(_ variables: JSONValue = .object([]), _ rules: RecordRules = RecordRules()) -> SelectionPlan {
        let members = (variables.members ?? []).map { ($0.key, $0.value) }
        return SelectionPlan(
            operation,
            with: fragments,
            variables: Dictionary(members) { first, _ in first },
            rules: rules
        )
    }

    /// The document as it is sent.
    var sent: String { TypenameAdding.text(of: operation, with: fragments) }
}

func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8), named: "test") }
