import WireBase

/// The rules about values (section 5.6).
extension Validator {
    /// Checks that a value fits a type; variables are checked by their declared types.
    mutating func check(_ value: Syntax.Value, for type: Schema.TypeReference) {
        switch (value.kind, type) {
        case (.variable, _): return
        case (.null, .nonNull): reportValue(value, "expected a value of type '\(type)', found null")
        case (_, .nonNull(let inner)): check(value, for: inner)
        case (.null, _): return
        case (.list(let items), .list(let inner)): for item in items { check(item, for: inner) }
        case (_, .list(let inner)): check(value, for: inner)
        case (_, .named(let name)):
            guard let named = schema.type(name) else { return }
            switch named.kind {
            case .inputObject: checkObject(value, named)
            case .enumeration: checkEnum(value, named)
            case .scalar: checkScalar(value, named)
            case .object, .interface, .union: return
            }
        }
    }

    private mutating func reportValue(_ value: Syntax.Value, _ message: String, help: String? = nil) {
        report(.valuesOfCorrectType, message, at: value.place, help: help)
    }

    private mutating func checkScalar(_ value: Syntax.Value, _ type: Schema.NamedType) {
        if value.isScalar(type.name) { return }
        if type.name == "Int", case .int = value.kind {
            reportValue(value, "\(value.found) does not fit into 32 bits")
        } else {
            reportValue(
                value,
                "expected a value of type '\(type.name)', found \(value.found)",
                help: correction(of: value, type)
            )
        }
    }

    /// The probable value.
    private func correction(of value: Syntax.Value, _ type: Schema.NamedType) -> String? {
        switch (type.name, value.kind) {
        case ("String", .enumeration(let text)), ("ID", .enumeration(let text)): "write \"\(text.prefix(40))\""
        case ("Boolean", .string("true")), ("Boolean", .string("false")), ("Int", .string), ("Float", .string):
            "leave out the quotes"
        default: nil
        }
    }

    private mutating func checkEnum(_ value: Syntax.Value, _ type: Schema.NamedType) {
        switch value.kind {
        case .enumeration(let name):
            if type.value(name) != nil { return }
            let help = meant(name, type.values.map(\.name))
            reportValue(value, "the enum '\(type.name)' has no value '\(name)'", help: help)
        case .string(let text):
            reportValue(
                value,
                "expected a value of enum '\(type.name)', found a string",
                help: type.value(text) == nil ? meant(text, type.values.map(\.name)) : "leave out the quotes"
            )
        default: reportValue(value, "expected a value of enum '\(type.name)', found \(value.found)")
        }
    }

    private mutating func checkObject(_ value: Syntax.Value, _ type: Schema.NamedType) {
        guard case .object(let fields) = value.kind else {
            return reportValue(value, "expected an object of type '\(type.name)', found \(value.found)")
        }
        let declared = Dictionary(type.inputFields.map { ($0.name, $0) }) { first, _ in first }
        for field in fields {
            guard let input = declared[field.name.text] else {
                report(
                    .valuesOfCorrectType,
                    "the type '\(type.name)' has no field '\(field.name.text)'",
                    at: field.name.place,
                    help: meant(field.name.text, type.inputFields.map(\.name))
                )
                continue
            }
            check(field.value, for: input.type)
        }
        let given = Set(fields.map(\.name.text))
        for input in type.inputFields where input.isRequired && !given.contains(input.name) {
            reportValue(value, "missing field '\(input.name)' of type '\(input.type)' in '\(type.name)'")
        }
        if type.isOneOf { checkOneOf(value, fields.filter { declared[$0.name.text] != nil }, type) }
    }

    private mutating func checkOneOf(_ value: Syntax.Value, _ fields: [Syntax.ObjectField], _ type: Schema.NamedType) {
        guard fields.count == 1, let field = fields.first else {
            return reportValue(value, "expected exactly one field of '\(type.name)', found \(fields.count)")
        }
        if case .null = field.value.kind {
            reportValue(field.value, "the field '\(field.name.text)' of '\(type.name)' cannot be null")
        }
    }
}
