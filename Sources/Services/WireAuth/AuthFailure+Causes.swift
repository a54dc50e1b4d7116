package import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireStore

// The failures of the sign-in service: the reason is for developers, the guidance for users.

extension AuthFailure {
    private init(
        _ kind: SessionFailureKind,
        _ reason: String,
        help: String? = nil,
        guidance: String? = nil,
        pause: Duration? = nil
    ) {
        self.init(.session(kind), reason, help: help)
        self.guidance = guidance
        if let pause { retryAfter = pause }
    }

    /// No token or user can be given; a retry before the pause is over fails again.
    init(_ refusal: TokenRefusal, pause: Duration = .zero) {
        let (kind, reason): (SessionFailureKind, String) =
            switch refusal.reason {
            case .signedOut: (.signedOut, "no user is signed in")
            case .locked: (.locked, "the session is locked")
            case .blocked: (.blocked, "the account is blocked")
            case .distrusted: (.distrusted, "a security rule blocks tokens")
            case .unavailable: (.tokenUnavailable, "no token is available")
            case .undeclared: (.undeclaredMode, "the file declares no such mode")
            }
        self.init(.session(kind), reason, origin: refusal.origin)
        guidance = refusal.guidance
        if refusal.reason == .unavailable { retryAfter = pause }
    }

    /// A failed sign-in, with the guidance for the user.
    package init(_ failure: SignInFailure, _ trouble: Trouble) {
        self.init(.signIn(failure.kind), failure.detail, origin: trouble.origin)
        guidance = trouble.guidance
        if let pause = failure.retryAfter { retryAfter = pause }
    }

    static func refusedTooSoon(wait: Duration) -> Self {
        let help = "if each token is rejected, check 'auth.audience' and 'auth.scopes'"
        return Self(
            .refusedTooSoon,
            "the token was refreshed a moment ago",
            help: help,
            pause: wait
        )
    }

    static var unrenewable: Self {
        Self(.notRenewable, "the identity server returned no refresh token: sign in again")
    }

    static var undeclaredFlow: Self {
        let rule = "sign-in with a password or an add-on requires 'flow: password' or 'flow: addon' in the file"
        return Self(.undeclaredFlow, rule)
    }

    static var noUser: Self { Self(.noUser, "the file sets 'mode: app': the app signs in without a user") }
    static var signedIn: Self { Self(.signedIn, "a user is signed in already", help: "sign out first") }
    static var noSignIn: Self { Self(.noSignIn, "no sign-in is pending") }
    static func invalidBody(_ reason: String) -> Self { Self(.invalidBody, reason) }
    static func forbidden(_ reason: String) -> Self { Self(.forbidden, reason) }

    /// A lock that was not opened, closed or changed.
    init(_ failure: LockFailure) {
        switch failure {
        case .undeclared: self.init(.noLock, "the file declares no lock", help: "add 'lock' to 'auth'")
        case .signedOut: self.init(TokenRefusal(.signedOut, guidance: "Sign in first."))
        case .locked: self.init(TokenRefusal(.locked, guidance: UnlockMethod.pin.guidance))
        case .noPIN:
            let help = "set a PIN with 'corewire auth lock --set-pin', or lock with a PIN"
            self.init(.notLockable, "no PIN is set", help: help)
        case .badPIN:
            let rule = "PIN has 4 to 12 digits"
            self.init(.badPIN, "a \(rule)", guidance: "A \(rule).")
        case .notLocked: self.init(.notLocked, "the session is not locked", guidance: "The session is not locked.")
        case .otherMethod(let method):
            let reason = "the unlock method of the file is \(method.words)"
            let help = method == .pin ? "send 'pin'" : "send 'password' instead of 'pin'"
            let guidance = "Unlock the session with \(method.words)."
            self.init(.otherMethod, reason, help: help, guidance: guidance)
        case .wrong(let method, let left, let wait):
            let attempts = left == 1 ? "one attempt is left" : "\(left) attempts are left"
            let (kind, key) = method == .pin ? (.wrongPIN, "PIN") : (SessionFailureKind.wrongPassword, "password")
            let guidance = "\(method == .pin ? "Wrong PIN" : "Wrong password"); \(attempts)."
            self.init(kind, "the \(key) is wrong, \(attempts)", guidance: guidance, pause: wait)
        case .tooSoon(let wait):
            let (help, guidance) = ("try again in \(wait.wholeSeconds) s", "Try again in a moment.")
            self.init(.tooSoon, "the next attempt must wait", help: help, guidance: guidance, pause: wait)
        case .unjudged(let reason, let wait):
            let guidance = "The password could not be checked. Try again later."
            let found = "the password cannot be checked now: \(reason)"
            self.init(.unlockUnavailable, found, guidance: guidance, pause: wait)
        case .wiped(let method):
            let guidance = "There were too many wrong attempts. Sign in again."
            self.init(.wiped, "\(method.words) was wrong too many times", help: "sign in again", guidance: guidance)
        case .store(let failure):
            let reason = "the session cannot be stored now: \(failure.reason)"
            self.init(.storeUnavailable, reason, help: failure.help)
        case .hash(let failure): self.init(.noHash, "the PIN cannot be checked: \(failure.reason)")
        }
    }
}

extension UnlockMethod {
    /// The guidance for a locked session.
    var guidance: String {
        switch self {
        case .pin: "The session is locked. Unlock it with the PIN."
        case .pam: "The session is locked. Unlock it with the password of the account on this machine."
        }
    }

    fileprivate var words: String { self == .pin ? "the PIN" : "the password of the account" }
}
