import WireBase
package import WireHTTP
import WireService
package import WireStore

/// Why an operation on content fails.
package enum ContentFailureKind: String, FailureKind {
    /// What was asked for cannot be.
    case invalid = "invalid-content"
    /// A header field or the query of the address cannot be read.
    case invalidField = "malformed-field"
    case invalidQuery = "invalid-query"
    /// No module of that name is kept, or at the server.
    case noSuchModule = "no-such-module"
    case noSuchInstance = "no-such-instance"
    /// Only what is stored was wanted, and nothing is.
    case notStored = "not-stored"
    /// What is stored cannot answer this.
    case notAnswerable = "not-answerable-offline"
    /// There is no network, or the policy keeps everything here.
    case offline
    /// The server did not answer in time, or not at all.
    case unreachable
    case signedOut = "signed-out"
    case locked, distrusted, blocked
    case tokenUnavailable = "token-unavailable"
    /// The file has no such token.
    case undeclaredToken = "undeclared-mode"
    /// The file, or the environment, does not let the request leave.
    case forbidden = "not-sent"
    /// The server answers 404.
    case noSuchContent = "no-such-content"
    /// The server refuses it for good.
    case refused = "content-refused"
    /// The server answers 410: what it has changed since then it no longer knows.
    case gone = "content-gone"
    /// The server answers 401, 403 or 425: another token or another time may do.
    case denied = "content-denied"
    /// The server answers 408 or 429.
    case refusedForNow = "content-refused-now"
    /// Another writer has changed it.
    case conflict = "content-conflict"
    case serverFailed = "content-failed"
    /// The answer of the server is not what such answers are.
    case malformed = "content-malformed"
    case tooLarge = "content-too-large"
    /// The store does not take it.
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
        case .invalid: Self.facts(.badRequest, "this cannot be asked for")
        case .invalidField: Self.facts(.badRequest, "a field is not as expected")
        case .invalidQuery: Self.facts(.badRequest, "the query is not as expected")
        case .noSuchModule: Self.facts(.notFound, "there is no such module")
        case .noSuchInstance: Self.facts(.notFound, "there is no such instance")
        case .notStored:
            Self.facts(.gatewayTimeout, "nothing is stored for this", "Only what is stored was wanted, and nothing is.")
        case .notAnswerable: Self.facts(.unprocessableContent, "what is stored cannot answer this")
        case .offline: Self.facts(.unavailable, "there is no network", retryAfter: 5)
        case .unreachable: Self.facts(.gatewayTimeout, "the server cannot be reached")
        case .signedOut: Self.facts(.unauthorized, "no user is signed in")
        case .locked: Self.facts(.locked, "the session is locked")
        case .distrusted: Self.facts(.forbidden, "this machine is not trusted now")
        case .blocked: Self.facts(.forbidden, "the account is blocked")
        case .tokenUnavailable, .undeclaredToken: Self.facts(.unavailable, "there is no token now", retryAfter: 5)
        case .forbidden:
            Self.facts(
                .badGateway,
                "the request may not be sent",
                "The file, or the environment, does not let the request leave."
            )
        case .noSuchContent: Self.facts(.notFound, "the server does not have it")
        case .refused, .gone, .denied, .refusedForNow: Self.facts(.badGateway, "the server refuses it")
        case .conflict: Self.facts(.conflict, "it has changed meanwhile", "Another writer has changed it.")
        case .serverFailed: Self.facts(.badGateway, "the server failed")
        case .malformed: Self.facts(.badGateway, "the answer of the server is not understood")
        case .tooLarge:
            Self.facts(
                .badGateway,
                "the answer of the server is too large",
                "The answer of the server is larger than the file allows."
            )
        case .store: Self.facts(.insufficientStorage, "the store does not take it")
        case .ending: Self.facts(.unavailable, "the service ends", retryAfter: 5)
        case .cancelled: Self.facts(.unavailable, "the work was ended before it was done", retryAfter: 5)
        }
    }

    /// Without a help of its own the title is a sentence.
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
