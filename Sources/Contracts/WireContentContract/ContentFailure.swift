import WireBase
package import WireHTTP
import WireService
package import WireStore

/// Why an operation on content failed.
package enum ContentFailureKind: String, FailureKind {
    /// The request is invalid.
    case invalid = "invalid-content"
    /// A header field or the query is invalid.
    case invalidField = "malformed-field"
    case invalidQuery = "invalid-query"
    /// No such module is stored or at the server.
    case noSuchModule = "no-such-module"
    case noSuchInstance = "no-such-instance"
    /// Only stored content was requested, and none is stored.
    case notStored = "not-stored"
    /// The query cannot be answered from stored content.
    case notAnswerable = "not-answerable-offline"
    /// There is no network, or the policy allows no requests.
    case offline
    /// The server did not respond, or not in time.
    case unreachable
    case signedOut = "signed-out"
    case locked, distrusted, blocked
    case tokenUnavailable = "token-unavailable"
    /// The file declares no such token.
    case undeclaredToken = "undeclared-mode"
    /// The file or the environment does not allow the request.
    case forbidden = "not-sent"
    /// The server responded with 404.
    case noSuchContent = "no-such-content"
    /// The server rejected the request for good.
    case refused = "content-refused"
    /// The server responded with 410: it no longer has changes since then.
    case gone = "content-gone"
    /// The server responded with 401, 403 or 425: a retry with another token or later may succeed.
    case denied = "content-denied"
    /// The server responded with 408 or 429.
    case refusedForNow = "content-refused-now"
    /// Another writer has changed the instance.
    case conflict = "content-conflict"
    case serverFailed = "content-failed"
    /// The response of the server is invalid.
    case malformed = "content-malformed"
    case tooLarge = "content-too-large"
    /// The store does not accept the content.
    case store = "store-failed"
    case ending = "closing"
    case cancelled

    package var type: String {
        switch self {
        case .gone, .denied, .refusedForNow: Self.refused.rawValue
        case .undeclaredToken: Self.tokenUnavailable.rawValue
        default: rawValue
        }
    }

    package var facts: FailureFacts {
        switch self {
        case .invalid: Self.facts(.badRequest, "invalid request")
        case .invalidField: Self.facts(.badRequest, "invalid header field")
        case .invalidQuery: Self.facts(.badRequest, "invalid query")
        case .noSuchModule: Self.facts(.notFound, "unknown module")
        case .noSuchInstance: Self.facts(.notFound, "unknown instance")
        case .notStored:
            Self.facts(.gatewayTimeout, "no content is stored", "No stored content matches the request.")
        case .notAnswerable: Self.facts(.unprocessableContent, "the query cannot be answered offline")
        case .offline: Self.facts(.unavailable, "there is no network", retryAfter: 5)
        case .unreachable: Self.facts(.gatewayTimeout, "the server cannot be reached")
        case .signedOut: Self.facts(.unauthorized, "no user is signed in")
        case .locked: Self.facts(.locked, "the session is locked")
        case .distrusted: Self.facts(.forbidden, "this machine is not trusted")
        case .blocked: Self.facts(.forbidden, "the account is blocked")
        case .tokenUnavailable, .undeclaredToken: Self.facts(.unavailable, "no token available", retryAfter: 5)
        case .forbidden:
            Self.facts(
                .badGateway,
                "the request is not allowed",
                "The file or the environment does not allow the request."
            )
        case .noSuchContent: Self.facts(.notFound, "not found at the server")
        case .refused, .gone, .denied, .refusedForNow: Self.facts(.badGateway, "the server rejected the request")
        case .conflict: Self.facts(.conflict, "the instance has changed", "Another writer has changed the instance.")
        case .serverFailed: Self.facts(.badGateway, "the server failed")
        case .malformed: Self.facts(.badGateway, "invalid response from the server")
        case .tooLarge:
            Self.facts(
                .badGateway,
                "the response is too large",
                "The response of the server exceeds the limit of the file."
            )
        case .store: Self.facts(.insufficientStorage, "the content cannot be stored")
        case .ending: Self.facts(.unavailable, "the service is stopping", retryAfter: 5)
        case .cancelled: Self.facts(.unavailable, "the request was cancelled", retryAfter: 5)
        }
    }

    /// Builds the facts; the title also serves as help where none is given.
    private static func facts(
        _ status: Status,
        _ title: String,
        _ help: String? = nil,
        retryAfter: Int? = nil
    ) -> FailureFacts {
        let sentence = title.prefix(1).uppercased() + title.dropFirst() + "."
        return FailureFacts(status, title, help ?? sentence, retryAfter: retryAfter)
    }
}

package typealias ContentFailure = APIFailure<ContentFailureKind>

extension ContentFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) {
        self = failure.kind == .cancelled ? .cancelled : failure.kind == .closed ? .ending : .store
    }
}
