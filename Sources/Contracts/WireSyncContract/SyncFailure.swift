import WireBase
package import WireHTTP
import WireService
package import WireStore

/// Why an operation on synchronized data failed.
package enum SyncFailureKind: String, FailureKind {
    /// The request is malformed.
    case invalid = "invalid-request"
    case unknownOperation = "no-such-operation"
    /// The document or its variables do not match the schema.
    case invalidDocument = "invalid-document"
    /// The file accepts declared operations only.
    case notDeclared = "not-declared"
    /// Only the cache was allowed, and it has no result.
    case notStored = "not-stored"
    case offline
    case unreachable
    case signedOut = "signed-out"
    case locked
    case distrusted
    case blocked
    case tokenUnavailable = "token-unavailable"
    /// The file or the rights of the caller do not allow the request.
    case notSent = "not-sent"
    /// The server rejected the request.
    case refused = "sync-refused"
    /// The server failed.
    case serverFailed = "sync-failed"
    /// The response is not a GraphQL response.
    case malformed = "sync-malformed"
    case tooLarge = "sync-too-large"
    /// The queue is full.
    case queueFull = "queue-full"
    /// The file does not queue mutations.
    case notQueued = "mutations-not-queued"
    case unknownMutation = "no-such-mutation"
    /// The id belongs to another mutation.
    case otherMutation = "other-mutation"
    case noConflict = "no-conflict"
    case storeUnavailable = "store-unavailable"
    case ending
    case cancelled

    package var facts: FailureFacts {
        switch self {
        case .invalid: FailureFacts(.badRequest, "the request is not valid", "The request is not valid.")
        case .unknownOperation:
            FailureFacts(.notFound, "unknown operation", "No file of 'sync.operations' declares the operation.")
        case .invalidDocument:
            FailureFacts(
                .badRequest,
                "the document is not valid",
                "The document or its variables do not match the schema."
            )
        case .notDeclared:
            FailureFacts(.forbidden, "the document is not declared", "'sync.only' accepts declared operations only.")
        case .notStored: FailureFacts(.gatewayTimeout, "no cached result", "The cache has no result.")
        case .offline: FailureFacts(.unavailable, "there is no network", "There is no network.", retryAfter: 5)
        case .unreachable:
            FailureFacts(
                .gatewayTimeout,
                "the server cannot be reached",
                "The server cannot be reached.",
                retryAfter: 5
            )
        case .signedOut:
            FailureFacts(.unauthorized, "no user is signed in", "No user is signed in.")
        case .locked: FailureFacts(.locked, "the session is locked", "The session is locked.")
        case .distrusted:
            FailureFacts(.forbidden, "this machine is not trusted", "A security rule does not trust this machine.")
        case .blocked: FailureFacts(.forbidden, "the account is blocked", "The account is blocked.")
        case .tokenUnavailable:
            FailureFacts(.unavailable, "no token available", "No token is available now.", retryAfter: 5)
        case .notSent: FailureFacts(.badGateway, "the request is not allowed", "The request is not allowed.")
        case .refused: FailureFacts(.badGateway, "the server rejected the request", "The server rejected the request.")
        case .serverFailed:
            FailureFacts(.badGateway, "the server failed", "The server failed.", retryAfter: 5)
        case .malformed:
            FailureFacts(
                .badGateway,
                "invalid GraphQL response",
                "The response of the server is not a GraphQL response."
            )
        case .tooLarge: FailureFacts(.badGateway, "the response is too large", "The server's response is too large.")
        case .queueFull:
            FailureFacts(
                .insufficientStorage,
                "the queue is full",
                "The queue has reached the limit set in the services file."
            )
        case .notQueued:
            FailureFacts(.notFound, "mutations are not queued", "'sync.queueMutations' is not true.")
        case .unknownMutation:
            FailureFacts(.notFound, "unknown mutation", "No queued mutation of the user has the id.")
        case .otherMutation:
            FailureFacts(.conflict, "the id is in use", "The id belongs to another mutation.")
        case .noConflict:
            FailureFacts(.conflict, "no conflict", "The mutation does not wait for a decision.")
        case .storeUnavailable:
            FailureFacts(.unavailable, "the store is not available", "The store is not available now.", retryAfter: 5)
        case .ending: FailureFacts(.unavailable, "the service is stopping", "The service is stopping.", retryAfter: 1)
        case .cancelled: FailureFacts(.unavailable, "the request was cancelled", "The request was cancelled.")
        }
    }
}

package typealias SyncFailure = APIFailure<SyncFailureKind>

extension SyncFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) {
        self = .storeUnavailable
    }
}
