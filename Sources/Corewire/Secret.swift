import WireBase

extension Corewire {
    /// A password or a token that no description, dump or log shows.
    public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let custody: WireBase.Secret<String>

        /// Wraps a text.
        public init(_ text: String) { custody = WireBase.Secret(text) }

        init(_ custody: WireBase.Secret<String>) { self.custody = custody }

        /// The text itself, for the line that sends or compares it.
        public func reveal() -> String { custody.reveal() }

        /// Never the text.
        public var description: String { custody.description }
        /// Never the text.
        public var debugDescription: String { custody.debugDescription }
        /// Never the text.
        public var customMirror: Mirror { custody.customMirror }
    }
}
