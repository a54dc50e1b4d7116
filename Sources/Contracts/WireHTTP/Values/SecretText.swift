package import WireBase
package import WireConfig

/// A secret in a request: held as a ``Secret`` from reading to sending.
package struct SecretText: JSONCodable {
    package let secret: Secret<String>

    package init(_ secret: Secret<String>) { self.secret = secret }

    package static var schema: JSONSchema { .text }
    package static var placeholder: SecretText { SecretText(Secret("")) }
    package var jsonValue: JSONValue? { .string(secret.reveal()) }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> SecretText {
        SecretText(Secret(try String.read(node, in: text)))
    }

    package func write(to writer: inout JSONWriter) { writer.quote(secret.reveal()) }
}
