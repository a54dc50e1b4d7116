/// Encodes text as a JSON string (RFC 8259).
package enum JSONText {
    package static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.quote(text)
        return writer.text
    }
}

/// A JSON value; members keep their order.
package enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    /// A number as written, where Int cannot hold it and Double would change it.
    case decimal(String)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])

    /// An object, without members whose value is nil.
    package static func members(_ members: KeyValuePairs<String, JSONValue?>) -> Self {
        .object(members.compactMap { key, value in value.map { (key, $0) } })
    }

    /// The value as text: on one line, or indented by two spaces per level.
    package func text(indented: Bool = false) -> String { written(indented).text }

    /// The value as the bytes of its text.
    package func bytes(indented: Bool = false) -> [UInt8] { written(indented).bytes }

    private func written(_ indented: Bool) -> JSONWriter {
        var writer = JSONWriter()
        writer.write(self, indentation: indented ? 0 : nil)
        return writer
    }
}

extension JSONValue {
    /// Converts a value of a services file.
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
    /// Converts a JSON value, for writing files.
    package init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .null
            case .boolean(let value): .boolean(value)
            case .integer(let value): .integer(value)
            case .number(let value): .number(value)
            case .decimal(let text): Double(text).map(Literal.number) ?? .text(text)
            case .string(let value): .text(value)
            case .array(let items): .list(items.map(Literal.init))
            case .object(let members): .mapping(members.map { ($0.key, Literal($0.value)) })
            }
    }
}
