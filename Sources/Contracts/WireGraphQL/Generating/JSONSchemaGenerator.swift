import WireConfig

/// Generates one JSON Schema for the declared operations: `$defs` has the variables and the data of each.
///
/// The operations must be valid. An object of an interface or union is one of the shapes that its types have.
package struct JSONSchemaGenerator {
    private var context: GeneratorContext
    private var usedTypes: Set<String> = []
    private var objects = 0

    /// The maximum number of described objects.
    private static let mostObjects = 20_000

    private init(_ operations: DeclaredOperations, _ schema: Schema) {
        context = GeneratorContext(operations, schema)
    }

    package static func text(of operations: DeclaredOperations, in schema: Schema) throws(Finding) -> String {
        var generator = Self(operations, schema)
        var definitions: [(key: String, value: JSONValue)] = []
        for name in operations.names.sorted() {
            guard let operation = operations[name], let root = schema.root(of: operation.kind) else { continue }
            definitions.append(("\(name).variables", generator.variables(operation.variables)))
            let data = try generator.object([.init(set: operation.operation.selections)], of: [root])
            definitions.append(("\(name).data", data))
        }
        definitions += generator.types()
        return JSONValue.object([
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("title", .string("The declared GraphQL operations")), ("$defs", .object(definitions)),
        ]).text(indented: true) + "\n"
    }

    // MARK: Variables and input objects

    private mutating func variables(_ variables: [Syntax.Variable]) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        for variable in variables {
            members.append((variable.name.text, type(Schema.TypeReference(variable.type)) { $0.leaf($1) }))
        }
        let required = variables.filter { Schema.TypeReference($0.type).isNonNull && $0.defaultValue == nil }
        return Self.object(members, required: required.map(\.name.text))
    }

    private mutating func types() -> [(key: String, value: JSONValue)] {
        var written: [(key: String, value: JSONValue)] = []
        while let name = usedTypes.subtracting(written.map(\.key)).min() {
            guard let type = context.schema.types[name] else { break }
            written.append((name, type.kind == .enumeration ? Self.enumeration(type) : input(type)))
        }
        return written.sorted { $0.key < $1.key }
    }

    private mutating func input(_ input: Schema.NamedType) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = []
        for field in input.inputFields {
            let reference = input.isOneOf ? .nonNull(field.type) : field.type
            members.append((field.name, type(reference) { $0.leaf($1) }))
        }
        let required = input.inputFields.filter(\.isRequired).map(\.name)
        let more: [(key: String, value: JSONValue)] =
            input.isOneOf ? [("minProperties", .integer(1)), ("maxProperties", .integer(1))] : []
        return Self.object(members, required: required, more)
    }

    private static func enumeration(_ type: Schema.NamedType) -> JSONValue {
        .object([("enum", .array(type.values.map { .string($0.name) }))])
    }

    // MARK: Responses

    /// The shape of objects of a composite type, or one of several.
    private mutating func value(_ parts: [SelectedFields.Part], of type: String) throws(Finding) -> JSONValue {
        let conditions = conditions(in: parts)
        var shapes: [(conditions: Set<String>, types: [String])] = []
        for object in context.schema.objects(of: type) {
            let met = conditions.filter { context.schema.isPossible(object, in: $0) }
            if let index = shapes.firstIndex(where: { $0.conditions == met }) {
                shapes[index].types.append(object)
            } else {
                shapes.append((met, [object]))
            }
        }
        var written: [JSONValue] = []
        for shape in shapes { written.append(try object(parts, of: shape.types)) }
        return written.count == 1 ? written[0] : .object([("anyOf", .array(written))])
    }

    private func conditions(in parts: [SelectedFields.Part]) -> Set<String> {
        var (found, seen, waiting): (Set<String>, Set<String>, [Syntax.SelectionSet]) = ([], [], parts.map(\.set))
        while let set = waiting.popLast() {
            for selection in set.selections {
                switch selection {
                case .field: continue
                case .inline(let inline):
                    if let condition = inline.typeCondition?.text { found.insert(condition) }
                    waiting.append(inline.selections)
                case .spread(let spread):
                    guard let fragment = context.fragments[spread.name.text], seen.insert(spread.name.text).inserted
                    else { continue }
                    found.insert(fragment.typeCondition.text)
                    waiting.append(fragment.selections)
                }
            }
        }
        return found
    }

    /// The fields of objects whose types meet the same type conditions.
    private mutating func object(_ parts: [SelectedFields.Part], of types: [String]) throws(Finding) -> JSONValue {
        guard let type = types.first else { return .object([]) }
        objects += 1
        guard objects <= Self.mostObjects else {
            throw Finding(.limits, "the schema would describe more than \(Self.mostObjects) objects", at: nil)
        }
        let fields = MergedFields(parts, on: type, in: &context).fields
        var members: [(key: String, value: JSONValue)] = []
        for field in fields {
            members.append((field.name, try value(of: field, types)))
        }
        return Self.object(members, required: fields.filter { !$0.isConditional }.map(\.name))
    }

    private mutating func value(of field: MergedFields.Field, _ types: [String]) throws(Finding) -> JSONValue {
        if field.definition.name == "__typename" { return .object([("enum", .array(types.map { .string($0) }))]) }
        return try self.type(field.definition.type) { generator, name throws(Finding) in
            field.parts.isEmpty ? generator.leaf(name) : try generator.value(field.parts, of: name)
        }
    }

    // MARK: Types

    private mutating func type<Failure: Error>(
        _ reference: Schema.TypeReference,
        _ named: (inout Self, String) throws(Failure) -> JSONValue
    ) throws(Failure) -> JSONValue {
        switch reference {
        case .nonNull(.named(let name)): return try named(&self, name)
        case .nonNull(.list(let inner)):
            return .object([("type", .string("array")), ("items", try type(inner, named))])
        case .nonNull(let inner): return try type(inner, named)
        case .named, .list:
            let value = try type(.nonNull(reference), named)
            return .object([("anyOf", .array([value, .object([("type", .string("null"))])]))])
        }
    }

    private mutating func leaf(_ name: String) -> JSONValue {
        switch name {
        case "Int": return .object([("type", .string("integer"))])
        case "Float": return .object([("type", .string("number"))])
        case "Boolean": return .object([("type", .string("boolean"))])
        case "String", "ID": return .object([("type", .string("string"))])
        default:
            let kind = context.schema.types[name]?.kind
            guard kind == .enumeration || kind == .inputObject else { return .object([]) }
            usedTypes.insert(name)
            return .object([("$ref", .string("#/$defs/\(name)"))])
        }
    }

    private static func object(
        _ members: [(key: String, value: JSONValue)],
        required: [String],
        _ more: [(key: String, value: JSONValue)] = []
    ) -> JSONValue {
        .object(
            [
                ("type", .string("object")), ("properties", .object(members)),
                ("required", .array(required.map { .string($0) })), ("additionalProperties", .boolean(false)),
            ] + more
        )
    }
}

