package import WireHTTP
package import WireService

/// The operations on sessions and tokens, each declared once.
package enum AuthCalls {
    package static let status = APICall<NoInput, AuthReport, AuthFailureKind>(
        .get,
        "/v1/auth",
        "Who is signed in, and how: never tokens.",
        access: .read,
        answers: [.init(.ok, "Where the session stands.")],
        fails: []
    )

    // MARK: Tokens

    package static let token = APICall<TokenRequest, GivenToken, AuthFailureKind>(
        .get,
        "/v1/auth/token",
        "A token that is good for as long as is wished; renewed first where there is none.",
        access: .read,
        answers: [.init(.ok, "The token; not to be kept.")],
        fails: of(tokenRefusals)
    )

    package static let refused = APICall<RefusedToken, GivenToken, AuthFailureKind>(
        .post,
        "/v1/auth/token/refused",
        "A token in place of one that a server has refused, which is renewed where it is still the present one.",
        access: .read,
        answers: [.init(.ok, "The present token, which is not the refused one.")],
        fails: of([.notRenewable, .refusedTooSoon] + tokenRefusals)
    )

    package static let user = APICall<NoInput, SignedInUser, AuthFailureKind>(
        .get,
        "/v1/auth/user",
        "The user who is signed in.",
        access: .read,
        answers: [.init(.ok, "The user.")],
        fails: of([.noUser] + refusals)
    )

    // MARK: Signing in and out

    package static let signIn = APICall<SignInRequest, SignInReport, AuthFailureKind>(
        .post,
        "/v1/auth/login",
        "Begin a sign-in, or join the one of the same flow that waits; one of another flow is ended.",
        access: .write,
        answers: [.init(.ok, "The user is signed in."), .init(.accepted, "What the person must do.")],
        fails: of(
            [.signedIn, .undeclaredFlow, .noUser, .locked, .blocked, .badPIN, .storeUnavailable] + notLockable
        ) + signInFailures
    )

    package static let cancel = APICall<NoInput, Nothing, AuthFailureKind>(
        .delete,
        "/v1/auth/login",
        "Give up the sign-in that waits.",
        access: .write,
        answers: [.init(.noContent, "It is given up.")],
        fails: of([.noSignIn, .blocked])
    )

    package static let callback = APICall<SignInCallback, AuthReport, AuthFailureKind>(
        .post,
        "/v1/auth/callback",
        "Finish the sign-in that waits with the address the server has sent the browser to.",
        access: .write,
        answers: [.init(.ok, "The user is signed in.")],
        fails: of([.noUser, .blocked]) + signInFailures
    )

    package static let signOut = APICall<NoInput, SignedOut, AuthFailureKind>(
        .post,
        "/v1/auth/logout",
        "Sign out, here and for all processes of the group; the server takes the tokens back.",
        access: .write,
        takesEmptyObject: true,
        answers: [.init(.ok, "What became of the tokens.")],
        fails: of([.noUser, .blocked, .storeUnavailable])
    )

    // MARK: Locking

    package static let lock = APICall<LockRequest, AuthReport, AuthFailureKind>(
        .post,
        "/v1/auth/lock",
        "Withhold tokens and user until unlocked; with a PIN, sets it first.",
        access: .write,
        answers: [.init(.ok, "It is locked.")],
        fails: of([.noUser, .signedOut, .locked, .blocked, .badPIN, .storeUnavailable] + notLockable)
    )

    package static let unlock = APICall<UnlockRequest, AuthReport, AuthFailureKind>(
        .post,
        "/v1/auth/unlock",
        "Open the lock, with the PIN or, with method 'pam', the password of the account corewire runs as.",
        access: .write,
        needsBody: true,
        answers: [.init(.ok, "It is open.")],
        fails: of(
            [.noUser, .signedOut, .wiped, .wrongPIN, .wrongPassword, .tooSoon, .unlockUnavailable, .storeUnavailable]
                + notLockable
        )
    )

    // MARK: What they share

    private static func of(_ kinds: [SessionFailureKind]) -> [AuthFailureKind] { kinds.map(AuthFailureKind.session) }

    private static let refusals: [SessionFailureKind] = [.signedOut, .locked, .blocked]
    private static let tokenRefusals = refusals + [.undeclaredMode, .tokenUnavailable]
    private static let notLockable: [SessionFailureKind] = [.noLock, .notLockable, .notLocked, .otherMethod]
    private static let signInFailures = SignInFailureKind.allCases.map(AuthFailureKind.signIn)
}
