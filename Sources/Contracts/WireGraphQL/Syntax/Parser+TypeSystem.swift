import WireBase

extension Parser {
    mutating func typeSystemDefinition(described description: Syntax.Description?, from begin: Int) throws(Finding)
        -> Syntax.Definition
    {
        let isExtension = try consume(word: "extend")
        guard case .name(let word) = token.kind else { throw unexpected("a definition to extend, such as 'type'") }
        switch word {
        case "schema": return .schema(try schema(description, isExtension, begin))
        case "directive" where !isExtension: return .directive(try directiveDefinition(description, begin))
        default:
            guard let kind = TypeKind.allCases.first(where: { $0.keyword == word }) else {
                let near = Nearest.name(to: word, among: ["schema"] + TypeKind.allCases.map(\.keyword))
                throw unexpected("a definition to extend, such as 'type'", help: near.map { "did you mean '\($0)'?" })
            }
            return .type(try type(kind, description, isExtension, begin))
        }
    }

    private mutating func schema(_ description: Syntax.Description?, _ isExtension: Bool, _ begin: Int) throws(Finding)
        -> Syntax.SchemaDefinition
    {
        try advance()
        let directives = try directives(isConstant: true)
        let root: (inout Self) throws(Finding) -> Syntax.SchemaDefinition.Root = { parser throws(Finding) in
            let begin = parser.start
            guard case .name(let word) = parser.token.kind, let kind = OperationKind(rawValue: word) else {
                throw parser.unexpected("'query', 'mutation', 'subscription' or '}'")
            }
            try parser.advance()
            try parser.expect(":")
            let type = try parser.name("a type")
            return Syntax.SchemaDefinition.Root(kind: kind, type: type, place: parser.place(from: begin))
        }
        let mayBeEmpty = isExtension && !directives.isEmpty
        let roots =
            mayBeEmpty
            ? try optionalItems(of: "a root type", "{", "}", root) : try items(of: "a root type", "{", "}", root)
        return Syntax.SchemaDefinition(
            isExtension: isExtension,
            description: description,
            directives: directives,
            roots: roots,
            place: place(from: begin)
        )
    }

    private mutating func type(
        _ kind: TypeKind,
        _ description: Syntax.Description?,
        _ isExtension: Bool,
        _ begin: Int
    ) throws(Finding) -> Syntax.TypeDefinition {
        try advance()
        let typeName = try name("the name of the type")
        var type = Syntax.TypeDefinition(
            kind: kind,
            isExtension: isExtension,
            description: description,
            name: typeName,
            place: typeName.place
        )
        if kind == .object || kind == .interface { type.interfaces = try interfaces() }
        type.directives = try directives(isConstant: true)
        switch kind {
        case .scalar: break
        case .object, .interface:
            type.fields = try optionalItems(of: "a field", "{", "}") { parser throws(Finding) in
                try parser.fieldDefinition()
            }
        case .union: type.members = try members()
        case .enumeration:
            type.values = try optionalItems(of: "a value of the enum", "{", "}") { parser throws(Finding) in
                try parser.enumValue()
            }
        case .inputObject: type.inputFields = try inputValues(of: "a field", "{", "}")
        }
        type.place = place(from: begin)
        if isExtension, type.addsNothing {
            throw unexpected("an addition to '\(typeName.text)'")
        }
        return type
    }

    private mutating func interfaces() throws(Finding) -> [Syntax.Name] {
        guard try consume(word: "implements") else { return [] }
        _ = try consume("&")
        var names = [try name("an interface")]
        while try consume("&") { names.append(try name("an interface")) }
        return names
    }

    private mutating func members() throws(Finding) -> [Syntax.Name] {
        guard try consume("=") else { return [] }
        _ = try consume("|")
        var names = [try name("a type of the union")]
        while try consume("|") { names.append(try name("a type of the union")) }
        return names
    }