/// The fields of an object of one type, as the executor collects them (GraphQL specification, section 6.3.2).
private struct MergedFields {
    struct Field {
        let name: String
        let definition: Schema.FieldType
        var isConditional: Bool
        var parts: [SelectedFields.Part]
    }

    private(set) var fields: [Field] = []
    private var positions: [String: Int] = [:]
    private var seen: Set<String> = []

    init(_ parts: [SelectedFields.Part], on type: String, in context: inout GeneratorContext) {
        for part in parts { add(part.set, type, part.isConditional, &context) }
        // Fields omitted by a condition together with their parent are not optional in it.
        for index in fields.indices where fields[index].parts.count == 1 {
            fields[index].parts[0].isConditional = false
        }
    }

    private mutating func add(
        _ set: Syntax.SelectionSet,
        _ type: String,
        _ isConditional: Bool,
        _ context: inout GeneratorContext
    ) {
        for selection in set.selections {
            let isConditional = isConditional || selection.directives.contains { $0.isCondition }
            switch selection {
            case .field(let field): add(field, type, isConditional, &context)
            case .inline(let inline):
                guard inline.typeCondition.map({ context.schema.covers($0.text, type) }) ?? true else { continue }
                add(inline.selections, type, isConditional, &context)
            case .spread(let spread):
                let name = spread.name.text
                guard let fragment = context.fragments[name], context.schema.covers(fragment.typeCondition.text, type),
                    seen.insert("\(name) \(isConditional)").inserted
                else { continue }
                add(fragment.selections, type, isConditional, &context)
            }
        }
    }

    private mutating func add(
        _ field: Syntax.Field,
        _ type: String,
        _ isConditional: Bool,
        _ context: inout GeneratorContext
    ) {
        let parts = field.selections.map { [SelectedFields.Part(set: $0, isConditional: isConditional)] } ?? []
        if let index = positions[field.responseName] {
            fields[index].isConditional = fields[index].isConditional && isConditional
            fields[index].parts += parts
        } else if let definition = context.field(field.name.text, of: type) {
            positions[field.responseName] = fields.count
            fields.append(
                Field(name: field.responseName, definition: definition, isConditional: isConditional, parts: parts)
            )
        }
    }
}

extension Schema {
    /// Whether each object of a type fulfils a type condition.
    fileprivate func covers(_ condition: String, _ type: String) -> Bool {
        condition == type || objects(of: type).allSatisfy { isPossible($0, in: condition) }
    }
}
