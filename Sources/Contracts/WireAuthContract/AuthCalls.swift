package import WireHTTP
package import WireService

/// The operations on sessions and tokens.
package enum AuthCalls {
    package static let status = APICall<NoInput, AuthReport, AuthFailureKind>(
        .get,
        "/v1/auth",
        "Return the state of the session, without tokens.",
        access: .read,
        answers: [.init(.ok, "The state of the session.")],
        fails: []
    )

    // MARK: Tokens

    package static let token = APICall<TokenRequest, TokenResponse, AuthFailureKind>(
        .get,
        "/v1/auth/token",
        "Return a token valid for the requested time; refreshes it first where needed.",
        access: .read,
        answers: [.init(.ok, "The token; do not store it.")],
        fails: of(tokenRefusals)
    )

    package static let refused = APICall<RefusedToken, TokenResponse, AuthFailureKind>(
        .post,
        "/v1/auth/token/refused",
        "Return a new token after a server has rejected one; refreshes it unless that has already happened.",
        access: .read,
        answers: [.init(.ok, "The current token, which is not the rejected one.")],
        fails: of([.notRenewable, .refusedTooSoon] + tokenRefusals)
    )

    package static let user = APICall<NoInput, SignedInUser, AuthFailureKind>(
        .get,
        "/v1/auth/user",
        "Return the signed-in user.",
        access: .read,
        answers: [.init(.ok, "The user.")],
        fails: of([.noUser] + refusals)
    )

    // MARK: Sign-in and sign-out

    package static let signIn = APICall<SignInRequest, SignInReport, AuthFailureKind>(
        .post,
        "/v1/auth/login",
        "Start a sign-in, or join a pending one with the same flow; one with another flow is cancelled.",
        access: .write,
        answers: [.init(.ok, "The user is signed in."), .init(.accepted, "What the user must do.")],
        fails: of(
            [.signedIn, .undeclaredFlow, .noUser, .locked, .blocked, .badPIN, .storeUnavailable] + notLockable
        ) + signInFailures
    )

    package static let cancel = APICall<NoInput, Nothing, AuthFailureKind>(
        .delete,
        "/v1/auth/login",
        "Cancel the pending sign-in.",
        access: .write,
        answers: [.init(.noContent, "The sign-in is cancelled.")],
        fails: of([.noSignIn, .blocked])
    )

    package static let callback = APICall<SignInCallback, AuthReport, AuthFailureKind>(
        .post,
        "/v1/auth/callback",
        "Complete the pending sign-in with the redirect URL of the server.",
        access: .write,
        answers: [.init(.ok, "The user is signed in.")],
        fails: of([.noUser, .blocked]) + signInFailures
    )

    package static let signOut = APICall<NoInput, SignedOut, AuthFailureKind>(
        .post,
        "/v1/auth/logout",
        "Sign out in all processes of the group, and revoke the tokens at the server.",
        access: .write,
        takesEmptyObject: true,
        answers: [.init(.ok, "The result of the revocation.")],
        fails: of([.noUser, .blocked, .storeUnavailable])
    )

    // MARK: Locking

    package static let lock = APICall<LockRequest, AuthReport, AuthFailureKind>(
        .post,
        "/v1/auth/lock",
        "Lock the session, which blocks tokens and user; with a PIN, sets the PIN first.",
        access: .write,
        answers: [.init(.ok, "The session is locked.")],
        fails: of([.noUser, .signedOut, .locked, .blocked, .badPIN, .storeUnavailable] + notLockable)
    )

    package static let unlock = APICall<UnlockRequest, AuthReport, AuthFailureKind>(
        .post,
        "/v1/auth/unlock",
        "Unlock the session with the PIN or, with method 'pam', the password of the account of corewire.",
        access: .write,
        needsBody: true,
        answers: [.init(.ok, "The session is unlocked.")],
        fails: of(
            [.noUser, .signedOut, .wiped, .wrongPIN, .wrongPassword, .tooSoon, .unlockUnavailable, .storeUnavailable]
                + notLockable
        )
    )

    // MARK: Shared

    private static func of(_ kinds: [SessionFailureKind]) -> [AuthFailureKind] { kinds.map(AuthFailureKind.session) }

    private static let refusals: [SessionFailureKind] = [.signedOut, .locked, .blocked]
    private static let tokenRefusals = refusals + [.undeclaredMode, .tokenUnavailable]
    private static let notLockable: [SessionFailureKind] = [.noLock, .notLockable, .notLocked, .otherMethod]
    private static let signInFailures = SignInFailureKind.allCases.map(AuthFailureKind.signIn)
}
