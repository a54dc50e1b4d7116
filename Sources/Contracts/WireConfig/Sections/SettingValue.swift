/// A type for values of a services file: it can be read, described and written.
package protocol SettingValue: Sendable {
    /// The accepted values, for the schema, the reference page, completion and messages.
    static var form: Form { get }
    /// A stand-in where no value could be read; never shown.
    static var placeholder: Self { get }
    /// Reads a node; problems have been reported when the result has no value.
    static func read(_ node: NodeID, with reader: Reader) -> Reading<Self>
    /// The value as written in a services file.
    var literal: Literal { get }
    /// A pattern for the texts in a range, where a pattern can express it.
    static func pattern(from low: Self, to high: Self) -> String?
}

extension SettingValue {
    package static func pattern(from low: Self, to high: Self) -> String? { nil }
}

/// The result of reading a node.
package struct Reading<Value: Sendable>: Sendable {
    /// The value; nil where the node is unusable.
    package let value: Value?
    /// Whether the whole node was read: without problems and without unresolved references.
    package let isComplete: Bool

    @inline(__always)
    package init(value: Value?, isComplete: Bool) {
        self.value = value
        self.isComplete = isComplete
    }

    @inline(__always)
    package static func complete(_ value: Value) -> Self { Self(value: value, isComplete: true) }
    package static func partial(_ value: Value) -> Self { Self(value: value, isComplete: false) }
    /// The result for an unresolved reference, or for an invalid value that has been reported.
    @inline(__always)
    package static var none: Self { Self(value: nil, isComplete: false) }

    package func map<Other>(_ change: (Value) -> Other) -> Reading<Other> {
        Reading<Other>(value: value.map(change), isComplete: isComplete)
    }
}

/// A value as written in a services file, independent of the format.
package enum Literal: Sendable, Equatable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case text(String)
    case list([Literal])
    case mapping([(key: String, value: Literal)])

    package static func == (left: Self, right: Self) -> Bool { left.flowText == right.flowText }

    /// The value on one line, valid in both YAML flow style and JSON.
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
