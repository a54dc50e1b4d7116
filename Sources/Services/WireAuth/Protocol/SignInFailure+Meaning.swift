import WireAuthContract
import WireService

extension SignInFailure {
    /// Whether an unchanged retry may succeed.
    package var helpsToRetry: Bool { kind.helpsToRetry }

    /// Whether the server has clearly ended the session.
    ///
    /// Connection failures and failing servers do not end a session. An invalid answer ends it only where the answer
    /// names another user.
    package var endsSession: Bool { kind.endsSession || isAboutAnotherUser }
}

extension SignInFailure.Kind {
    package var endsSession: Bool {
        switch self {
        case .invalidGrant, .sessionExpired, .blocked: true
        // The server requires a new sign-in of the user.
        case .loginRequired, .interactionRequired, .consentRequired, .accountSelectionRequired: true
        default: false
        }
    }

    /// The most frequent setting at fault for this kind.
    package var usualSetting: SignInFailure.Setting? {
        switch self {
        case .invalidScope, .insufficientScope: .scopes
        case .invalidTarget: .audience
        case .invalidClient: .clientSecret
        case .unauthorizedClient: .clientID
        case .invalidRedirectURI, .noListener: .redirectURI
        case .unsupportedResponseType, .unsupportedGrantType, .wrongIssuer, .offline, .untrusted: .url
        case .invalidRequest, .requestNotSupported: .parameters
        default: nil
        }
    }

    /// The kind under which the file can change the text.
    package var guidance: Guidance.Failure {
        switch self {
        case .blocked: .blocked
        case .invalidCredentials: .invalidCredentials
        case .secondFactor: .secondFactor
        case .tooManyAttempts: .tooManyAttempts
        case .unverified: .unverified
        case .passwordLeaked: .passwordLeaked
        case .accessDenied: .accessDenied
        case .sessionExpired, .invalidGrant, .invalidToken, .loginRequired: .sessionExpired
        case .interactionRequired, .accountSelectionRequired, .consentRequired: .interaction
        case .deviceCodeExpired: .codeExpired
        case .offline: .offline
        case .untrusted, .wrongIssuer, .wrongState, .wrongToken: .untrusted
        case .wrongClock: .clock
        case .serverError, .temporarilyUnavailable, .wrongAnswer, .noKey: .server
        case .cancelled, .abandoned: .cancelled
        case .invalidRequest, .unauthorizedClient, .unsupportedResponseType, .invalidScope, .requestNotSupported,
            .invalidRedirectURI, .invalidClient, .unsupportedGrantType, .invalidTarget, .unsupportedTokenType,
            .insufficientScope, .unsupported, .noListener:
            .configuration
        }
    }
}

extension Guidance {
    /// The text for the user: the file's, or the built-in one.
    package func text(for failure: SignInFailure) -> String {
        texts[failure.kind.guidance] ?? failure.clockText ?? failure.kind.text
    }

    package func text(for kind: SignInFailure.Kind) -> String { texts[kind.guidance] ?? kind.text }
}
