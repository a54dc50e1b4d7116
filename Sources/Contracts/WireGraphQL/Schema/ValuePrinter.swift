/// Writes values as GraphQL text on one line: `{ done: true, tags: ["a"] }`.
package enum ValuePrinter {
    /// The text of a value; with its fields sorted by name, two values that mean the same have the same text.
    package static func text(_ value: Syntax.Value, sortingFields: Bool = false) -> String {
        var text = ""
        write(value, sortingFields, into: &text)
        return text
    }

    /// A string between double quotes.
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{8}": quoted += "\\b"
            case "\u{c}": quoted += "\\f"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func write(_ value: Syntax.Value, _ sortingFields: Bool, into text: inout String) {
        switch value.kind {
        case .variable(let name): text += "$" + name
        case .int(let number), .float(let number): text += number
        case .string(let string): text += quoted(string)
        case .boolean(let isTrue): text += isTrue ? "true" : "false"
        case .null: text += "null"
        case .enumeration(let name): text += name
        case .list(let items):
            text += "["
            for (index, item) in items.enumerated() {
                if index > 0 { text += ", " }
                write(item, sortingFields, into: &text)
            }
            text += "]"
        case .object(let fields):
            let fields = sortingFields ? fields.sorted { $0.name.text < $1.name.text } : fields
            text += "{"
            for (index, field) in fields.enumerated() {
                text += index > 0 ? ", " : " "
                text += field.name.text + ": "
                write(field.value, sortingFields, into: &text)
            }
            text += fields.isEmpty ? "}" : " }"
        }
    }
}
