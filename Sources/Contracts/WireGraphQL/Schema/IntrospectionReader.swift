import WireBase
import WireConfig

/// Converts an introspection response to definitions.
struct IntrospectionReader {
    /// The maximum number of types, fields, arguments and values together.
    static let maximumParts = 500_000
    /// How deep lists may nest in a type.
    static let maximumDepth = 32
    private var parts = 0
    /// The location of all definitions, which have no text.
    private let place = SourceRange(SourceFile(name: "introspection", bytes: [], isFile: false), 0..<0)

    static func failure(_ message: String, help: String? = nil) -> Finding {
        Finding(.introspection, "in the server's schema: " + message, at: nil, help: help)
    }

    mutating func document(of json: JSONValue) throws(Finding) -> Syntax.Document {
        let schema = try Self.schema(in: json)
        var definitions: [Syntax.Definition] = [.schema(try definition(of: schema))]
        for type in try items("types", of: schema, "the schema") {
            let name = try name(of: type, "a type")
            guard !Schema.builtInScalars.contains(name.text), !name.text.utf8.starts(with: "__".utf8) else { continue }
            definitions.append(.type(try self.type(type, name)))
        }
        for directive in try items("directives", of: schema, "the schema") {
            if let definition = try self.directive(directive) { definitions.append(.directive(definition)) }
        }
        return Syntax.Document(definitions)
    }

    private static func schema(in json: JSONValue) throws(Finding) -> JSONValue {
        if let schema = (json["data"] ?? json)["__schema"], case .object = schema { return schema }
        if case .array(let errors)? = json["errors"], let message = errors.first?["message"]?.text {
            throw Finding(
                .introspection,
                "the server rejects the introspection query: '\(message.prefix(200))'",
                at: nil,
                help: "use a schema file if the server does not return its schema"
            )
        }
        throw failure("missing '__schema'", help: "expected the response to an introspection query")
    }

    private mutating func definition(of schema: JSONValue) throws(Finding) -> Syntax.SchemaDefinition {
        var roots: [Syntax.SchemaDefinition.Root] = []
        for kind in OperationKind.allCases {
            guard let type = schema["\(kind.rawValue)Type"], !type.isNull else { continue }
            let name = try name(of: type, "the \(kind.rawValue) type")
            roots.append(Syntax.SchemaDefinition.Root(kind: kind, type: name, place: place))
        }
        return Syntax.SchemaDefinition(
            isExtension: false,
            description: description(of: schema),
            directives: [],
            roots: roots,
            place: place
        )
    }

    // MARK: Types

    private mutating func type(_ json: JSONValue, _ name: Syntax.Name) throws(Finding) -> Syntax.TypeDefinition {
        let word = json["kind"]?.text ?? ""
        guard let kind = TypeKind.allCases.first(where: { $0.introspectionName == word }) else {
            throw Self.failure("the type '\(name.text)' has the unknown kind '\(word.prefix(60))'")
        }
        var type = Syntax.TypeDefinition(
            kind: kind,
            isExtension: false,
            description: description(of: json),
            name: name,
            place: place
        )
        switch kind {
        case .scalar:
            if let url = json["specifiedByURL"]?.text { type.directives = [directive("specifiedBy", "url", url)] }
        case .object, .interface:
            type.fields = try fields(of: json, name.text)
            type.interfaces = try names("interfaces", of: json, name.text, isOptional: true)
        case .union: type.members = try names("possibleTypes", of: json, name.text)
        case .enumeration: type.values = try values(of: json, name.text)
        case .inputObject:
            type.inputFields = try inputs("inputFields", of: json, name.text) { "\(name.text).\($0)" }
            if json["isOneOf"]?.isTrue == true { type.directives = [directive("oneOf")] }
        }
        return type
    }

    private mutating func fields(of json: JSONValue, _ type: String) throws(Finding) -> [Syntax.FieldDefinition] {
        var fields: [Syntax.FieldDefinition] = []
        for field in try items("fields", of: json, type) {
            let name = try name(of: field, "a field of '\(type)'")
            let coordinate = "\(type).\(name.text)"
            fields.append(
                Syntax.FieldDefinition(
                    description: description(of: field),
                    name: name,
                    arguments: try inputs("args", of: field, coordinate) { "\(coordinate)(\($0):)" },
                    type: try reference(field["type"], coordinate),
                    directives: deprecation(of: field),
                    place: place
                )
            )
        }
        return fields
    }

    private mutating func values(of json: JSONValue, _ type: String) throws(Finding) -> [Syntax.EnumValueDefinition] {
        var values: [Syntax.EnumValueDefinition] = []
        for value in try items("enumValues", of: json, type) {
            let name = try name(of: value, "a value of '\(type)'")
            guard !["true", "false", "null"].contains(name.text) else {
                throw Self.failure("the enum '\(type)' has the value '\(name.text)', which is a reserved word")
            }
            values.append(
                Syntax.EnumValueDefinition(
                    description: description(of: value),
                    name: name,
                    directives: deprecation(of: value),
                    place: place
                )
            )
        }
        return values
    }

