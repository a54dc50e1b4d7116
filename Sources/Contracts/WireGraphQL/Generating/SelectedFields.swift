/// The merged selections on one object of a response, with those for some types kept apart.
struct SelectedFields {
    /// A field, with the selections on its value.
    struct Field {
        let responseName: String
        let definition: Schema.FieldType
        /// Whether '@skip' or '@include' can leave it out.
        var isConditional: Bool
        var parts: [Part] = []
    }

    /// A fragment spread, with the types of objects that have its fields; nil for all types.
    struct Fragment {
        let name: String
        let types: [String]?
    }

    /// The selections of inline fragments that only objects of some types have.
    struct Case {
        let condition: String
        let types: [String]
        var parts: [Part]
    }

    /// A selection set, and whether its fields can be left out.
    struct Part {
        let set: Syntax.SelectionSet
        var isConditional = false
    }

    private(set) var fields: [Field] = []
    private(set) var fragments: [Fragment] = []
    private(set) var cases: [Case] = []
    /// The member of the response with the type name of the object.
    private(set) var typename: String?
    private var positions: [String: Int] = [:]
    private var inlined: Set<String> = []

    /// Merges the selections on objects of a type.
    init(_ parts: [Part], on type: String, in context: inout GeneratorContext) throws(Finding) {
        for part in parts { add(part, type, type, &context) }
        for index in fields.indices { settle(&fields[index]) }
        typename = fields.first { !$0.isConditional && $0.definition.name == "__typename" }?.responseName
        guard typename == nil, let set = parts.first?.set,
            !cases.isEmpty || fragments.contains(where: { $0.types != nil })
        else { return }
        throw Finding(
            .possibleFragmentSpreads,
            "the response does not show which fragments apply to an object of '\(type)'",
            at: set.place.beginning,
            help: "select '__typename' here"
        )
    }

    /// Fields may be of an interface that each object of the type implements, though the type itself does not.
    private mutating func add(_ part: Part, _ type: String, _ definer: String, _ context: inout GeneratorContext) {
        for selection in part.set.selections {
            let isConditional = part.isConditional || selection.directives.contains { $0.isCondition }
            switch selection {
            case .field(let field): add(field, isConditional, type, definer, &context)
            case .inline(let inline):
                let inner = Part(set: inline.selections, isConditional: isConditional)
                add(inner, on: inline.typeCondition?.text, type, definer, &context)
            case .spread(let spread):
                let name = spread.name.text
                guard let fragment = context.fragments[name] else { continue }
                guard isConditional else {
                    add(name, fragment.typeCondition.text, type, context)
                    continue
                }
                // A separate fragment could not express which of its fields were omitted.
                guard inlined.insert(name).inserted else { continue }
                let inner = Part(set: fragment.selections, isConditional: true)
                add(inner, on: fragment.typeCondition.text, type, definer, &context)
            }
        }
    }

    private mutating func add(
        _ part: Part,
        on condition: String?,
        _ type: String,
        _ definer: String,
        _ context: inout GeneratorContext
    ) {
        guard let condition, let types = context.types(of: condition, in: type) else {
            add(part, type, condition ?? definer, &context)
            return
        }
        if let index = cases.firstIndex(where: { $0.condition == condition }) {
            cases[index].parts.append(part)
        } else {
            cases.append(Case(condition: condition, types: types, parts: [part]))
        }
    }

    private mutating func add(_ name: String, _ condition: String, _ type: String, _ context: GeneratorContext) {
        guard !fragments.contains(where: { $0.name == name }) else { return }
        fragments.append(Fragment(name: name, types: context.types(of: condition, in: type)))
    }

    private mutating func add(
        _ field: Syntax.Field,
        _ isConditional: Bool,
        _ type: String,
        _ definer: String,
        _ context: inout GeneratorContext
    ) {
        let name = field.responseName
        let part = field.selections.map { Part(set: $0, isConditional: isConditional) }
        if let index = positions[name] {
            fields[index].isConditional = fields[index].isConditional && isConditional
            if let part { fields[index].parts.append(part) }
            return
        }
        guard let definition = context.field(field.name.text, of: type) ?? context.field(field.name.text, of: definer)
        else { return }
        positions[name] = fields.count
        var added = Field(responseName: name, definition: definition, isConditional: isConditional)
        if let part { added.parts.append(part) }
        fields.append(added)
    }

    /// A condition that also omits the parent does not make the field optional.
    private func settle(_ field: inout Field) {
        guard field.parts.count == 1 else { return }
        field.parts[0].isConditional = false
    }
}

/// The schema and the fragments that types are generated from.
struct GeneratorContext {
    let schema: Schema
    let fragments: [String: Syntax.Fragment]
    private var index: SchemaIndex

    init(_ operations: DeclaredOperations, _ schema: Schema) {
        self.schema = schema
        index = SchemaIndex(schema)
        fragments = Dictionary(operations.document.fragments.map { ($0.name.text, $0) }) { first, _ in first }
    }

    mutating func field(_ name: String, of type: String) -> Schema.FieldType? {
        schema.type(type).flatMap { index.field(name, of: $0) }
    }

    /// The objects of a type that meet a type condition; nil where all do.
    func types(of condition: String, in type: String) -> [String]? {
        let all = schema.objects(of: type)
        guard condition != type else { return nil }
        let possible = Set(schema.objects(of: condition))
        let types = all.filter(possible.contains)
        return types.count == all.count ? nil : types
    }
}

extension Syntax.Directive {
    var isCondition: Bool { ["skip", "include"].contains(name.text) }
}
