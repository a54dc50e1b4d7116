import WireConfig

/// The value of a field: data, or a part of the schema.
enum Resolved {
    case json(JSONValue)
    case part(SchemaPart)
    case parts([SchemaPart])

    var part: SchemaPart? {
        if case .part(let part) = self { part } else { nil }
    }

    var isNull: Bool {
        if case .json(.null) = self { true } else { false }
    }

    var isObject: Bool {
        switch self {
        case .json(let value): value.members != nil
        case .part: true
        case .parts: false
        }
    }

    var items: [Resolved]? {
        switch self {
        case .json(let value): value.array?.map(Resolved.json)
        case .part: nil
        case .parts(let parts): parts.map(Resolved.part)
        }
    }

    /// The kind of value, for messages.
    var found: String {
        switch self {
        case .json(let value): value.found
        case .part: "an object"
        case .parts: "a list"
        }
    }
}

/// The implicit fields of each schema (GraphQL specification, section 4).
enum MetaField {
    static let typeName = "__typename"

    static func definition(of name: String) -> Schema.FieldType? {
        switch name {
        case typeName: Schema.typenameField
        case "__schema": Schema.schemaField
        case "__type": Schema.typeField
        default: nil
        }
    }

    /// The value of `__schema` or `__type` on the root of queries.
    static func part(_ name: String, _ arguments: JSONValue, _ schema: Schema, ofRoot type: String) -> Resolved? {
        guard type == schema.query else { return nil }
        switch name {
        case "__schema": return .part(.schema)
        case "__type":
            guard let name = arguments["name"]?.string, schema.type(name) != nil else { return .json(.null) }
            return .part(.type(.named(name)))
        default: return nil
        }
    }
}

/// A part of a schema in introspection.
enum SchemaPart {
    case schema
    case type(Schema.TypeReference)
    case field(Schema.FieldType)
    case input(Schema.InputValue)
    case value(Schema.EnumValue)
    case directive(Schema.DirectiveType)

    func value(of field: String, _ arguments: JSONValue, _ schema: Schema) -> Resolved {
        let showsDeprecated = arguments["includeDeprecated"]?.boolean == true
        switch self {
        case .schema: return Self.schema(field, schema)
        case .type(let type): return Self.type(field, type, schema, showsDeprecated)
        case .field(let definition):
            switch field {
            case "name": return .json(.string(definition.name))
            case "description": return Self.text(definition.description)
            case "args": return Self.inputs(definition.arguments, showsDeprecated)
            case "type": return .part(.type(definition.type))
            default: return Self.deprecation(field, definition.deprecation)
            }
        case .input(let input):
            switch field {
            case "name": return .json(.string(input.name))
            case "description": return Self.text(input.description)
            case "type": return .part(.type(input.type))
            case "defaultValue": return Self.text(input.defaultValue.map { ValuePrinter.text($0) })
            default: return Self.deprecation(field, input.deprecation)
            }
        case .value(let value):
            switch field {
            case "name": return .json(.string(value.name))
            case "description": return Self.text(value.description)
            default: return Self.deprecation(field, value.deprecation)
            }
        case .directive(let directive):
            switch field {
            case "name": return .json(.string(directive.name))
            case "description": return Self.text(directive.description)
            case "isRepeatable": return .json(.boolean(directive.isRepeatable))
            case "locations": return .json(.array(directive.locations.map(JSONValue.string)))
            case "args": return Self.inputs(directive.arguments, showsDeprecated)
            default: return .json(.null)
            }
        }
    }

    private static func schema(_ field: String, _ schema: Schema) -> Resolved {
        func root(_ kind: OperationKind) -> Resolved {
            schema.root(of: kind).map { .part(.type(.named($0))) } ?? .json(.null)
        }
        switch field {
        case "description": return text(schema.description)
        case "types": return .parts(schema.shownTypes.map { .type(.named($0)) })
        case "queryType": return root(.query)
        case "mutationType": return root(.mutation)
        case "subscriptionType": return root(.subscription)
        case "directives": return .parts(schema.directiveNames.compactMap { schema.directives[$0] }.map(Self.directive))
        default: return .json(.null)
        }
    }

    private static func type(
        _ field: String,
        _ type: Schema.TypeReference,
        _ schema: Schema,
        _ showsDeprecated: Bool
    ) -> Resolved {
        switch type {
        case .nonNull(let inner), .list(let inner):
            switch field {
            case "kind": return .json(.string(type.isNonNull ? "NON_NULL" : "LIST"))
            case "ofType": return .part(.type(inner))
            default: return .json(.null)
            }
        case .named(let name):
            guard let type = schema.type(name) else { return .json(.null) }
            return named(field, type, schema, showsDeprecated)
        }
    }

    private static func named(
        _ field: String,
        _ type: Schema.NamedType,
        _ schema: Schema,
        _ showsDeprecated: Bool
    ) -> Resolved {
        let hasFields = type.kind == .object || type.kind == .interface
        switch field {
        case "kind": return .json(.string(type.kind.introspectionName))
        case "name": return .json(.string(type.name))
        case "description": return text(type.description)
        case "specifiedByURL": return text(type.specifiedBy)
        case "fields" where hasFields:
            return .parts(type.fields.filter { showsDeprecated || $0.deprecation == nil }.map(Self.field))
        case "interfaces" where hasFields: return .parts(type.interfaces.map { .type(.named($0)) })
        case "possibleTypes" where type.kind == .interface || type.kind == .union:
            return .parts(schema.objects(of: type.name).map { .type(.named($0)) })
        case "enumValues" where type.kind == .enumeration:
            return .parts(type.values.filter { showsDeprecated || $0.deprecation == nil }.map(Self.value))
        case "inputFields" where type.kind == .inputObject: return inputs(type.inputFields, showsDeprecated)
        case "isOneOf" where type.kind == .inputObject: return .json(.boolean(type.isOneOf))
        default: return .json(.null)
        }
    }

    // MARK: Parts of parts

    private static func text(_ text: String?) -> Resolved { .json(text.map(JSONValue.string) ?? .null) }

    private static func inputs(_ inputs: [Schema.InputValue], _ showsDeprecated: Bool) -> Resolved {
        .parts(inputs.filter { showsDeprecated || $0.deprecation == nil }.map(Self.input))
    }

    private static func deprecation(_ field: String, _ reason: String?) -> Resolved {
        switch field {
        case "isDeprecated": .json(.boolean(reason != nil))
        case "deprecationReason": text(reason)
        default: .json(.null)
        }
    }
}

extension Schema {
    /// The types listed in introspection; standard scalars only where used.
    fileprivate var shownTypes: [String] {
        let introspection = Self.introspectionTypes.keys.sorted()
        var used: Set<String> = []
        func use(_ inputs: [InputValue]) { used.formUnion(inputs.map(\.type.name)) }
        for type in (typeNames + introspection).compactMap(type) {
            for field in type.fields {
                used.insert(field.type.name)
                use(field.arguments)
            }
            use(type.inputFields)
        }
        directives.values.forEach { use($0.arguments) }
        return typeNames.filter { !Self.builtInScalars.contains($0) || used.contains($0) } + introspection
    }
}