    private mutating func inputs(
        _ member: String,
        of json: JSONValue,
        _ owner: String,
        _ coordinate: (String) -> String
    ) throws(Finding) -> [Syntax.InputValueDefinition] {
        var inputs: [Syntax.InputValueDefinition] = []
        for input in try items(member, of: json, owner) {
            let name = try name(of: input, "an input of '\(owner)'")
            let coordinate = coordinate(name.text)
            inputs.append(
                Syntax.InputValueDefinition(
                    description: description(of: input),
                    name: name,
                    type: try reference(input["type"], coordinate),
                    defaultValue: try defaultValue(of: input, coordinate),
                    directives: deprecation(of: input),
                    place: place
                )
            )
        }
        return inputs
    }

    private func defaultValue(of json: JSONValue, _ coordinate: String) throws(Finding) -> Syntax.Value? {
        guard let text = json["defaultValue"]?.text else { return nil }
        do {
            return try Parser.value(text)
        } catch {
            throw Self.failure("the default value of '\(coordinate)' cannot be read: \(error.message)")
        }
    }

    /// A directive; nil for a built-in one, and for one with unknown locations only.
    private mutating func directive(_ json: JSONValue) throws(Finding) -> Syntax.DirectiveDefinition? {
        let name = try name(of: json, "a directive")
        guard !Schema.builtInDirectives.contains(name.text) else { return nil }
        let locations = try items("locations", of: json, "@\(name.text)").compactMap(\.text)
        let known = locations.filter { DirectiveLocation(rawValue: $0) != nil }
        guard !known.isEmpty else { return nil }
        return Syntax.DirectiveDefinition(
            description: description(of: json),
            name: name,
            arguments: try inputs("args", of: json, "@\(name.text)") { "@\(name.text)(\($0):)" },
            isRepeatable: json["isRepeatable"]?.isTrue == true,
            locations: known.map { Syntax.Name($0, place) },
            place: place
        )
    }

    // MARK: Parts

    private mutating func items(_ member: String, of json: JSONValue, _ owner: String) throws(Finding) -> [JSONValue] {
        guard case .array(let items)? = json[member] else {
            throw Self.failure("'\(owner)' has no list '\(member)'")
        }
        parts += items.count
        guard parts <= Self.maximumParts else {
            throw Finding(.limits, "the server's schema has more than \(Self.maximumParts) parts", at: nil)
        }
        return items
    }

    private func name(of json: JSONValue, _ what: String) throws(Finding) -> Syntax.Name {
        guard let text = json["name"]?.text, text.utf8.count <= 1_000, text.isGraphQLName else {
            throw Self.failure("\(what) has no valid name")
        }
        return Syntax.Name(text, place)
    }

    private mutating func names(
        _ member: String,
        of json: JSONValue,
        _ owner: String,
        isOptional: Bool = false
    ) throws(Finding) -> [Syntax.Name] {
        if isOptional, json[member]?.isNull ?? true { return [] }
        var names: [Syntax.Name] = []
        for item in try items(member, of: json, owner) { names.append(try name(of: item, "a type of '\(owner)'")) }
        return names
    }

    private func reference(_ json: JSONValue?, _ owner: String) throws(Finding) -> Syntax.TypeReference {
        var wrappers: [Bool] = []
        var current = json
        while let word = current?["kind"]?.text, word == "LIST" || word == "NON_NULL" {
            guard word == "LIST" || wrappers.last != true else {
                throw Self.failure("the type of '\(owner)' is non-null twice")
            }
            wrappers.append(word == "NON_NULL")
            guard wrappers.count <= Self.maximumDepth else {
                throw Finding(.limits, "the type of '\(owner)' nests deeper than \(Self.maximumDepth) levels", at: nil)
            }
            current = current?["ofType"]
        }
        guard let current, !current.isNull else { throw Self.failure("the type of '\(owner)' is missing or cut off") }
        let name = try name(of: current, "the type of '\(owner)'")
        return wrappers.reversed().reduce(.named(name)) { $1 ? .nonNull($0, place) : .list($0, place) }
    }

    private func description(of json: JSONValue) -> Syntax.Description? {
        json["description"]?.text.map { Syntax.Description(text: $0, place: place) }
    }

    private func deprecation(of json: JSONValue) -> [Syntax.Directive] {
        if let reason = json["deprecationReason"]?.text { return [directive("deprecated", "reason", reason)] }
        return json["isDeprecated"]?.isTrue == true ? [directive("deprecated")] : []
    }

    private func directive(_ name: String, _ argument: String? = nil, _ text: String = "") -> Syntax.Directive {
        let arguments = argument.map {
            [Syntax.Argument(name: Syntax.Name($0, place), value: Syntax.Value(.string(text), place), place: place)]
        }
        return Syntax.Directive(name: Syntax.Name(name, place), arguments: arguments ?? [], place: place)
    }
}

extension JSONValue {
    fileprivate subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == name }?.value
    }

    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }
    fileprivate var isTrue: Bool { if case .boolean(true) = self { true } else { false } }
}

extension String {
    /// Whether the text is a name (GraphQL specification, section 2.1.9).
    fileprivate var isGraphQLName: Bool {
        guard let first = utf8.first, Lexer.beginsName(first) else { return false }
        return utf8.allSatisfy(Lexer.continuesName)
    }
}
