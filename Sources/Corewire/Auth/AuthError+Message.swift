import WireAuth
import WireBase
import WireConfig
import WireSecrets
import WireService
import WireStore

extension Corewire.AuthError {
    static let stopped = Self(.stopped, "the services have been stopped")

    /// Nobody signs in.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(of: AuthSection.name, in: status, help: "add the section 'auth' to sign people in")
        self.init(.noAuth, absence.description, origin: absence.origin, help: absence.help)
    }

    init(_ failure: AuthFailure) {
        switch failure {
        case .withheld(let refusal, let pause): self.init(refusal, pause)
        case .refusedTooSoon(let wait):
            self.init(
                .tooSoon,
                "the token was renewed a moment ago",
                helpsToRetry: true,
                retryAfter: wait,
                help: AuthFailure.refusedTooSoonDetail
            )
        case .unrenewable:
            self.init(.unrenewable, "the token cannot be renewed", help: AuthFailure.unrenewableDetail)
        case .signIn(let failure, let trouble): self.init(failure, trouble)
        case .lock(let failure): self.init(failure)
        case .noUser: self.init(.noUser, "the file declares 'mode: app': the app signs in by itself")
        case .signedIn: self.init(.signedIn, "somebody is signed in already", help: "sign out first")
        case .noSignIn: self.init(.noSignIn, "no sign-in waits")
        case .undeclaredFlow:
            self.init(.undeclared, AuthFailure.undeclaredFlowDetail)
        }
    }

    /// A sign-in that did not come about.
    init(_ failure: SignInFailure, _ trouble: Trouble) {
        let code: Code =
            switch failure.kind {
            case .blocked: .blocked
            case .wrongState: .noSignIn
            default: .signInFailed
            }
        self.init(
            code,
            failure.detail,
            guidance: trouble.guidance,
            kind: failure.kind.rawValue,
            origin: trouble.origin,
            helpsToRetry: failure.helpsToRetry,
            retryAfter: failure.retryAfter
        )
    }

    private init(_ refusal: TokenRefusal, _ pause: Duration) {
        let (code, description): (Code, String) =
            switch refusal.reason {
            case .signedOut: (.signedOut, "nobody is signed in")
            case .locked: (.locked, "the session is locked")
            case .blocked: (.blocked, "the account is blocked")
            case .distrusted: (.distrusted, "a security rule withholds what is the user's")
            case .unavailable: (Task.isCancelled ? .cancelled : .unavailable, "there is no token now")
            case .undeclared: (.undeclared, "the file declares no such mode")
            }
        self.init(
            code,
            description,
            guidance: refusal.guidance,
            origin: refusal.origin,
            helpsToRetry: refusal.reason == .unavailable,
            retryAfter: refusal.reason == .unavailable ? pause : nil
        )
    }

    private init(_ failure: LockFailure) {
        switch failure {
        case .undeclared: self.init(.noLock, "the file declares no lock", help: "add 'lock' to 'auth'")
        case .signedOut: self.init(.signedOut, "nobody is signed in", guidance: "Nobody is signed in. Sign in first.")
        case .noPIN: self.init(.noPIN, "it is not locked by a PIN", help: "lock with a PIN first")
        case .badPIN:
            self.init(
                .badPIN,
                "a PIN has 4 to 12 digits and nothing else",
                guidance: "A PIN has 4 to 12 digits and nothing else."
            )
        case .locked:
            self.init(
                .locked,
                "the session is locked",
                guidance: "The session is locked. Unlock it first."
            )
        case .notLocked: self.init(.notLocked, "the session is not locked", guidance: "The session is not locked.")
        case .otherMethod(let method):
            self.init(
                .otherMethod,
                "the file says that \(method.words) unlocks the session",
                guidance: "The session is unlocked by \(method.words)."
            )
        case .wrong(let method, let left, let wait):
            let attempts = left == 1 ? "one attempt is left" : "\(left) attempts are left"
            self.init(
                .wrongPIN,
                "\(method.words) is wrong, \(attempts)",
                guidance: "That is not \(method.words); \(attempts).",
                retryAfter: wait
            )
        case .unjudged(let reason, let wait):
            self.init(
                .failed,
                "the password could not be checked: \(reason)",
                guidance: "The password could not be checked. Try again later.",
                helpsToRetry: true,
                retryAfter: wait
            )
        case .tooSoon(let wait):
            self.init(
                .tooSoon,
                "the next attempt must wait",
                guidance: "Wait a little, then try again.",
                helpsToRetry: true,
                retryAfter: wait
            )
        case .wiped(let method):
            self.init(
                .wiped,
                "\(method.words) was wrong too often, and the session has ended",
                guidance: "There were too many wrong attempts. Sign in again."
            )
        case .store(let failure):
            self.init(
                .failed,
                "the session cannot be kept now: \(failure.reason)",
                helpsToRetry: true,
                help: failure.help
            )
        case .hash(let failure): self.init(.failed, "the PIN cannot be checked: \(failure.reason)")
        }
    }
}

extension UnlockMethod {
    fileprivate var words: String {
        switch self {
        case .pin: "the PIN"
        case .pam: "the password of the account"
        }
    }
}
