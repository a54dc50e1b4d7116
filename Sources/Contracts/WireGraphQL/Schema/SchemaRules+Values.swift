import WireBase

extension SchemaRules {
    /// Checks that a constant value can be coerced to a type (GraphQL specification, section 5.6.1).
    ///
    /// The recursion depth is that of the value, which the parser limits.
    mutating func check(_ value: Syntax.Value, as type: Schema.TypeReference) {
        checkUniqueFields(in: value)
        checkConstant(value, as: type)
    }

    mutating func checkConstant(_ value: Syntax.Value, as type: Schema.TypeReference) {
        guard !findings.isFull else { return }
        switch (type, value.kind) {
        case (.nonNull, .null): report(value, isNot: type)
        case (.nonNull(let inner), _): checkConstant(value, as: inner)
        case (_, .null): return
        case (.list(let item), .list(let values)): values.forEach { checkConstant($0, as: item) }
        case (.list(let item), _): checkConstant(value, as: item)
        case (.named(let name), _): check(value, asNamed: name)
        }
    }

    private mutating func check(_ value: Syntax.Value, asNamed name: String) {
        guard let definition = system.types[name] else {
            if !value.isScalar(name) { report(value, isNot: .named(name)) }
            return
        }
        switch definition.kind {
        case .enumeration: check(value, asEnum: definition)
        case .inputObject: check(value, asObject: definition)
        case .scalar, .object, .interface, .union: return
        }
    }

    private mutating func check(_ value: Syntax.Value, asEnum type: Syntax.TypeDefinition) {
        guard case .enumeration(let name) = value.kind else {
            if case .string(let text) = value.kind, index(of: type)[text] != nil {
                report(value, isNot: .named(type.name.text), help: "write it without quotes")
            } else {
                report(value, isNot: .named(type.name.text))
            }
            return
        }
        guard index(of: type)[name] == nil else { return }
        let near = nearest(to: name, among: type.values.lazy.map(\.name.text))
        findings.add(
            Finding(
                .valuesOfCorrectType,
                "the enum '\(type.name.text)' has no value '\(name)'",
                at: value.place,
                help: near
            )
        )
    }

    private mutating func check(_ value: Syntax.Value, asObject type: Syntax.TypeDefinition) {
        guard case .object(let fields) = value.kind else {
            report(value, isNot: .named(type.name.text))
            return
        }
        let index = index(of: type)
        for field in fields {
            guard let position = index[field.name.text] else {
                let finding = unknownField(field.name, of: type)
                findings.add(finding)
                continue
            }
            checkConstant(field.value, as: Schema.TypeReference(type.inputFields[position].type))
        }
        let given = Set(fields.map(\.name.text))
        for field in requiredFields(of: type) where !given.contains(field.text) {
            guard !findings.isFull else { return }
            let message = "missing required field '\(type.name.text).\(field.text)'"
            findings.add(
                Finding(.valuesOfCorrectType, message, at: value.place).related(field.place, "defined here")
            )
        }
        if oneOfs.contains(type.name.text) { check(fields, asOneOf: type, value.place) }
    }

    private func unknownField(_ name: Syntax.Name, of type: Syntax.TypeDefinition) -> Finding {
        let near = nearest(to: name.text, among: type.inputFields.lazy.map(\.name.text))
        return Finding(
            .valuesOfCorrectType,
            "the input type '\(type.name.text)' has no field '\(name.text)'",
            at: name.place,
            help: near
        )
    }

    private mutating func check(
        _ fields: [Syntax.ObjectField],
        asOneOf type: Syntax.TypeDefinition,
        _ place: SourceRange
    ) {
        guard fields.count == 1, let field = fields.first else {
            let message = "a value of '\(type.name.text)' has exactly one field, found \(fields.count)"
            findings.add(Finding(.valuesOfCorrectType, message, at: place))
            return
        }
        guard case .null = field.value.kind else { return }
        let message = "the only field of a value of '\(type.name.text)' cannot be null"
        findings.add(Finding(.valuesOfCorrectType, message, at: field.value.place))
    }

    private mutating func report(_ value: Syntax.Value, isNot type: Schema.TypeReference, help: String? = nil) {
        let message = "expected a value of '\(type)', found \(value.found)"
        findings.add(Finding(.valuesOfCorrectType, message, at: value.place, help: help))
    }

    /// Reports duplicate fields of an object value.
    mutating func checkUniqueFields(in value: Syntax.Value) {
        switch value.kind {
        case .list(let items): items.forEach { checkUniqueFields(in: $0) }
        case .object(let fields):
            var seen: [String: Syntax.Name] = [:]
            for field in fields {
                if let first = seen[field.name.text] {
                    let message = "duplicate field '\(field.name.text)' in the value"
                    findings.add(
                        Finding(.uniqueInputFieldNames, message, at: field.name.place)
                            .related(first.place, "the first is here")
                    )
                } else {
                    seen[field.name.text] = field.name
                }
                checkUniqueFields(in: field.value)
            }
        default: return
        }
    }
}

extension Syntax.Value {
    /// Whether the value can be coerced to a built-in scalar; true for other names, whose values are not known here.
    func isScalar(_ name: String) -> Bool {
        switch (name, kind) {
        case ("Int", .int(let text)): Int32(text) != nil
        case ("Float", .int(let text)), ("Float", .float(let text)): Double(text)?.isFinite ?? false
        case ("String", .string), ("Boolean", .boolean), ("ID", .string), ("ID", .int): true
        default: !Schema.builtInScalars.contains(name)
        }
    }

    /// The description of a value in messages.
    var found: String {
        switch kind {
        case .list: "a list"
        case .object: "an object"
        case .string(let text) where text.utf8.count > 60: "a string"
        case .null: "null"
        default: "'\(ValuePrinter.text(self))'"
        }
    }
}
