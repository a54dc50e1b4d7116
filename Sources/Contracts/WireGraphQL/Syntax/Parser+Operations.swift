import WireBase

extension Parser {
    mutating func operation(described description: Syntax.Description?, from begin: Int? = nil) throws(Finding)
        -> Syntax.Operation
    {
        let begin = begin ?? start
        guard case .name(let word) = token.kind, let kind = OperationKind(rawValue: word) else {
            let selections = try selectionSet()
            return Syntax.Operation(
                kind: .query,
                name: nil,
                description: nil,
                variables: [],
                directives: [],
                selections: selections,
                place: place(from: begin)
            )
        }
        try advance()
        var operationName: Syntax.Name?
        if case .name = token.kind { operationName = try name() }
        let variables = try optionalItems(of: "a variable", "(", ")") { parser throws(Finding) in
            try parser.variable()
        }
        let directives = try directives(isConstant: false)
        let selections = try selectionSet()
        return Syntax.Operation(
            kind: kind,
            name: operationName,
            description: description,
            variables: variables,
            directives: directives,
            selections: selections,
            place: place(from: begin)
        )
    }

    private mutating func variable() throws(Finding) -> Syntax.Variable {
        let begin = start
        let description = try description()
        guard try take("$") else { throw unexpected("a variable, such as '$id', or ')'") }
        let variable = try name("the name of a variable")
        try expect(":")
        let type = try typeReference()
        let defaultValue = try take("=") ? try value(isConstant: true) : nil
        let directives = try directives(isConstant: true)
        return Syntax.Variable(
            name: variable,
            description: description,
            type: type,
            defaultValue: defaultValue,
            directives: directives,
            place: place(from: begin)
        )
    }

    mutating func fragment(described description: Syntax.Description?, from begin: Int) throws(Finding)
        -> Syntax.Fragment
    {
        try advance()
        guard !isAt(word: "on") else {
            throw unexpected("the name of the fragment", help: "'on' cannot be the name of a fragment")
        }
        let fragmentName = try name("the name of the fragment")
        guard try take(word: "on") else { throw unexpected("'on' and a type") }
        let condition = try name("a type")
        let directives = try directives(isConstant: false)
        let selections = try selectionSet()
        return Syntax.Fragment(
            name: fragmentName,
            description: description,
            typeCondition: condition,
            directives: directives,
            selections: selections,
            place: place(from: begin)
        )
    }

    mutating func selectionSet() throws(Finding) -> Syntax.SelectionSet {
        let begin = start
        let selections = try nested { parser throws(Finding) in
            try parser.items(of: "a field or a fragment", "{", "}") { parser throws(Finding) in try parser.selection() }
        }
        return Syntax.SelectionSet(selections: selections, place: place(from: begin))
    }

    private mutating func selection() throws(Finding) -> Syntax.Selection {
        let begin = start
        guard token.kind == .spread else { return .field(try field()) }
        try advance()
        if case .name(let word) = token.kind, word != "on" {
            let name = try name()
            let directives = try directives(isConstant: false)
            return .spread(Syntax.FragmentSpread(name: name, directives: directives, place: place(from: begin)))
        }
        let condition = try take(word: "on") ? try name("a type") : nil
        let directives = try directives(isConstant: false)
        let selections = try selectionSet()
        return .inline(
            Syntax.InlineFragment(
                typeCondition: condition,
                directives: directives,
                selections: selections,
                place: place(from: begin)
            )
        )
    }

    private mutating func field() throws(Finding) -> Syntax.Field {
        let begin = start
        let first = try name("a field, a fragment or '}'")
        let second = try take(":") ? try name("the name of a field") : nil
        let arguments = try arguments(isConstant: false)
        let directives = try directives(isConstant: false)
        let selections = isAt("{") ? try selectionSet() : nil
        return Syntax.Field(
            alias: second == nil ? nil : first,
            name: second ?? first,
            arguments: arguments,
            directives: directives,
            selections: selections,
            place: place(from: begin)
        )
    }

    // MARK: Arguments, directives, values, types

    mutating func arguments(isConstant: Bool) throws(Finding) -> [Syntax.Argument] {
        try optionalItems(of: "an argument", "(", ")") { parser throws(Finding) in
            let begin = parser.start
            let name = try parser.name("the name of an argument or ')'")
            try parser.expect(":")
            let value = try parser.value(isConstant: isConstant)
            return Syntax.Argument(name: name, value: value, place: parser.place(from: begin))
        }
    }

    mutating func directives(isConstant: Bool) throws(Finding) -> [Syntax.Directive] {
        var directives: [Syntax.Directive] = []
        while isAt("@") {
            let begin = start
            try advance()
            let name = try name("the name of a directive")
            let arguments = try arguments(isConstant: isConstant)
            directives.append(Syntax.Directive(name: name, arguments: arguments, place: place(from: begin)))
        }
        return directives
    }

    mutating func typeReference() throws(Finding) -> Syntax.TypeReference {
        let begin = start
        let type: Syntax.TypeReference
        if isAt("[") {
            let inner = try nested { parser throws(Finding) in
                try parser.advance()
                let inner = try parser.typeReference()
                try parser.expect("]")
                return inner
            }
            type = .list(inner, place(from: begin))
        } else {
            type = .named(try name("a type"))
        }
        return try take("!") ? .nonNull(type, place(from: begin)) : type
    }

    mutating func value(isConstant: Bool) throws(Finding) -> Syntax.Value {
        let begin = start
        let kind: Syntax.Value.Kind
        switch token.kind {
        case .mark("$"):
            guard !isConstant else { throw unexpected("a value", help: "a variable cannot stand here") }
            try advance()
            kind = .variable(try name("the name of a variable").text)
            return Syntax.Value(kind, place(from: begin))
        case .mark("["): kind = .list(try list(isConstant))
        case .mark("{"): kind = .object(try object(isConstant))
        case .int(let text): kind = .int(text)
        case .float(let text): kind = .float(text)
        case .string(let text): kind = .string(text)
        case .name("true"): kind = .boolean(true)
        case .name("false"): kind = .boolean(false)
        case .name("null"): kind = .null
        case .name(let text): kind = .enumeration(text)
        default: throw unexpected("a value")
        }
        switch kind {
        case .list, .object: break
        default: try advance()
        }
        return Syntax.Value(kind, place(from: begin))
    }

    private mutating func list(_ isConstant: Bool) throws(Finding) -> [Syntax.Value] {
        try nested { parser throws(Finding) in
            try parser.advance()
            var items: [Syntax.Value] = []
            while try !parser.take("]") { items.append(try parser.value(isConstant: isConstant)) }
            return items
        }
    }

    private mutating func object(_ isConstant: Bool) throws(Finding) -> [Syntax.ObjectField] {
        try nested { parser throws(Finding) in
            try parser.advance()
            var fields: [Syntax.ObjectField] = []
            while try !parser.take("}") {
                let name = try parser.name("the name of a field or '}'")
                try parser.expect(":")
                fields.append(Syntax.ObjectField(name: name, value: try parser.value(isConstant: isConstant)))
            }
            return fields
        }
    }
}
