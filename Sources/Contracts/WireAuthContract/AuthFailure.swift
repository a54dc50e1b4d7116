import WireBase
package import WireHTTP

/// Why something about who is signed in was not done.
package enum AuthFailureKind: FailureKind {
    case session(SessionFailureKind)
    /// A sign-in, or a renewal of tokens, failed.
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
    /// Failures of the identity server share a code, and have a name of their own in `signInFailure`.
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

/// The kinds of failures that are not the identity server's.
package enum SessionFailureKind: String, Sendable, CaseIterable {
    case signedOut = "signed-out"
    case locked, blocked, distrusted
    case tokenUnavailable = "token-unavailable"
    case undeclaredMode = "undeclared-mode"
    /// The token was refused, and so was the one before it a moment ago.
    case refusedTooSoon = "refused-too-soon"
    /// The token was refused, and there is nothing to get another one with.
    case notRenewable = "not-renewable"
    /// The file lets no user sign in.
    case noUser = "no-user"
    case signedIn = "signed-in"
    /// No sign-in waits.
    case noSignIn = "no-sign-in"
    case undeclaredFlow = "undeclared-flow"
    case noLock = "no-lock"
    case notLockable = "not-lockable"
    case notLocked = "not-locked"
    /// The file says that it is unlocked in another way.
    case otherMethod = "other-method"
    case badPIN = "bad-pin"
    case wrongPIN = "wrong-pin"
    case wrongPassword = "wrong-password"
    case tooSoon = "too-soon"
    /// There were too many wrong attempts, and the session has ended.
    case wiped
    case unlockUnavailable = "unlock-unavailable"
    case storeUnavailable = "store-unavailable"
    /// The PIN cannot be hashed.
    case noHash = "no-hash"
    /// A body that the services file does not allow.
    case invalidBody = "invalid-body"
    /// The caller may not; as any operation can refuse.
    case forbidden

    var facts: FailureFacts {
        switch self {
        case .signedOut: facts(.unauthorized, "no user is signed in", isGuided: true)
        case .locked: facts(.locked, "the session is locked", isGuided: true)
        case .blocked: facts(.forbidden, "the account is blocked", Self.notGiven, isGuided: true)
        case .distrusted: facts(.forbidden, "this machine is not trusted now", isGuided: true)
        case .tokenUnavailable:
            facts(.unavailable, "there is no token now", Self.notNow, retryAfter: 1, "When.", isGuided: true)
        case .undeclaredMode: facts(.notFound, "the file declares no such mode", isGuided: true)
        case .refusedTooSoon:
            facts(
                .tooManyRequests,
                "the token was renewed a moment ago",
                retryAfter: 1,
                "When it may be renewed again."
            )
        case .notRenewable: facts(.conflict, "the token cannot be renewed", Self.endless)
        case .noUser: facts(.conflict, "no user signs in here", "The file lets no user sign in.")
        case .signedIn: facts(.conflict, "a user is signed in already")
        case .noSignIn: facts(.notFound, "no sign-in waits")
        case .undeclaredFlow: facts(.conflict, "the file does not allow this way of signing in")
        case .noLock: facts(.conflict, "there is no lock", "The file declares no lock.")
        case .notLockable: facts(.conflict, "it is not locked by a PIN", "There is no PIN.")
        case .notLocked: facts(.conflict, "the session is not locked")
        case .otherMethod: facts(.conflict, "it is unlocked in another way")
        case .badPIN: facts(.unprocessableContent, "this cannot be a PIN")
        case .wrongPIN: facts(.forbidden, "the PIN is wrong", retryAfter: nil, "When to try again.")
        case .wrongPassword: facts(.forbidden, "the password is wrong")
        case .tooSoon: facts(.tooManyRequests, "the next attempt must wait", retryAfter: 1, "How long.")
        case .wiped:
            facts(.unauthorized, "the session has ended", "There were too many attempts: the session has ended.")
        case .unlockUnavailable:
            facts(.unavailable, "the password cannot be checked now", retryAfter: 1, "When to try again.")
        case .storeUnavailable: facts(.unavailable, "the session cannot be kept now", retryAfter: 5)
        case .noHash: facts(.internalError, "the PIN cannot be checked")
        case .invalidBody: facts(.badRequest, "the body is not as expected")
        case .forbidden: facts(.forbidden, "not allowed")
        }
    }

    private static let notGiven = "The account is blocked, or the caller has nothing to do with who is signed in."
    private static let notNow = "There is no token now; trying again helps."
    private static let endless = "There is no refresh token; the user signs in again."

    /// The title says when it happens unless another sentence does; a command leaves trying again to its caller.
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
