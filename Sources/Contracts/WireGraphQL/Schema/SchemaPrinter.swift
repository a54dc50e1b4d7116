/// Writes a schema as SDL that parses to the same schema.
///
/// Built-in scalars and directives are left out, and so are the uses of directives other than `@deprecated`,
/// `@specifiedBy` and `@oneOf`. The order is that of the schema.
package enum SchemaPrinter {
    package static func text(_ schema: Schema) -> String {
        var parts: [String] = []
        if let definition = definition(of: schema) { parts.append(definition) }
        for name in schema.directiveNames where !Schema.builtInDirectives.contains(name) {
            if let directive = schema.directives[name] { parts.append(text(directive)) }
        }
        for name in schema.typeNames where !Schema.builtInScalars.contains(name) {
            if let type = schema.types[name] { parts.append(text(type)) }
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// The definition of one type.
    package static func text(_ type: Schema.NamedType) -> String {
        description(type.description) + head(of: type) + block(members(of: type))
    }

    // MARK: Schema

    /// Omitted where the root types have their default names.
    private static func definition(of schema: Schema) -> String? {
        let isDefault = OperationKind.allCases.allSatisfy { kind in
            schema.root(of: kind) == (schema.types[kind.defaultRoot] == nil ? nil : kind.defaultRoot)
        }
        guard !isDefault || schema.description != nil else { return nil }
        let roots = OperationKind.allCases.compactMap { kind in
            schema.root(of: kind).map { "  \(kind.rawValue): \($0)" }
        }
        return description(schema.description) + "schema" + block(roots)
    }

    private static func text(_ directive: Schema.DirectiveType) -> String {
        description(directive.description) + "directive @\(directive.name)"
            + arguments(directive.arguments, indentation: "")
            + (directive.isRepeatable ? " repeatable" : "") + " on " + directive.locations.joined(separator: " | ")
    }

    // MARK: Types

    private static func head(of type: Schema.NamedType) -> String {
        let head = "\(type.kind.keyword) \(type.name)"
        return switch type.kind {
        case .scalar: head + (type.specifiedBy.map { " @specifiedBy(url: \(ValuePrinter.quoted($0)))" } ?? "")
        case .object, .interface:
            type.interfaces.isEmpty ? head : head + " implements " + type.interfaces.joined(separator: " & ")
        case .union: type.members.isEmpty ? head : head + " = " + type.members.joined(separator: " | ")
        case .enumeration: head
        case .inputObject: type.isOneOf ? head + " @oneOf" : head
        }
    }

    private static func members(of type: Schema.NamedType) -> [String] {
        let fields = type.fields.enumerated().map { index, field in
            description(field.description, "  ", isFirst: index == 0) + "  \(field.name)"
                + arguments(field.arguments, indentation: "  ") + ": \(field.type)" + deprecation(field.deprecation)
        }
        let values = type.values.enumerated().map { index, value in
            description(value.description, "  ", isFirst: index == 0) + "  \(value.name)"
                + deprecation(value.deprecation)
        }
        let inputs = type.inputFields.enumerated().map { index, field in
            description(field.description, "  ", isFirst: index == 0) + "  " + text(field)
        }
        return fields + values + inputs
    }

    private static func block(_ lines: [String]) -> String {
        lines.isEmpty ? "" : " {\n" + lines.joined(separator: "\n") + "\n}"
    }

    /// On one line, unless an argument has a description.
    private static func arguments(_ arguments: [Schema.InputValue], indentation: String) -> String {
        guard !arguments.isEmpty else { return "" }
        guard arguments.contains(where: { $0.description != nil }) else {
            return "(" + arguments.map(text).joined(separator: ", ") + ")"
        }
        let lines = arguments.enumerated().map { index, argument in
            description(argument.description, "  " + indentation, isFirst: index == 0)
                + "  \(indentation)\(text(argument))"
        }
        return "(\n" + lines.joined(separator: "\n") + "\n\(indentation))"
    }

    private static func text(_ input: Schema.InputValue) -> String {
        "\(input.name): \(input.type)" + (input.defaultValue.map { " = \(ValuePrinter.text($0))" } ?? "")
            + deprecation(input.deprecation)
    }

    private static func deprecation(_ reason: String?) -> String {
        guard let reason else { return "" }
        return reason == Schema.defaultDeprecation
            ? " @deprecated" : " @deprecated(reason: \(ValuePrinter.quoted(reason)))"
    }

    /// A description on lines of its own, after an empty line unless it is the first in its block.
    private static func description(_ text: String?, _ indentation: String = "", isFirst: Bool = true) -> String {
        guard let text else { return "" }
        let string = BlockString.canHold(text) ? BlockString.printed(text) : ValuePrinter.quoted(text)
        let lines = string.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.isEmpty ? "" : indentation + line
        }
        return (isFirst ? "" : "\n") + lines.joined(separator: "\n") + "\n"
    }
}
