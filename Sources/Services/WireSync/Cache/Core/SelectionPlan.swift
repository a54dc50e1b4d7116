package import WireConfig
package import WireGraphQL

/// The selections of an operation with its variables, for one reading or writing of an answer.
///
/// Fields are collected once for each selection set and type, however many objects there are.
package final class SelectionPlan {
    let kind: OperationKind
    let root: SelectedObject
    let rules: RecordRules
    private let fragments: [String: Syntax.Fragment]
    private let variables: [String: JSONValue]

    /// Plans an operation; the variables are coerced, without those that were not given.
    package init(
        _ operation: Syntax.Operation,
        with fragments: [String: Syntax.Fragment],
        variables: [String: JSONValue],
        rules: RecordRules
    ) {
        kind = operation.kind
        self.rules = rules
        self.fragments = fragments
        var values = variables
        for variable in operation.variables where values[variable.name.text] == nil {
            guard let value = variable.defaultValue.flatMap({ ArgumentText.json($0, variables: [:]) }) else { continue }
            values[variable.name.text] = value
        }
        self.variables = values
        let type = rules.schema.map { $0.root(of: operation.kind) } ?? nil
        root = SelectedObject([operation.selections], declared: type, isRoot: true)
    }

    /// The record of the root.
    var rootKey: RecordKey {
        switch kind {
        case .query: .query
        case .mutation: .mutation
        case .subscription: .subscription
        }
    }

    /// The name of the root type.
    var rootType: String { rules.schema?.root(of: kind) ?? rootKey.text }

    /// The fields selected from an object of a type (GraphQL specification, section 6.3.2).
    func fields(of object: SelectedObject, type: String?) -> SelectedFields {
        let type = type ?? object.objectType(in: rules.schema)
        if let last = object.last, last.type == type { return last.fields }
        if let known = object.known[type ?? ""] {
            object.last = (type, known)
            return known
        }
        var collector = FieldCollector(plan: self, type: type, isRoot: object.isRoot, declared: object.declared)
        for set in object.sets { collector.collect(set, isCertain: true) }
        let fields = collector.fields()
        object.known[type ?? ""] = fields
        return fields
    }

    func fragment(_ name: String) -> Syntax.Fragment? { fragments[name] }

    /// Whether a selection is included, by its `@skip` and `@include`.
    func isIncluded(_ directives: [Syntax.Directive]) -> Bool {
        directives.allSatisfy { directive in
            guard let value = directive.arguments.first(where: { $0.name.text == "if" })?.value else { return true }
            let condition = ArgumentText.json(value, variables: variables)?.boolean
            return switch directive.name.text {
            case "skip": condition != true
            case "include": condition != false
            default: true
            }
        }
    }

    /// The arguments of a field with the variables filled in.
    func arguments(of field: Syntax.Field) -> [(key: String, value: JSONValue)] {
        field.arguments.compactMap { argument in
            ArgumentText.json(argument.value, variables: variables).map { (argument.name.text, $0) }
        }
    }
}

/// The merged selection sets of one place in an operation.
final class SelectedObject {
    let sets: [Syntax.SelectionSet]
    /// The type of the place in the schema.
    let declared: String?
    let isRoot: Bool
    fileprivate var known: [String: SelectedFields] = [:]
    /// The fields used last: most objects of a place have the same type.
    fileprivate var last: (type: String?, fields: SelectedFields)?

    init(_ sets: [Syntax.SelectionSet], declared: String?, isRoot: Bool = false) {
        self.sets = sets
        self.declared = declared
        self.isRoot = isRoot
    }

    /// The type of an object without `__typename`, where the schema allows only one.
    func objectType(in schema: Schema?) -> String? {
        guard let declared, schema?.type(declared)?.kind == .object else { return nil }
        return declared
    }
}

/// The fields selected from objects of one type.
struct SelectedFields {
    let fields: [SelectedField]
    /// The keys of their records, each once.
    let keys: [String]
    /// A type condition that may or may not hold for the type.
    let doubt: String?

    init(fields: [SelectedField], doubt: String?) {
        (self.fields, self.doubt) = (fields, doubt)
        keys = fields.filter { !$0.isTypename && !$0.isRepeated }.map(\.key)
    }

    /// The member of an answer that has a field without arguments.
    func member(for name: String) -> String? {
        fields.first { $0.name == name && $0.key == name }?.response
    }
}

/// A field of an object, with everything selected from it.
final class SelectedField {
    /// The name of the member in the answer.
    let response: String
    let name: String
    /// The name with the arguments.
    let key: String
    /// The selections on its objects; nil for a leaf.
    let object: SelectedObject?
    /// The type by the schema.
    let type: Schema.TypeReference?
    /// The requested part of a list, where pages are merged.
    let page: PageRequest?
    /// Whether a field before it has the same key, under another name in the answer.
    let isRepeated: Bool
    let isTypename: Bool
    let isNonNull: Bool
    /// Whether the field is a leaf whose value is written unchanged.
    let isPlain: Bool

    init(
        _ field: Syntax.Field,
        key: String,
        object: SelectedObject?,
        type: Schema.TypeReference?,
        page: PageRequest?,
        isRepeated: Bool
    ) {
        (response, name, self.key) = (field.responseName, field.name.text, key)
        (self.object, self.type, self.page, self.isRepeated) = (object, type, page, isRepeated)
        isTypename = name == "__typename"
        isNonNull = type?.isNonNull == true
        isPlain = object == nil && page == nil && !isRepeated && !isTypename
    }
}