    private mutating func fieldDefinition() throws(Finding) -> Syntax.FieldDefinition {
        let begin = start
        let description = try description()
        let fieldName = try name("a field or '}'")
        let arguments = try inputValues(of: "an argument", "(", ")")
        try expect(":")
        let type = try typeReference()
        let directives = try directives(isConstant: true)
        return Syntax.FieldDefinition(
            description: description,
            name: fieldName,
            arguments: arguments,
            type: type,
            directives: directives,
            place: place(from: begin)
        )
    }

    private mutating func inputValues(of what: String, _ open: Character, _ close: Character) throws(Finding)
        -> [Syntax.InputValueDefinition]
    {
        try optionalItems(of: what, open, close) { parser throws(Finding) in
            let begin = parser.start
            let description = try parser.description()
            let name = try parser.name("\(what) or '\(close)'")
            try parser.expect(":")
            let type = try parser.typeReference()
            let defaultValue = try parser.consume("=") ? try parser.value(isConstant: true) : nil
            let directives = try parser.directives(isConstant: true)
            return Syntax.InputValueDefinition(
                description: description,
                name: name,
                type: type,
                defaultValue: defaultValue,
                directives: directives,
                place: parser.place(from: begin)
            )
        }
    }

    private mutating func enumValue() throws(Finding) -> Syntax.EnumValueDefinition {
        let begin = start
        let description = try description()
        if case .name(let word) = token.kind, ["true", "false", "null"].contains(word) {
            throw unexpected("a value of the enum or '}'", help: "'\(word)' cannot be a value of an enum")
        }
        let valueName = try name("a value of the enum or '}'")
        let directives = try directives(isConstant: true)
        return Syntax.EnumValueDefinition(
            description: description,
            name: valueName,
            directives: directives,
            place: place(from: begin)
        )
    }

    private mutating func directiveDefinition(_ description: Syntax.Description?, _ begin: Int) throws(Finding)
        -> Syntax.DirectiveDefinition
    {
        try advance()
        try expect("@")
        let directiveName = try name("the name of the directive")
        let arguments = try inputValues(of: "an argument", "(", ")")
        let isRepeatable = try consume(word: "repeatable")
        guard try consume(word: "on") else { throw unexpected("'on' and a directive location") }
        _ = try consume("|")
        var locations = [try location()]
        while try consume("|") { locations.append(try location()) }
        return Syntax.DirectiveDefinition(
            description: description,
            name: directiveName,
            arguments: arguments,
            isRepeatable: isRepeatable,
            locations: locations,
            place: place(from: begin)
        )
    }

    private mutating func location() throws(Finding) -> Syntax.Name {
        guard case .name(let word) = token.kind, DirectiveLocation(rawValue: word) != nil else {
            guard case .name(let word) = token.kind else { throw unexpected("a directive location") }
            let near = Nearest.name(to: word, among: DirectiveLocation.allCases.map(\.rawValue))
            throw unexpected("a directive location", help: near.map { "did you mean '\($0)'?" })
        }
        return try name()
    }
}

extension Syntax.TypeDefinition {
    fileprivate var addsNothing: Bool {
        directives.isEmpty && interfaces.isEmpty && fields.isEmpty && members.isEmpty && values.isEmpty
            && inputFields.isEmpty
    }
}

/// The locations of a directive (GraphQL specification, section 3.13).
package enum DirectiveLocation: String, Sendable, CaseIterable {
    case query = "QUERY"
    case mutation = "MUTATION"
    case subscription = "SUBSCRIPTION"
    case field = "FIELD"
    case fragmentDefinition = "FRAGMENT_DEFINITION"
    case fragmentSpread = "FRAGMENT_SPREAD"
    case inlineFragment = "INLINE_FRAGMENT"
    case variableDefinition = "VARIABLE_DEFINITION"
    case schema = "SCHEMA"
    case scalar = "SCALAR"
    case object = "OBJECT"
    case fieldDefinition = "FIELD_DEFINITION"
    case argumentDefinition = "ARGUMENT_DEFINITION"
    case interface = "INTERFACE"
    case union = "UNION"
    case enumeration = "ENUM"
    case enumValue = "ENUM_VALUE"
    case inputObject = "INPUT_OBJECT"
    case inputFieldDefinition = "INPUT_FIELD_DEFINITION"
}
