import WireBase
import WireGraphQL

/// A document as the text that `Oracle/syntax.py` makes of what graphql-core parses.
struct SyntaxTree {
    let hasPlaces: Bool

    static func text(_ document: Syntax.Document, places: Bool) -> String {
        let tree = Self(hasPlaces: places)
        return document.definitions.map(tree.text).joined(separator: "\n")
    }

    private func node(_ place: SourceRange, _ parts: String...) -> String {
        let range = hasPlaces ? "@\(place.bytes.lowerBound)-\(place.bytes.upperBound)" : ""
        return "(" + parts.joined(separator: " ") + range + ")"
    }

    private func all<Part>(_ parts: [Part], _ text: (Part) -> String) -> String {
        "[" + parts.map(text).joined(separator: " ") + "]"
    }

    private func name(_ name: Syntax.Name) -> String { node(name.place, name.text) }
    private func string(_ description: Syntax.Description?) -> String {
        description.map { node($0.place, json($0.text)) } ?? "-"
    }

    /// The string as Python's `json.dumps` writes it.
    private func json(_ text: String) -> String {
        var json = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: json += "\\\""
            case 0x5c: json += "\\\\"
            case 0x8: json += "\\b"
            case 0xc: json += "\\f"
            case 0xa: json += "\\n"
            case 0xd: json += "\\r"
            case 0x9: json += "\\t"
            case 0x20..<0x7f: json.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return json + "\""
    }

    private func value(_ value: Syntax.Value) -> String {
        let text =
            switch value.kind {
            case .variable(let name): "$\(name)"
            case .int(let text): "int \(text)"
            case .float(let text): "float \(text)"
            case .string(let text): json(text)
            case .boolean(let boolean): "\(boolean)"
            case .null: "null"
            case .enumeration(let name): "enum \(name)"
            case .list(let items): "list " + all(items, self.value)
            case .object(let fields): "object " + all(fields) { name($0.name) + self.value($0.value) }
            }
        return node(value.place, text)
    }

    private func type(_ type: Syntax.TypeReference) -> String {
        switch type {
        case .named(let name): self.name(name)
        case .list(let inner, let place): node(place, "list", self.type(inner))
        case .nonNull(let inner, let place): node(place, "some", self.type(inner))
        }
    }

    private func arguments(_ arguments: [Syntax.Argument]) -> String {
        all(arguments) { node($0.place, name($0.name) + value($0.value)) }
    }

    private func directives(_ directives: [Syntax.Directive]) -> String {
        all(directives) { node($0.place, "@" + name($0.name) + arguments($0.arguments)) }
    }

    private func set(_ set: Syntax.SelectionSet) -> String { node(set.place, all(set.selections, selection)) }

    private func selection(_ selection: Syntax.Selection) -> String {
        switch selection {
        case .field(let field):
            node(
                field.place,
                field.alias.map(name) ?? "-",
                name(field.name),
                arguments(field.arguments),
                directives(field.directives),
                field.selections.map(set) ?? "-"
            )
        case .spread(let spread): node(spread.place, "...", name(spread.name) + directives(spread.directives))
        case .inline(let fragment):
            node(
                fragment.place,
                "inline",
                fragment.typeCondition.map(name) ?? "-",
                directives(fragment.directives),
                set(fragment.selections)
            )
        }
    }

    private func text(_ definition: Syntax.Definition) -> String {
        switch definition {
        case .operation(let operation):
            node(
                operation.place,
                operation.kind.rawValue,
                string(operation.description),
                operation.name.map(name) ?? "-",
                all(operation.variables, variable),
                directives(operation.directives),
                set(operation.selections)
            )
        case .fragment(let fragment):
            node(
                fragment.place,
                "fragment",
                string(fragment.description),
                name(fragment.name),
                name(fragment.typeCondition),
                directives(fragment.directives),
                set(fragment.selections)
            )
        case .schema(let schema):
            node(
                schema.place,
                schema.isExtension ? "extend schema" : "schema",
                string(schema.description),
                directives(schema.directives),
                all(schema.roots) { node($0.place, $0.kind.rawValue + name($0.type)) }
            )
        case .type(let type): text(type)
        case .directive(let directive):
            node(
                directive.place,
                "directive",
                string(directive.description),
                name(directive.name),
                all(directive.arguments, input),
                "\(directive.isRepeatable)",
                all(directive.locations, name)
            )
        }
    }

    private func variable(_ variable: Syntax.Variable) -> String {
        node(
            variable.place,
            string(variable.description),
            variable.name.text,
            type(variable.type),
            variable.defaultValue.map(value) ?? "-",
            directives(variable.directives)
        )
    }

    private func text(_ type: Syntax.TypeDefinition) -> String {
        node(
            type.place,
            (type.isExtension ? "extend " : "") + type.kind.keyword,
            string(type.description),
            name(type.name),
            directives(type.directives),
            all(type.interfaces, name),
            type.kind == .inputObject ? all(type.inputFields, input) : all(type.fields, field),
            all(type.members, name),
            all(type.values) { node($0.place, string($0.description), name($0.name), directives($0.directives)) }
        )
    }

    private func field(_ field: Syntax.FieldDefinition) -> String {
        node(
            field.place,
            string(field.description),
            name(field.name),
            all(field.arguments, input),
            type(field.type),
            directives(field.directives)
        )
    }

    private func input(_ input: Syntax.InputValueDefinition) -> String {
        node(
            input.place,
            string(input.description),
            name(input.name),
            type(input.type),
            input.defaultValue.map(value) ?? "-",
            directives(input.directives)
        )
    }
}
