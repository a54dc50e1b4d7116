import WireBase
package import WireHTTP

/// Why something is not done with what apps store.
package enum StateFailureKind: String, FailureKind {
    /// A namespace or a key that cannot be a name.
    case badName = "bad-name"
    case badLifetime = "bad-lifetime"
    case badField = "malformed-field"
    case tooLarge = "value-too-large"
    /// The file leaves the namespace out.
    case undeclared = "undeclared-namespace"
    case noSuchEntry = "no-such-entry"
    /// The entry is not what the caller takes it for.
    case conflict = "precondition-failed"
    /// A limit of the file, or the disk.
    case full
    /// The store does not answer or write now.
    case unavailable = "store-unavailable"
    /// The caller has given up, and nothing was changed.
    case cancelled
    /// Sealed with a key that is not at hand.
    case sealed
    /// Anything else the store says.
    case store = "store-failed"

    /// How any operation can fail, and how one can that names a namespace.
    package static let always: [Self] = [.badField, .store, .unavailable]
    package static let ofNamespaces = always + [.badName, .undeclared]

    package var facts: FailureFacts {
        switch self {
        case .badName: FailureFacts(.badRequest, "this cannot be a name here", "This cannot be a name here.")
        case .badLifetime:
            FailureFacts(
                .unprocessableContent,
                "nothing is kept for so long here",
                "Nothing is kept for so long here."
            )
        case .badField:
            FailureFacts(.badRequest, "a field is not as expected", "A field or the query is not as expected.")
        case .tooLarge:
            FailureFacts(
                .contentTooLarge,
                "the value is too large",
                "The value is larger than the file allows."
            )
        case .undeclared:
            FailureFacts(
                .forbidden,
                "the namespace is not declared",
                "The file leaves the namespace out, or the caller may not use it."
            )
        case .noSuchEntry: FailureFacts(.notFound, "nothing is stored there", "Nothing is stored there.")
        case .conflict:
            FailureFacts(
                .preconditionFailed,
                "it has changed meanwhile",
                "It is not the version that was expected."
            )
        case .full: FailureFacts(.insufficientStorage, "there is no room", "There is no room.")
        case .unavailable:
            FailureFacts(
                .unavailable,
                "the store cannot be used now",
                "The store cannot be used now.",
                retryAfter: 5
            )
        case .cancelled: FailureFacts(.unavailable, "the request was cancelled", "The request was cancelled.")
        case .sealed: FailureFacts(.internalError, "the value cannot be unsealed", "It cannot be unsealed.")
        case .store: FailureFacts(.internalError, "the store failed", "The store failed.")
        }
    }
}

package typealias StateFailure = APIFailure<StateFailureKind>
