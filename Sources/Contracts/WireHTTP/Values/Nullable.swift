package import WireConfig

/// A value that a request can clear: `null` differs from absent.
///
/// A record reads it with ``Members/present(_:_:_:)``. On a command line, an empty text means `null`.
package enum Nullable<Value: JSONCodable>: JSONCodable {
    case null
    case value(Value)

    /// The value; nil for `null`.
    package var value: Value? {
        switch self {
        case .null: nil
        case .value(let value): value
        }
    }

    package static var schema: JSONSchema { Value.schema.orNull }
    package static var placeholder: Nullable { .null }
    package static var plainType: (any PlainCodable.Type)? {
        // Only a cast finds the conformance below, and takes long where there is none.
        Value.plainType == nil ? nil : Self.self as? any PlainCodable.Type
    }
    package var jsonValue: JSONValue? { value?.jsonValue ?? .null }

    package static func read(_ node: NodeID, in text: JSONDocument) throws(JSONMismatch) -> Nullable {
        text.document.isNull(node) ? .null : .value(try Value.read(node, in: text))
    }

    package func write(to writer: inout JSONWriter) {
        if let value { value.write(to: &writer) } else { writer.put("null") }
    }
}

extension Nullable: PlainCodable where Value: PlainCodable {
    package static var valueName: String? { Value.valueName }
    package var plain: String { value?.plain ?? "" }

    package static func read(plain text: String) throws(JSONMismatch) -> Nullable {
        text.isEmpty ? .null : .value(try Value.read(plain: text))
    }
}
