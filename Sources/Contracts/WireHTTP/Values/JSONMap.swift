package import WireConfig

/// A JSON object whose member names the caller chooses, in order.
package struct JSONMap<Value: JSONCodable>: JSONCodable {
    package var entries: [(name: String, value: Value)]

    package init(_ entries: [(name: String, value: Value)] = []) { self.entries = entries }

    /// Sorts the members by name.
    package init(_ dictionary: [String: Value]) {
        entries = dictionary.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    package var dictionary: [String: Value] {
        Dictionary(entries.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    package static var schema: JSONSchema { .map(of: Value.schema) }
    package static var placeholder: JSONMap { JSONMap() }
    package var json: JSONValue { .object(entries.map { ($0.name, $0.value.jsonValue ?? .null) }) }
    package var jsonValue: JSONValue? { json }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> JSONMap {
        guard text.document.kind(node) == .mapping else { throw text.wrongKind(node, expected: "an object") }
        var map = JSONMap()
        for entry in text.document.entries(node) {
            let name = text.document.text(entry.key)
            do throws(JSONMismatch) {
                map.entries.append((name, try Value.read(entry.value, in: text)))
            } catch {
                // A newer program may have written the value.
                guard !text.toleratesUnknown else { continue }
                throw error.inside(member: name)
            }
        }
        return map
    }

    package func write(to writer: inout JSONWriter) {
        writer.put("{")
        for (index, entry) in entries.enumerated() {
            if index > 0 { writer.put(",") }
            writer.quote(entry.name)
            writer.put(":")
            entry.value.write(to: &writer)
        }
        writer.put("}")
    }
}
