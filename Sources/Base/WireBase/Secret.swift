/// A value that is never printed, from its reading to its use.
///
/// It is not `Encodable`, and only ``reveal()`` gives access, so that every use can be found by name.
public struct Secret<Value: Sendable>: Sendable {
    private let value: Value

    /// Wraps a value.
    public init(_ value: Value) {
        self.value = value
    }

    /// Returns the value, for sending or comparing it.
    public func reveal() -> Value {
        value
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text that replaces a secret.
    public static var redacted: String { "[redacted]" }

    /// Never the value.
    public var description: String { Self.redacted }

    /// Never the value.
    public var debugDescription: String { Self.redacted }

    /// Never the value, so that `dump` and debuggers see no content.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
