import WireBase

/// Writes text the way RFC 8259 wants it.
package enum JSONText {
    package static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.isUnfitForDisplay && scalar.value <= 0xffff:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

/// A JSON value to be written: members keep the order they are given in.
package indirect enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// An object without the members that have no value.
    package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> Self {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    /// The value as text: on one line, or indented by two spaces a level.
    package func text(indented: Bool = false) -> String {
        var text = ""
        write(to: &text, indentation: indented ? 0 : nil)
        return text
    }

    private func write(to text: inout String, indentation: Int?) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let value): text += "\(value)"
        case .string(let value): text += JSONText.quoted(value)
        case .array(let items):
            Self.write(items, between: ("[", "]"), to: &text, indentation: indentation) { item, text, inner in
                item.write(to: &text, indentation: inner)
            }
        case .object(let members):
            Self.write(members, between: ("{", "}"), to: &text, indentation: indentation) { member, text, inner in
                text += JSONText.quoted(member.key) + (indentation == nil ? ":" : ": ")
                member.value.write(to: &text, indentation: inner)
            }
        }
    }

    private static func write<Item>(
        _ items: [Item],
        between brackets: (String, String),
        to text: inout String,
        indentation: Int?,
        _ writeItem: (Item, inout String, Int?) -> Void
    ) {
        text += brackets.0
        let inner = indentation.map { $0 + 1 }
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "  ", count: inner) }
            writeItem(item, &text, inner)
        }
        if let indentation, !items.isEmpty { text += "\n" + String(repeating: "  ", count: indentation) }
        text += brackets.1
    }
}

extension JSONValue {
    /// A value of a services file as JSON.
    package init(_ literal: Literal) {
        self =
            switch literal {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .text(let value): .string(value)
            case .list(let items): .array(items.map(JSONValue.init))
            case .mapping(let entries): .object(entries.map { ($0.key, JSONValue($0.value)) })
            }
    }
}

extension Literal {
    /// The same value, for who writes files.
    package init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .string(let value): .text(value)
            case .array(let items): .list(items.map(Literal.init))
            case .object(let members): .mapping(members.map { ($0.key, Literal($0.value)) })
            }
    }
}
