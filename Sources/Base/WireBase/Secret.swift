/// A value that cannot print itself, from the byte it is read to the byte it is used.
///
/// It has no `Encodable` conformance and no way into a string but ``reveal()``, so that every use can be found by name.
public struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    /// Takes a value into custody.
    public init(_ value: Value) {
        self.value = value
    }

    /// The value itself, for the one line that sends or compares it.
    public func reveal() -> Value {
        value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What stands in place of a secret wherever text is made of it.
    public static var redacted: String { "[redacted]" }

    /// Never the value.
    public var description: String { Self.redacted }

    /// Never the value.
    public var debugDescription: String { Self.redacted }

    /// Never the value: `dump` and debuggers see an empty shell.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
