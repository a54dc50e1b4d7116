import WireBase
package import WireConfig

/// Binary data, encoded as base64 with padding (RFC 4648, section 4).
package struct Base64Bytes: JSONCodable, Hashable {
    package let content: [UInt8]

    package init(_ content: [UInt8]) { self.content = content }

    package static var schema: JSONSchema { .text }
    package static var placeholder: Base64Bytes { Base64Bytes([]) }
    package var jsonValue: JSONValue? { .string(Base64.text(of: content)) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Base64Bytes {
        guard let content = Base64.bytes(of: try String.read(node, in: text)) else {
            throw text.mismatch("expected base64 with padding", node)
        }
        return Base64Bytes(content)
    }

    package func write(to writer: inout JSONWriter) { writer.quote(Base64.text(of: content)) }
}
