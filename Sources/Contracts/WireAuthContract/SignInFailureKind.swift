import WireBase
import WireHTTP

/// The classes of errors of a sign-in or a renewal: those of the specifications by their own names, and ours.
package enum SignInFailureKind: String, Sendable, CaseIterable {
    // The authorization endpoint (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6).
    case accessDenied, invalidRequest, unauthorizedClient, unsupportedResponseType, invalidScope, serverError
    case temporarilyUnavailable, interactionRequired, loginRequired, accountSelectionRequired, consentRequired
    // Requests passed as objects, which are never sent here (OpenID Connect Core, section 3.1.2.6), and registration.
    case requestNotSupported, invalidRedirectURI
    // The token endpoint (RFC 6749, section 5.2; RFC 8707).
    case invalidClient, invalidGrant, unsupportedGrantType, invalidTarget
    // The revocation endpoint (RFC 7009, section 2.2.1), and those tokens are shown to (RFC 6750, section 3.1).
    case unsupportedTokenType, invalidToken, insufficientScope
    // The device grant (RFC 8628, section 3.5).
    case deviceCodeExpired
    // What providers say in their own words.
    case blocked, invalidCredentials, secondFactor, tooManyAttempts, unverified, passwordLeaked
    case sessionExpired
    // What the server said cannot be believed.
    case wrongIssuer, wrongState, wrongToken, wrongAnswer, noKey
    // All that is wrong is a moment.
    case wrongClock
    // The way to the server, and back from it.
    case offline, untrusted, noListener
    // The user or the app.
    case cancelled, abandoned, unsupported

    /// Whether asking again, with nothing changed, may go well.
    package var helpsToRetry: Bool {
        switch self {
        case .serverError, .temporarilyUnavailable, .wrongAnswer, .noKey, .offline, .abandoned: true
        case .tooManyAttempts, .noListener: true
        default: false
        }
    }

    /// The last part of the problem's `type`: `invalidGrant` becomes `invalid-grant`.
    var type: String {
        rawValue.reduce(into: "") { text, character in
            if character.isUppercase { text += "-" }
            text += character.lowercased()
        }
    }

    var facts: FailureFacts {
        let isNotNow = status == .unavailable
        return FailureFacts(
            status,
            "signing in did not come about",
            Self.told.contains(self) ? "Signing in did not come about." : "",
            retryAfter: isNotNow ? 5 : nil,
            retryHelp: isNotNow && Self.told.contains(self) ? "When to try again." : nil,
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

    /// The first of each status, which the description of the API has a sentence for.
    private static let told: Set<Self> = {
        var statuses: Set<Status> = []
        return Set(allCases.filter { statuses.insert($0.status).inserted })
    }()
}
