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
        guard try consume("$") else { throw unexpected("a variable, such as '$id', or ')'") }
        let variable = try name("the name of a variable")
        try expect(":")
        let type = try typeReference()
        let defaultValue = try consume("=") ? try value(isConstant: true) : nil
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
        guard try consume(word: "on") else { throw unexpected("'on' and a type") }
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

    /// The owner of a selection set.
    private enum Owner {
        case definition
        case field(Syntax.Field)
        case inline(Syntax.Name?, [Syntax.Directive])
    }

    /// A selection set that is not complete yet.
    private struct OpenSet {
        let owner: Owner
        /// Where the owner begins.
        let start: Int
        let brace: Int
        var selections: [Syntax.Selection] = []
    }

    /// Reads a selection set with an explicit stack, because deep nesting would exhaust that of a thread.
    mutating func selectionSet() throws(Finding) -> Syntax.SelectionSet {
        var open = [try openSet(of: .definition, start)]
        while let last = open.indices.last {
            let begin = start
            guard try consume("}") else {
                let (owner, selection) = try self.selection()
                if let selection { open[last].selections.append(selection) }
                if let owner { open.append(try openSet(of: owner, begin)) }
                continue
            }
            depth -= 1
            let ended = open.removeLast()
            let set = Syntax.SelectionSet(selections: ended.selections, place: place(from: ended.brace))
            guard last > 0 else { return set }
            open[last - 1].selections.append(close(ended, set))
        }
        throw unexpected("'}'")
    }

    private mutating func openSet(of owner: Owner, _ begin: Int) throws(Finding) -> OpenSet {
        let set = OpenSet(owner: owner, start: begin, brace: start)
        try goDeeper()
        try expect("{")
        guard !isAt("}") else { throw unexpected("a field or a fragment") }
        return set
    }

    private func close(_ open: OpenSet, _ set: Syntax.SelectionSet) -> Syntax.Selection {
        switch open.owner {
        case .field(let field):
            return .field(
                Syntax.Field(
                    alias: field.alias,
                    name: field.name,
                    arguments: field.arguments,
                    directives: field.directives,
                    selections: set,
                    place: place(from: open.start)
                )
            )
        case .inline(let condition, let directives):
            return inline(condition, directives, set, open)
        case .definition:
            return inline(nil, [], set, open)
        }
    }

    private func inline(
        _ condition: Syntax.Name?,
        _ directives: [Syntax.Directive],
        _ set: Syntax.SelectionSet,
        _ open: OpenSet
    ) -> Syntax.Selection {
        .inline(
            Syntax.InlineFragment(
                typeCondition: condition,
                directives: directives,
                selections: set,
                place: place(from: open.start)
            )
        )
    }

    /// A selection without selections of its own, or the beginning of one with selections.
    private mutating func selection() throws(Finding) -> (Owner?, Syntax.Selection?) {
        let begin = start
        guard token.kind == .spread else {
            let field = try field()
            return isAt("{") ? (.field(field), nil) : (nil, .field(field))
        }
        try advance()
        if case .name(let word) = token.kind, word != "on" {
            let name = try name()
            let directives = try directives(isConstant: false)
            return (nil, .spread(Syntax.FragmentSpread(name: name, directives: directives, place: place(from: begin))))
        }
        let condition = try consume(word: "on") ? try name("a type") : nil
        return (.inline(condition, try directives(isConstant: false)), nil)
    }

    /// A field up to its selections.
    private mutating func field() throws(Finding) -> Syntax.Field {
        let begin = start
        let first = try name("a field, a fragment or '}'")
        let second = try consume(":") ? try name("the name of a field") : nil
        let arguments = try arguments(isConstant: false)
        let directives = try directives(isConstant: false)
        return Syntax.Field(
            alias: second == nil ? nil : first,
            name: second ?? first,
            arguments: arguments,
            directives: directives,
            selections: nil,
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
            try goDeeper()
            try advance()
            let inner = try typeReference()
            try expect("]")
            depth -= 1
            type = .list(inner, place(from: begin))
        } else {
            type = .named(try name("a type"))
        }
        return try consume("!") ? .nonNull(type, place(from: begin)) : type
    }

    mutating func value(isConstant: Bool) throws(Finding) -> Syntax.Value {
        switch token.kind {
        case .mark("["): try list(isConstant)
        case .mark("{"): try object(isConstant)
        default: try simpleValue(isConstant)
        }
    }

    private mutating func simpleValue(_ isConstant: Bool) throws(Finding) -> Syntax.Value {
        let begin = start
        let kind: Syntax.Value.Kind
        switch token.kind {
        case .mark("$"):
            guard !isConstant else { throw unexpected("a value", help: "a variable is not allowed here") }
            try advance()
            kind = .variable(try name("the name of a variable").text)
            return Syntax.Value(kind, place(from: begin))
        case .int(let text): kind = .int(text)
        case .float(let text): kind = .float(text)
        case .string(let text): kind = .string(text)
        case .name("true"): kind = .boolean(true)
        case .name("false"): kind = .boolean(false)
        case .name("null"): kind = .null
        case .name(let text): kind = .enumeration(text)
        default: throw unexpected("a value")
        }
        try advance()
        return Syntax.Value(kind, place(from: begin))
    }

    private mutating func list(_ isConstant: Bool) throws(Finding) -> Syntax.Value {
        let begin = start
        try goDeeper()
        try advance()
        var items: [Syntax.Value] = []
        while try !consume("]") { items.append(try value(isConstant: isConstant)) }
        depth -= 1
        return Syntax.Value(.list(items), place(from: begin))
    }

    private mutating func object(_ isConstant: Bool) throws(Finding) -> Syntax.Value {
        let begin = start
        try goDeeper()
        try advance()
        var fields: [Syntax.ObjectField] = []
        while try !consume("}") {
            let name = try fieldName()
            fields.append(Syntax.ObjectField(name: name, value: try value(isConstant: isConstant)))
        }
        depth -= 1
        return Syntax.Value(.object(fields), place(from: begin))
    }

    private mutating func fieldName() throws(Finding) -> Syntax.Name {
        let name = try name("the name of a field or '}'")
        try expect(":")
        return name
    }
}
