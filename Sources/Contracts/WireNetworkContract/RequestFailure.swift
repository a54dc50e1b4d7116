package import WireHTTP
import WireService

/// The kind of a ``CallFailure`` in the local API.
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
    /// The request can never be sent.
    case invalid = "invalid-request"
    case blocked, distrusted
    case tokenUnavailable = "token-unavailable"
    /// The circuit breaker of the host is open.
    case resting = "host-resting"
    /// Too many requests in progress.
    case busy
    case exhausted
    /// The network service has stopped.
    case ended
    case cancelled

    package var facts: FailureFacts {
        switch self {
        case .signedOut: FailureFacts(.unauthorized, "no user is signed in", "No user is signed in.")
        case .forbidden: FailureFacts(.forbidden, "the file does not allow this request", Self.notAllowed)
        case .noAddress: FailureFacts(.conflict, "no address for the request", "The environment has no base URL.")
        case .undeclaredMode:
            FailureFacts(.conflict, "the file declares no such mode", "The file declares no such mode.")
        case .locked: FailureFacts(.locked, "the session is locked", "The session is locked.")
        case .unreachable, .unresolved, .tls, .pin, .interrupted, .protocolError, .tooManyRedirects:
            FailureFacts(.badGateway, "no response from the server", Self.unanswered)
        case .offline: FailureFacts(.unavailable, "there is no network", Self.notNow)
        case .timeout: FailureFacts(.gatewayTimeout, "the request timed out", "The server did not respond in time.")
        case .notStored: FailureFacts(.gatewayTimeout, "only stored responses are allowed", Self.nothingStored)
        case .invalid: FailureFacts(.badRequest, "the request cannot be sent", "The request can never be sent.")
        case .blocked: FailureFacts(.forbidden, "the account is blocked", "The account is blocked.")
        case .distrusted:
            FailureFacts(.forbidden, "this machine is not trusted", "A security rule blocks user data and tokens.")
        case .tokenUnavailable: FailureFacts(.unavailable, "no token available", "No token is available now.")
        case .resting:
            FailureFacts(.unavailable, "the server is paused after failures", "The server has failed too often.")
        case .busy: FailureFacts(.unavailable, "too many requests in progress", "Too many requests in progress.")
        case .exhausted: FailureFacts(.unavailable, "the request cannot be sent now", "The request cannot be sent now.")
        case .ended: FailureFacts(.unavailable, "the service has stopped", "The service has stopped.")
        case .cancelled: FailureFacts(.unavailable, "the request was cancelled", "The request was cancelled.")
        }
    }

    private static let notAllowed = "The file does not allow the request, or the caller may not use the token."
    private static let unanswered = "The server cannot be reached, or its response is invalid."
    private static let notNow = "No network, token or capacity now; see Retry-After."
    private static let nothingStored =
        "The offline policy or 'only-if-cached' allows stored responses only, and none can be used."
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
