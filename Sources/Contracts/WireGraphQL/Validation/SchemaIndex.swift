/// Looks up fields and possible types of a schema in constant time.
struct SchemaIndex {
    private let schema: Schema
    private var fields: [String: [String: Int]] = [:]
    private var objects: [String: Set<String>] = [:]
    private var overlaps: [Pair: Bool] = [:]

    private struct Pair: Hashable {
        let first: String
        let second: String
    }

    init(_ schema: Schema) {
        self.schema = schema
    }

    /// A field of a composite type, including `__typename`, and `__schema` and `__type` of the query type.
    mutating func field(_ name: String, of type: Schema.NamedType) -> Schema.FieldType? {
        if let meta = metaField(name, of: type) { return meta }
        if fields[type.name] == nil {
            fields[type.name] = Dictionary(type.fields.enumerated().map { ($1.name, $0) }) { first, _ in first }
        }
        return fields[type.name]?[name].map { type.fields[$0] }
    }

    private func metaField(_ name: String, of type: Schema.NamedType) -> Schema.FieldType? {
        guard name.utf8.starts(with: "__".utf8) else { return nil }
        switch name {
        case "__typename": return Schema.typenameField
        case "__schema" where type.name == schema.query: return Schema.schemaField
        case "__type" where type.name == schema.query: return Schema.typeField
        default: return nil
        }
    }

    /// Whether an object can have both types.
    mutating func canOverlap(_ first: String, _ second: String) -> Bool {
        if first == second { return true }
        let pair = Pair(first: min(first, second), second: max(first, second))
        if let known = overlaps[pair] { return known }
        let answer = !possible(pair.first).isDisjoint(with: possible(pair.second))
        overlaps[pair] = answer
        return answer
    }

    private mutating func possible(_ name: String) -> Set<String> {
        if let known = objects[name] { return known }
        let found = Set(schema.objects(of: name))
        objects[name] = found
        return found
    }

    /// Whether a variable of one type is allowed where another is expected.
    func isVariable(_ type: Schema.TypeReference, allowedFor expected: Schema.TypeReference) -> Bool {
        switch (type, expected) {
        case (.nonNull(let type), .nonNull(let expected)): isVariable(type, allowedFor: expected)
        case (.nonNull(let type), _): isVariable(type, allowedFor: expected)
        case (.list(let type), .list(let expected)): isVariable(type, allowedFor: expected)
        case (.named(let type), .named(let expected)): type == expected
        default: false
        }
    }
}
