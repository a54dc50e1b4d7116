import WireBase

/// The rules about variables (section 5.8), and about names in objects (5.6.3), in the same pass.
extension Validator {
    /// A use of a variable.
    struct VariableUse {
        let name: String
        let place: SourceRange
        let expected: Expected
    }

    /// The expectation for a value.
    struct Expected {
        /// The expected type; nil where it is unknown, which accepts any value.
        var type: Schema.TypeReference?
        var hasDefault = false
        /// The input object with `@oneOf` whose field it is.
        var oneOf: String?

        static let anything = Self(nil)

        init(_ input: Schema.InputValue?) {
            type = input?.type
            hasDefault = input?.defaultValue != nil
        }
    }

    /// Collects the variables in a value, and checks the names in its objects.
    mutating func collect(_ value: Syntax.Value, _ expected: Expected) {
        switch value.kind {
        case .variable(let name): uses.append(VariableUse(name: name, place: value.place, expected: expected))
        case .list(let items):
            var inner = Expected.anything
            if case .list(let item) = expected.type?.nullable { inner.type = item }
            for item in items { collect(item, inner) }
        case .object(let fields):
            let type = expected.type.flatMap { schema.type($0.name) }
            var seen: [String: SourceRange] = [:]
            for field in fields {
                let name = field.name.text
                if let first = seen[name] {
                    let finding = Finding(
                        .uniqueInputFieldNames,
                        "duplicate field '\(name)'",
                        at: field.name.place
                    )
                    report(finding.related(first, "the first is here"))
                }
                seen[name] = seen[name] ?? field.name.place
                var inner = Expected(type?.inputField(name))
                if let type, type.isOneOf { inner.oneOf = type.name }
                collect(field.value, inner)
            }
        default: return
        }
    }

    /// Checks the variables of an operation, including those used through fragments.
    mutating func checkVariables(of operation: Syntax.Operation, _ fragmentUses: [[VariableUse]]) {
        let direct = uses
        let declared = declare(operation)
        var used: Set<String> = []
        for use in direct { check(use, of: operation, declared, &used) }
        guard spend(fragments.fragments.count) else { return }
        for fragment in fragments.reached(from: FragmentGraph.spreads(in: operation.selections)) {
            guard spend(1 + fragments.spreads[fragment].count + fragmentUses[fragment].count) else { return }
            for use in fragmentUses[fragment] { check(use, of: operation, declared, &used) }
        }
        for variable in operation.variables where !used.contains(variable.name.text) {
            report(
                .noUnusedVariables,
                "\(operation.title) does not use the variable '$\(variable.name.text)'",
                at: variable.nameWithMark
            )
        }
    }

    /// Checks the declarations, and returns the variables by name.
    private mutating func declare(_ operation: Syntax.Operation) -> [String: Syntax.Variable] {
        var declared: [String: Syntax.Variable] = [:]
        for variable in operation.variables {
            let name = variable.name.text
            if let first = declared.updateValue(variable, forKey: name) {
                let finding = Finding(
                    .uniqueVariableNames,
                    "duplicate variable '$\(name)'",
                    at: variable.nameWithMark
                )
                report(finding.related(first.nameWithMark, "the first is here"))
            }
            check(variable)
        }
        return declared
    }

    private mutating func check(_ variable: Syntax.Variable) {
        check(variable.directives, at: .variableDefinition)
        let reference = Schema.TypeReference(variable.type)
        let type = knownType(variable.type.name)
        if let type, !type.isInput {
            report(
                .variablesAreInputTypes,
                "a variable cannot have the output type '\(type.name)'",
                at: variable.type.name.place
            )
        }
        guard let value = variable.defaultValue else { return }
        var expected = Expected.anything
        if type?.isInput == true { expected.type = reference }
        collect(value, expected)
        if type?.isInput == true { check(value, for: reference) }
    }

    private mutating func check(
        _ use: VariableUse,
        of operation: Syntax.Operation,
        _ declared: [String: Syntax.Variable],
        _ used: inout Set<String>
    ) {
        guard let variable = declared[use.name] else {
            report(
                .noUndefinedVariables,
                "\(operation.title) does not declare the variable '$\(use.name)'",
                at: use.place,
                help: meant(use.name, declared.keys.sorted(), mark: "$")
            )
            return
        }
        used.insert(use.name)
        checkPosition(use, variable)
    }

    private mutating func checkPosition(_ use: VariableUse, _ variable: Syntax.Variable) {
        guard let expected = use.expected.type, schema.type(variable.type.name.text) != nil else { return }
        let type = Schema.TypeReference(variable.type)
        var allowed = expected
        if expected.isNonNull, !type.isNonNull, use.expected.hasDefault || variable.hasDefault {
            allowed = expected.nullable
        }
        let declaration = "declared as '\(type)'"
        if !index.isVariable(type, allowedFor: allowed) {
            let finding = Finding(
                .variablesInAllowedPosition,
                "expected '\(expected)', found the variable '$\(use.name)' of type '\(type)'",
                at: use.place
            )
            report(finding.related(variable.nameWithMark, declaration))
        } else if let oneOf = use.expected.oneOf, !type.isNonNull {
            let finding = Finding(
                .variablesInAllowedPosition,
                "the variable '$\(use.name)' is nullable, but a field of '\(oneOf)' is not",
                at: use.place,
                help: "declare it as '\(type)!'"
            )
            report(finding.related(variable.nameWithMark, declaration))
        }
    }
}

extension Syntax.Variable {
    /// The name with '$'.
    var nameWithMark: SourceRange {
        let begin = description.map { max($0.place.bytes.upperBound, name.place.bytes.lowerBound - 1) }
        return SourceRange(place.file, (begin ?? place.bytes.lowerBound)..<name.place.bytes.upperBound)
    }

    fileprivate var hasDefault: Bool {
        guard let defaultValue else { return false }
        if case .null = defaultValue.kind { return false }
        return true
    }
}
