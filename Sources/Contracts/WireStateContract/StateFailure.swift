import WireBase
package import WireHTTP

/// Why an operation on the state failed.
package enum StateFailureKind: String, FailureKind {
    /// An invalid name of a namespace or a key.
    case badName = "bad-name"
    case badLifetime = "bad-lifetime"
    case badField = "malformed-field"
    case tooLarge = "value-too-large"
    /// The file does not declare the namespace.
    case undeclared = "undeclared-namespace"
    case noSuchEntry = "no-such-entry"
    /// The condition of the request does not hold.
    case conflict = "precondition-failed"
    /// A limit of the file or the disk is reached.
    case full
    /// The store is not available now.
    case unavailable = "store-unavailable"
    /// The caller has cancelled the request; nothing was changed.
    case cancelled
    /// Sealed with a key that is not available.
    case sealed
    /// Any other failure of the store.
    case store = "store-failed"

    /// The failures of every operation, and of every operation on a namespace.
    package static let always: [Self] = [.badField, .store, .unavailable]
    package static let ofNamespaces = always + [.badName, .undeclared]

    package var facts: FailureFacts {
        switch self {
        case .badName: FailureFacts(.badRequest, "invalid name", "The name is invalid.")
        case .badLifetime:
            FailureFacts(
                .unprocessableContent,
                "the lifetime is too long",
                "The lifetime exceeds the maximum."
            )
        case .badField:
            FailureFacts(.badRequest, "invalid header field", "A header field or the query is invalid.")
        case .tooLarge:
            FailureFacts(
                .contentTooLarge,
                "the value is too large",
                "The value exceeds the limit of the file."
            )
        case .undeclared:
            FailureFacts(
                .forbidden,
                "the namespace is not declared",
                "The file does not declare the namespace, or the caller may not use it."
            )
        case .noSuchEntry: FailureFacts(.notFound, "unknown entry", "The namespace has no such entry.")
        case .conflict:
            FailureFacts(
                .preconditionFailed,
                "the condition does not hold",
                "The entry does not have the expected version."
            )
        case .full: FailureFacts(.insufficientStorage, "the store is full", "A limit is reached.")
        case .unavailable:
            FailureFacts(
                .unavailable,
                "the store is not available",
                "The store is not available now.",
                retryAfter: 5
            )
        case .cancelled: FailureFacts(.unavailable, "the request was cancelled", "The request was cancelled.")
        case .sealed: FailureFacts(.internalError, "the value cannot be unsealed", "The value cannot be unsealed.")
        case .store: FailureFacts(.internalError, "the store failed", "The store failed.")
        }
    }
}

package typealias StateFailure = APIFailure<StateFailureKind>
