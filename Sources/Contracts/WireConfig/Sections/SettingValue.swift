/// A type that a key of a services file may declare: it can be read, described and written back.
package protocol SettingValue: Sendable {
    /// What the type accepts, for the schema, the reference page, completion and messages.
    static var form: Form { get }
    /// A value that stands in where none could be read; what is said about it is never shown.
    static var placeholder: Self { get }
    /// Reads a node; what is wrong with it has been reported when the result has no value.
    static func read(_ node: NodeID, with reader: Reader) -> Reading<Self>
    /// The value as a services file writes it.
    var literal: Literal { get }
    /// A pattern of the texts that lie in a range, for types whose order a pattern can say.
    static func pattern(from low: Self, to high: Self) -> String?
}

extension SettingValue {
    package static func pattern(from low: Self, to high: Self) -> String? { nil }
}

/// What came of reading a node.
package struct Reading<Value: Sendable>: Sendable {
    /// The value, unless nothing could be made of the node.
    package let value: Value?
    /// Whether the value is all that the node says: nothing in it was wrong, nothing waits for a reference.
    package let isComplete: Bool

    @inline(__always)
    package init(value: Value?, isComplete: Bool) {
        self.value = value
        self.isComplete = isComplete
    }

    @inline(__always)
    package static func complete(_ value: Value) -> Self { Self(value: value, isComplete: true) }
    package static func partial(_ value: Value) -> Self { Self(value: value, isComplete: false) }
    /// What cannot be known before a reference is resolved, or was wrong and has been reported.
    @inline(__always)
    package static var none: Self { Self(value: nil, isComplete: false) }

    package func map<Other>(_ change: (Value) -> Other) -> Reading<Other> {
        Reading<Other>(value: value.map(change), isComplete: isComplete)
    }
}

/// A value as a services file writes it, whichever format the file has.
package enum Literal: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([Literal])
    case mapping([(key: String, value: Literal)])

    package static func == (left: Self, right: Self) -> Bool { left.flowText == right.flowText }

    /// The value on one line, as YAML's flow style and JSON both read it.
    package var flowText: String {
        switch self {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .text(let value): JSONText.quoted(value)
        case .list(let items): "[" + items.map(\.flowText).joined(separator: ", ") + "]"
        case .mapping(let entries):
            entries.isEmpty
                ? "{}"
                : "{ " + entries.map { "\(JSONText.quoted($0.key)): \($0.value.flowText)" }.joined(separator: ", ")
                    + " }"
        }
    }
}

extension Optional: SettingValue where Wrapped: SettingValue {
    package static var form: Form { Wrapped.form }
    package static var placeholder: Self { nil }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        Wrapped.read(node, with: reader).map(Optional.some)
    }

    package var literal: Literal { self?.literal ?? .null }
}
