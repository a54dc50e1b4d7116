import WireHTTP

extension Corewire {
    /// A named value: a header field, or a field of a log record.
    public struct Field: Sendable, Hashable {
        /// The name as it was given.
        public let name: String
        /// The value.
        public let value: String

        /// A field by name and value.
        public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }
}

extension Fields {
    init(_ fields: [Corewire.Field]) {
        self.init()
        for field in fields { add(field.name, field.value) }
    }
}
