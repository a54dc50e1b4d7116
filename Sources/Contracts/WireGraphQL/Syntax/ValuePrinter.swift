/// Prints values in GraphQL syntax.
package enum ValuePrinter {
    /// The value on one line: `{ a: 1, b: [2, 3] }`; with sorted fields, equivalent values have equal texts.
    package static func text(_ value: Syntax.Value, sortingFields: Bool = false) -> String {
        var text = ""
        write(value, to: &text, sortingFields: sortingFields)
        return text
    }

    /// Appends the value; a compact one has commas without spaces.
    static func write(
        _ value: Syntax.Value,
        to text: inout String,
        isCompact: Bool = false,
        sortingFields: Bool = false
    ) {
        let comma = isCompact ? "," : ", "
        switch value.kind {
        case .variable(let name): text += "$" + name
        case .int(let number), .float(let number): text += number
        case .string(let string): text += quoted(string)
        case .boolean(let boolean): text += boolean ? "true" : "false"
        case .null: text += "null"
        case .enumeration(let name): text += name
        case .list(let items):
            text += "["
            for (index, item) in items.enumerated() {
                if index > 0 { text += comma }
                write(item, to: &text, isCompact: isCompact, sortingFields: sortingFields)
            }
            text += "]"
        case .object(let fields):
            let fields = sortingFields ? fields.sorted { $0.name.text < $1.name.text } : fields
            text += isCompact || fields.isEmpty ? "{" : "{ "
            for (index, field) in fields.enumerated() {
                if index > 0 { text += comma }
                text += field.name.text + (isCompact ? ":" : ": ")
                write(field.value, to: &text, isCompact: isCompact, sortingFields: sortingFields)
            }
            text += isCompact || fields.isEmpty ? "}" : " }"
        }
    }

    /// A string between quotes, with escapes for quotes, backslashes and control characters.
    package static func quoted(_ string: String) -> String {
        var quoted = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{8}": quoted += "\\b"
            case "\u{c}": quoted += "\\f"
            case _ where scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value):
                let digits = String(scalar.value, radix: 16, uppercase: true)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
