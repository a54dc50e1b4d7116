package import WireHTTP
import WireService

/// Why a request has no answer of a server, as the local API says it of a ``CallFailure``.
package enum RequestFailureKind: String, FailureKind {
    case signedOut = "signed-out"
    case forbidden
    case noAddress = "no-address"
    case undeclaredMode = "undeclared-mode"
    case locked
    case unreachable, unresolved, tls, pin, interrupted
    case protocolError = "protocol-error"
    case tooManyRedirects = "too-many-redirects"
    case offline
    case timeout
    case notStored = "not-stored"
    /// It could never be sent.
    case invalid = "invalid-request"
    case blocked, distrusted
    case tokenUnavailable = "token-unavailable"
    /// The host has failed so often that it is left alone for a while.
    case resting = "host-resting"
    /// Too many requests are under way.
    case busy
    case exhausted
    /// The service that sends has ended.
    case ended
    case cancelled

    package var facts: FailureFacts {
        switch self {
        case .signedOut: FailureFacts(.unauthorized, "no user is signed in", "No user is signed in.")
        case .forbidden: FailureFacts(.forbidden, "the file does not allow this request", Self.notAllowed)
        case .noAddress: FailureFacts(.conflict, "the request leads nowhere", "The environment has no base URL.")
        case .undeclaredMode:
            FailureFacts(.conflict, "the file declares no such mode", "The file declares no such token.")
        case .locked: FailureFacts(.locked, "the session is locked", "The session is locked.")
        case .unreachable, .unresolved, .tls, .pin, .interrupted, .protocolError, .tooManyRedirects:
            FailureFacts(.badGateway, "there is no answer of the server", Self.unanswered)
        case .offline: FailureFacts(.unavailable, "there is no network", Self.notNow)
        case .timeout: FailureFacts(.gatewayTimeout, "no answer came in time", "The server did not answer in time.")
        case .notStored: FailureFacts(.gatewayTimeout, "nothing is stored for this request", Self.nothingStored)
        case .invalid: FailureFacts(.badRequest, "the request cannot be sent", "It can never be sent.")
        case .blocked: FailureFacts(.forbidden, "the account is blocked", "The account is blocked.")
        case .distrusted: FailureFacts(.forbidden, "this machine is not trusted now", "It is not trusted now.")
        case .tokenUnavailable: FailureFacts(.unavailable, "there is no token now", "There is no token now.")
        case .resting: FailureFacts(.unavailable, "the server is left alone for a while", "It has failed too often.")
        case .busy: FailureFacts(.unavailable, "too many requests are under way", "Too many requests are under way.")
        case .exhausted: FailureFacts(.unavailable, "the request cannot be sent now", "It cannot be sent now.")
        case .ended: FailureFacts(.unavailable, "the service has ended", "The service has ended.")
        case .cancelled: FailureFacts(.unavailable, "the request was ended before it was answered", "It was cancelled.")
        }
    }

    private static let notAllowed = "The file does not allow it, or the caller may not have the token."
    private static let unanswered = "The server cannot be reached, or its answer is none."
    private static let notNow = "There is no network, no token or no turn now; Retry-After tells when to come."
    private static let nothingStored = "The offline policy asks for what is stored, and nothing is."
}

extension CallFailure.Kind {
    package var requestFailure: RequestFailureKind {
        switch self {
        case .offline: .offline
        case .notStored: .notStored
        case .noToken(.signedOut): .signedOut
        case .noToken(.locked): .locked
        case .noToken(.blocked): .blocked
        case .noToken(.distrusted): .distrusted
        case .noToken(.unavailable): .tokenUnavailable
        case .noToken(.undeclared): .undeclaredMode
        case .resting: .resting
        case .busy: .busy
        case .noAddress: .noAddress
        case .forbidden: .forbidden
        case .timeout: .timeout
        case .transfer(let kind): kind.requestFailure
        case .ended: .ended
        case .cancelled: .cancelled
        }
    }
}

extension TransferFailure.Kind {
    package var requestFailure: RequestFailureKind {
        switch self {
        case .invalidURL, .invalidRequest: .invalid
        case .forbidden: .forbidden
        case .unresolved: .unresolved
        case .unreachable: .unreachable
        case .timeout: .timeout
        case .tls: .tls
        case .pin: .pin
        case .protocolError: .protocolError
        case .tooManyRedirects: .tooManyRedirects
        case .interrupted: .interrupted
        case .cancelled: .cancelled
        case .exhausted: .exhausted
        }
    }
}
