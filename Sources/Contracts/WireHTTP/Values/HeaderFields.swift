package import WireConfig

/// Header fields as a JSON object: each name with a text or an array of texts.
package struct HeaderFields: JSONCodable, Equatable {
    package let fields: Fields

    package init(_ fields: Fields) { self.fields = fields }

    package static var schema: JSONSchema { .anything }
    package static var placeholder: HeaderFields { HeaderFields(Fields()) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> HeaderFields {
        guard text.document.kind(node) == .mapping else { throw text.wrongKind(node, expected: "an object") }
        var fields = Fields()
        for entry in text.document.entries(node) {
            let name = text.document.text(entry.key)
            do throws(JSONMismatch) {
                for value in try values(entry.value, in: text) { fields.add(name, value) }
            } catch {
                throw error.inside(member: name)
            }
        }
        return HeaderFields(fields)
    }

    private static func values(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> [String] {
        switch text.document.kind(node) {
        case .quoted: return [text.document.text(node)]
        case .sequence: return try [String].read(node, in: text)
        default: throw text.wrongKind(node, expected: "text, or an array of texts")
        }
    }

    /// The fields grouped by name, in the order of first appearance.
    private var grouped: [(name: String, values: [String])] {
        var grouped: [(name: String, values: [String])] = []
        for field in fields.all {
            if let index = grouped.firstIndex(where: { $0.name == field.name }) {
                grouped[index].values.append(field.value)
            } else {
                grouped.append((field.name, [field.value]))
            }
        }
        return grouped
    }

    package var jsonValue: JSONValue? {
        .object(
            grouped.map { field in
                (
                    field.name,
                    field.values.count == 1 ? .string(field.values[0]) : .array(field.values.map(JSONValue.string))
                )
            }
        )
    }

    package func write(to writer: inout JSONWriter) { writer.write(jsonValue ?? .null) }
}
