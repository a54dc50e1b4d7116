import WireBase

extension SchemaRules {
    /// Checks each type by itself: names, emptiness, deprecation, default values.
    mutating func checkTypes() {
        for type in types {
            checkName(type.name, type.kind.phrase)
            checkContent(of: type)
            for field in type.fields {
                checkName(field.name, "field")
                for argument in field.arguments {
                    check(argument, "argument", { "\(type.name.text).\(field.name.text)(\(argument.name.text):)" })
                }
            }
            for value in type.values { checkName(value.name, "enum value") }
            for field in type.inputFields {
                check(field, "input field", { "\(type.name.text).\(field.name.text)" })
            }
            if oneOfs.contains(type.name.text) { checkOneOf(type) }
        }
        for directive in directives {
            checkName(directive.name, "directive")
            for argument in directive.arguments {
                check(argument, "argument", { "@\(directive.name.text)(\(argument.name.text):)" })
            }
        }
    }

    private mutating func checkContent(of type: Syntax.TypeDefinition) {
        let (rule, isEmpty, what): (Finding.Rule, Bool, String) =
            switch type.kind {
            case .scalar: (.outputTypes, false, "")
            case .object, .interface: (.outputTypes, type.fields.isEmpty, "fields")
            case .union: (.unions, type.members.isEmpty, "member types")
            case .enumeration: (.enums, type.values.isEmpty, "values")
            case .inputObject: (.inputObjects, type.inputFields.isEmpty, "fields")
            }
        guard isEmpty else { return }
        findings.add(Finding(rule, "the \(type.kind.phrase) '\(type.name.text)' has no \(what)", at: type.name.place))
    }

    /// An argument or input field.
    private mutating func check(_ input: Syntax.InputValueDefinition, _ what: String, _ coordinate: () -> String) {
        checkName(input.name, what)
        if input.isRequired, let deprecated = input.directives.first(where: { $0.name.text == "deprecated" }) {
            findings.add(
                Finding(
                    .inputTypes,
                    "the required \(what) '\(coordinate())' is deprecated",
                    at: deprecated.place,
                    help: "make it optional first: remove '!' or give a default value"
                ).related(input.type.place, "its type is non-null")
            )
        }
        guard let value = input.defaultValue else { return }
        check(value, as: Schema.TypeReference(input.type))
    }

    /// The fields of a `@oneOf` input object are nullable and have no default values.
    private mutating func checkOneOf(_ type: Syntax.TypeDefinition) {
        for field in type.inputFields {
            let name = "\(type.name.text).\(field.name.text)"
            if case .nonNull = field.type {
                let message = "the field '\(name)' of a '@oneOf' input type is non-null"
                findings.add(Finding(.inputObjects, message, at: field.type.place, help: "remove '!'"))
            }
            if let value = field.defaultValue {
                let message = "the field '\(name)' of a '@oneOf' input type has a default value"
                findings.add(Finding(.inputObjects, message, at: value.place, help: "remove the default value"))
            }
        }
    }
}

extension Syntax.InputValueDefinition {
    /// Whether a caller must give it.
    var isRequired: Bool {
        if case .nonNull = type { defaultValue == nil } else { false }
    }
}
