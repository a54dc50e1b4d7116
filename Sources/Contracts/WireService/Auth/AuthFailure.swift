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
        case .signedOut: guided(.unauthorized, "nobody is signed in", "Nobody is signed in.")
        case .locked: guided(.locked, "the session is locked", "The session is locked.")
        case .blocked:
            guided(
                .forbidden,
                "the account is blocked",
                "The account is blocked, or the caller has nothing to do with who is signed in."
            )
        case .distrusted: guided(.forbidden, "this machine is not trusted now", "A security rule withholds it.")
        case .tokenUnavailable:
            FailureFacts(
                .unavailable,
                "there is no token now",
                "There is no token now; trying again helps.",
                retryAfter: 1,
                retryHelp: "When.",
                exit: .problemsFound,
                tellsGuidance: true
            )
        case .undeclaredMode: guided(.notFound, "the file declares no such mode", "The file declares no such mode.")
        case .refusedTooSoon:
            later(
                .tooManyRequests,
                "the token was renewed a moment ago",
                "It was renewed for the same reason a moment ago.",
                "When it may be renewed again."
            )
        case .notRenewable:
            FailureFacts(
                .conflict,
                "the token cannot be renewed",
                "There is no refresh token; the user signs in again."
            )
        case .noUser: FailureFacts(.conflict, "no user signs in here", "The file lets no user sign in.")
        case .signedIn: FailureFacts(.conflict, "a user is signed in already", "Somebody is signed in already.")
        case .noSignIn: FailureFacts(.notFound, "no sign-in waits", "None waits.")
        case .undeclaredFlow:
            FailureFacts(.conflict, "the file does not allow this way of signing in", "The file allows no such flow.")
        case .noLock: FailureFacts(.conflict, "there is no lock", "The file declares no lock.")
        case .notLockable: FailureFacts(.conflict, "it is not locked by a PIN", "There is no PIN.")
        case .notLocked: FailureFacts(.conflict, "the session is not locked", "It is not locked.")
        case .otherMethod: FailureFacts(.conflict, "it is unlocked in another way", "It is unlocked in another way.")
        case .badPIN: FailureFacts(.unprocessableContent, "this cannot be a PIN", "This cannot be a PIN.")
        case .wrongPIN:
            FailureFacts(.forbidden, "the PIN is wrong", "The PIN is wrong.", retryHelp: "When to try again.")
        case .wrongPassword: FailureFacts(.forbidden, "the password is wrong", "The password is wrong.")
        case .tooSoon:
            later(.tooManyRequests, "the next attempt must wait", "The next attempt must wait.", "How long.")
        case .wiped:
            FailureFacts(
                .unauthorized,
                "the session has ended",
                "It was tried too often, and the session has ended."
            )
        case .unlockUnavailable:
            later(
                .unavailable,
                "the password cannot be checked now",
                "The password cannot be checked now.",
                "When to try again."
            )
        case .storeUnavailable:
            later(.unavailable, "the session cannot be kept now", "It cannot be kept now.", nil, after: 5)
        case .noHash: FailureFacts(.internalError, "the PIN cannot be checked", "The PIN cannot be checked.")
        case .invalidBody: FailureFacts(.badRequest, "the body is not as expected", "The body is not as expected.")
        case .forbidden: FailureFacts(.forbidden, "not allowed", "The caller may not.")
        }
    }

    private func guided(_ status: Status, _ title: String, _ help: String) -> FailureFacts {
        FailureFacts(status, title, help, tellsGuidance: true)
    }

    /// What helps to try again, which the command leaves to its caller.
    private func later(
        _ status: Status,
        _ title: String,
        _ help: String,
        _ retryHelp: String?,
        after seconds: Int = 1
    ) -> FailureFacts {
        FailureFacts(status, title, help, retryAfter: seconds, retryHelp: retryHelp, exit: .problemsFound)
    }
}
