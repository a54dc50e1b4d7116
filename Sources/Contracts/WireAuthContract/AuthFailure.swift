import WireBase
package import WireHTTP

/// Why an operation on a session or token failed.
package enum AuthFailureKind: FailureKind {
    case session(SessionFailureKind)
    /// A sign-in or a token refresh failed.
    case signIn(SignInFailureKind)

    package init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    package var rawValue: String {
        switch self {
        case .session(let kind): kind.rawValue
        case .signIn(let kind): kind.type
        }
    }

    package static let allCases =
        SessionFailureKind.allCases.map(Self.session) + SignInFailureKind.allCases.map(Self.signIn)

    package var facts: FailureFacts {
        switch self {
        case .session(let kind): kind.facts
        case .signIn(let kind): kind.facts
        }
    }
}

extension AuthFailureKind {
    /// Failures of the identity server share one code, and have a name of their own in `signInFailure`.
    package var code: String {
        switch self {
        case .signIn(.blocked): "blocked"
        case .signIn(.wrongState): "no-sign-in"
        case .signIn: "sign-in-failed"
        case .session(.refusedTooSoon): "too-soon"
        case .session(.undeclaredMode), .session(.undeclaredFlow): "undeclared"
        case .session(.noHash): "failed"
        case .session(.invalidBody): "invalid-request"
        case .session(.tokenUnavailable) where Task.isCancelled: "cancelled"
        case .session(let kind): kind.rawValue
        }
    }

    package var helpsToRetry: Bool {
        switch self {
        case .session: facts.retryAfter != nil
        case .signIn(let kind): kind.helpsToRetry
        }
    }

    package var signInFailure: String? { if case .signIn(let kind) = self { kind.rawValue } else { nil } }
}

package typealias AuthFailure = APIFailure<AuthFailureKind>

/// The failure kinds that the identity server does not cause.
package enum SessionFailureKind: String, Sendable, CaseIterable {
    case signedOut = "signed-out"
    case locked, blocked, distrusted
    case tokenUnavailable = "token-unavailable"
    case undeclaredMode = "undeclared-mode"
    /// The token was rejected, and so was the previous one a moment ago.
    case refusedTooSoon = "refused-too-soon"
    /// The token was rejected, and cannot be refreshed.
    case notRenewable = "not-renewable"
    /// The file declares no user sign-in.
    case noUser = "no-user"
    case signedIn = "signed-in"
    /// No sign-in is pending.
    case noSignIn = "no-sign-in"
    case undeclaredFlow = "undeclared-flow"
    case noLock = "no-lock"
    case notLockable = "not-lockable"
    case notLocked = "not-locked"
    /// The file declares another unlock method.
    case otherMethod = "other-method"
    case badPIN = "bad-pin"
    case wrongPIN = "wrong-pin"
    case wrongPassword = "wrong-password"
    case tooSoon = "too-soon"
    /// The session has ended after too many wrong attempts.
    case wiped
    case unlockUnavailable = "unlock-unavailable"
    case storeUnavailable = "store-unavailable"
    /// The PIN cannot be hashed.
    case noHash = "no-hash"
    /// The services file does not allow the values in the body.
    case invalidBody = "invalid-body"
    /// The caller has no permission.
    case forbidden

    var facts: FailureFacts {
        switch self {
        case .signedOut: facts(.unauthorized, "no user is signed in", isGuided: true)
        case .locked: facts(.locked, "the session is locked", isGuided: true)
        case .blocked: facts(.forbidden, "the account is blocked", Self.notGiven, isGuided: true)
        case .distrusted: facts(.forbidden, "this machine is not trusted", isGuided: true)
        case .tokenUnavailable:
            facts(.unavailable, "no token available", Self.notNow, retryAfter: 1, "When to retry.", isGuided: true)
        case .undeclaredMode: facts(.notFound, "undeclared mode", isGuided: true)
        case .refusedTooSoon:
            facts(
                .tooManyRequests,
                "the token was refreshed a moment ago",
                retryAfter: 1,
                "When the token may be refreshed again."
            )
        case .notRenewable: facts(.conflict, "the token cannot be refreshed", Self.endless)
        case .noUser: facts(.conflict, "users cannot sign in", "The file declares no user sign-in.")
        case .signedIn: facts(.conflict, "a user is signed in already")
        case .noSignIn: facts(.notFound, "no sign-in is pending")
        case .undeclaredFlow: facts(.conflict, "the file does not allow this sign-in flow")
        case .noLock: facts(.conflict, "the file declares no lock")
        case .notLockable: facts(.conflict, "no PIN is set", "No PIN is set.")
        case .notLocked: facts(.conflict, "the session is not locked")
        case .otherMethod: facts(.conflict, "another unlock method is declared")
        case .badPIN: facts(.unprocessableContent, "invalid PIN")
        case .wrongPIN: facts(.forbidden, "the PIN is wrong", retryAfter: nil, "When to retry.")
        case .wrongPassword: facts(.forbidden, "the password is wrong")
        case .tooSoon: facts(.tooManyRequests, "the next attempt must wait", retryAfter: 1, "When to retry.")
        case .wiped:
            facts(.unauthorized, "the session has ended", "Too many wrong attempts have ended the session.")
        case .unlockUnavailable:
            facts(.unavailable, "the password cannot be checked now", retryAfter: 1, "When to retry.")
        case .storeUnavailable: facts(.unavailable, "the session cannot be stored now", retryAfter: 5)
        case .noHash: facts(.internalError, "the PIN cannot be checked")
        case .invalidBody: facts(.badRequest, "invalid body")
        case .forbidden: facts(.forbidden, "not allowed")
        }
    }

    private static let notGiven = "The account is blocked, or the caller may not use the session."
    private static let notNow = "No token is available now; retry later."
    private static let endless = "There is no refresh token; the user must sign in again."

    /// Builds the facts; the title also describes the failure unless help is given, and commands leave retries to their
    /// caller.
    private func facts(
        _ status: Status,
        _ title: String,
        _ help: String? = nil,
        retryAfter seconds: Int? = nil,
        _ retryHelp: String? = nil,
        isGuided: Bool = false
    ) -> FailureFacts {
        FailureFacts(
            status,
            title,
            help ?? "\(title.prefix(1).uppercased())\(title.dropFirst()).",
            retryAfter: seconds,
            retryHelp: retryHelp,
            tellsGuidance: isGuided
        )
    }
}
