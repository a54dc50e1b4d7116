import WireAuthContract
import WireService

extension SignInFailure {
    /// Whether asking again, with nothing changed, may go well.
    package var helpsToRetry: Bool { kind.helpsToRetry }

    /// Whether the server has said clearly that what it granted before is over.
    ///
    /// Never so for what the way to the server did, or for a server that failed. An answer that cannot be believed ends it
    /// only where it gives to one what is another's.
    package var endsSession: Bool { kind.endsSession || isAboutAnotherUser }
}

extension SignInFailure.Kind {
    package var endsSession: Bool {
        switch self {
        case .invalidGrant, .sessionExpired, .blocked: true
        // The server gives no more without the user, who has to sign in again.
        case .loginRequired, .interactionRequired, .consentRequired, .accountSelectionRequired: true
        default: false
        }
    }

    /// The setting failures of the kind most often come from.
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

    /// What the file can change the text of.
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
    /// What a person is told: the text of the file, or the one built in.
    package func text(for failure: SignInFailure) -> String {
        texts[failure.kind.guidance] ?? failure.clockText ?? failure.kind.text
    }

    package func text(for kind: SignInFailure.Kind) -> String { texts[kind.guidance] ?? kind.text }
}
