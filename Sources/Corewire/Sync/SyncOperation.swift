extension Corewire {
    /// A declared GraphQL operation with its variables, as 'corewire sync generate swift' writes it.
    public protocol SyncOperation: Sendable {
        /// What the operation is asked with; nil members are not sent, and `.some(nil)` sends null.
        associatedtype Variables: Encodable & Sendable
        /// What the answer holds.
        associatedtype Data: Decodable & Sendable

        /// The name in the files of `sync.operations`.
        static var name: String { get }
        /// What the operation does.
        static var kind: SyncOperationKind { get }
        /// The text that is sent, with its fragments.
        static var document: String { get }
        /// The variables of this request.
        var variables: Variables { get }
    }

    /// The three kinds of operations.
    public enum SyncOperationKind: String, Sendable {
        /// Reads data.
        case query
        /// Changes data.
        case mutation
        /// Hears of changes.
        case subscription
    }

    /// A value of an input object that may hold others of its own type.
    public indirect enum SyncBox<Value: Encodable & Sendable>: Encodable, Sendable {
        /// The value.
        case value(Value)

        /// Writes the value alone.
        public func encode(to encoder: any Encoder) throws {
            switch self {
            case .value(let value): try value.encode(to: encoder)
            }
        }
    }
}
