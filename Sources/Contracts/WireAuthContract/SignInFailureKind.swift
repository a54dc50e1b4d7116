import WireBase
import WireHTTP

/// The failure kinds of a sign-in or a token refresh: those of the specifications, and further ones.
package enum SignInFailureKind: String, Sendable, CaseIterable {
    // The authorization endpoint (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6).
    case accessDenied, invalidRequest, unauthorizedClient, unsupportedResponseType, invalidScope, serverError
    case temporarilyUnavailable, interactionRequired, loginRequired, accountSelectionRequired, consentRequired
    // Request objects, which corewire does not send (OpenID Connect Core, section 3.1.2.6), and registration.
    case requestNotSupported, invalidRedirectURI
    // The token endpoint (RFC 6749, section 5.2; RFC 8707).
    case invalidClient, invalidGrant, unsupportedGrantType, invalidTarget
    // The revocation endpoint (RFC 7009, section 2.2.1), and resource servers (RFC 6750, section 3.1).
    case unsupportedTokenType, invalidToken, insufficientScope
    // The device grant (RFC 8628, section 3.5).
    case deviceCodeExpired
    // Errors specific to providers.
    case blocked, invalidCredentials, secondFactor, tooManyAttempts, unverified, passwordLeaked
    case sessionExpired
    // Invalid responses of the server.
    case wrongIssuer, wrongState, wrongToken, wrongAnswer, noKey
    // Wrong time on this machine or the server.
    case wrongClock
    // The connection to the server, and the redirect back.
    case offline, untrusted, noListener
    // The user or the app.
    case cancelled, abandoned, unsupported

    /// Whether a retry of the unchanged request may succeed.
    package var helpsToRetry: Bool {
        switch self {
        case .serverError, .temporarilyUnavailable, .wrongAnswer, .noKey, .offline, .abandoned: true
        case .tooManyAttempts, .noListener: true
        default: false
        }
    }

    /// The last part of the problem's `type`: `invalidGrant` becomes `invalid-grant`.
    var type: String {
        var isInsideWord = false
        return rawValue.reduce(into: "") { text, character in
            if character.isUppercase, isInsideWord { text += "-" }
            isInsideWord = character.isLowercase
            text += character.lowercased()
        }
    }

    var facts: FailureFacts {
        let isNotNow = status == .unavailable
        return FailureFacts(
            status,
            "sign-in failed",
            Self.told.contains(self) ? "The sign-in failed." : "",
            retryAfter: isNotNow ? 5 : nil,
            retryHelp: isNotNow && Self.told.contains(self) ? "When to retry." : nil,
            tellsGuidance: true
        )
    }

    private var status: Status {
        switch self {
        case .blocked, .accessDenied: .forbidden
        case .invalidCredentials, .tooManyAttempts, .secondFactor, .unverified, .passwordLeaked: .unprocessableContent
        case .wrongState, .cancelled: .conflict
        case _ where helpsToRetry: .unavailable
        default: .badGateway
        }
    }

    /// The first kind of each status, which documents the status in the API description.
    private static let told: Set<Self> = {
        var statuses: Set<Status> = []
        return Set(allCases.filter { statuses.insert($0.status).inserted })
    }()
}
