package import WireConfig

/// An array that leaves out elements it cannot read in a text that a newer program may have written.
package struct ReadableItems<Element: JSONCodable>: JSONCodable {
    package var items: [Element]

    package init(_ items: [Element]) { self.items = items }

    package static var schema: JSONSchema { [Element].schema }
    package static var placeholder: ReadableItems { ReadableItems([]) }
    package var jsonValue: JSONValue? { items.jsonValue }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> ReadableItems {
        guard text.toleratesUnknown, text.document.kind(node) == .sequence else {
            return ReadableItems(try [Element].read(node, in: text))
        }
        return ReadableItems(text.document.items(node).compactMap { try? Element.read($0, in: text) })
    }

    package func write(to writer: inout JSONWriter) { items.write(to: &writer) }
}

extension Members {
    /// An array, empty where the member is absent; elements that cannot be read are left out.
    package mutating func readable<Element: JSONCodable>(
        _ name: String,
        _ get: @escaping @Sendable (Record) -> [Element],
        _ help: String
    ) throws(JSONMismatch) -> [Element] {
        try value(name, { ReadableItems(get($0)) }, help, or: ReadableItems([])).items
    }
}
