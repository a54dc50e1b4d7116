import WireAuth
import WireBase
import WireConfig
import WireSecrets
import WireService
import WireStore

extension Area {
    static let auth = Area(section: AuthSection.name, help: "add the section 'auth' to sign people in")
}

extension AuthFailure: AreaFailure {
    var error: CorewireError {
        switch self {
        case .withheld(let refusal, let pause): refusal.error(after: pause)
        case .refusedTooSoon(let wait):
            CorewireError(.tooSoon, "the token was renewed a moment ago", help: Self.refusedTooSoonDetail)
                .helping(after: wait)
        case .unrenewable:
            CorewireError(.notRenewable, "the token cannot be renewed", help: Self.unrenewableDetail)
        case .signIn(let failure, let trouble): CorewireError(failure, trouble)
        case .lock(let failure): failure.error
        case .noUser: CorewireError(.noUser, "the file declares 'mode: app': the app signs in by itself")
        case .signedIn: CorewireError(.signedIn, "a user is signed in already", help: "sign out first")
        case .noSignIn: CorewireError(.noSignIn, "no sign-in waits")
        case .undeclaredFlow: CorewireError(.undeclared, Self.undeclaredFlowDetail)
        }
    }
}

extension CorewireError {
    /// A sign-in that failed.
    init(_ failure: SignInFailure, _ trouble: Trouble) {
        let code: Code =
            switch failure.kind {
            case .blocked: .blocked
            case .wrongState: .noSignIn
            default: .signInFailed
            }
        self.init(code, failure.detail, origin: trouble.origin)
        (guidanceOfFile, signInFailure) = (trouble.guidance, failure.kind.rawValue)
        (helpsToRetry, retryAfter) = (failure.helpsToRetry, failure.retryAfter)
    }

    fileprivate func guiding(_ guidance: String) -> CorewireError {
        var error = self
        error.guidanceOfFile = guidance
        return error
    }

    /// The same where trying again helps, after a while where that is known.
    fileprivate func helping(after wait: Duration? = nil) -> CorewireError {
        var error = self
        (error.helpsToRetry, error.retryAfter) = (true, wait)
        return error
    }
}

extension TokenRefusal {
    fileprivate func error(after pause: Duration) -> CorewireError {
        let (code, description): (CorewireError.Code, String) =
            switch reason {
            case .signedOut: (.signedOut, "no user is signed in")
            case .locked: (.locked, "the session is locked")
            case .blocked: (.blocked, "the account is blocked")
            case .distrusted: (.distrusted, "a security rule withholds what is the user's")
            case .unavailable: (Task.isCancelled ? .cancelled : .tokenUnavailable, "there is no token now")
            case .undeclared: (.undeclared, "the file declares no such mode")
            }
        let error = CorewireError(code, description, origin: origin).guiding(guidance)
        return reason == .unavailable ? error.helping(after: pause) : error
    }
}

extension LockFailure {
    fileprivate var error: CorewireError {
        switch self {
        case .undeclared: return CorewireError(.noLock, "the file declares no lock", help: "add 'lock' to 'auth'")
        case .signedOut:
            return CorewireError(.signedOut, "no user is signed in").guiding("No user is signed in. Sign in first.")
        case .noPIN: return CorewireError(.notLockable, "it is not locked by a PIN", help: "lock with a PIN first")
        case .badPIN:
            return CorewireError(.badPIN, "a PIN has 4 to 12 digits and nothing else")
                .guiding("A PIN has 4 to 12 digits and nothing else.")
        case .locked:
            return CorewireError(.locked, "the session is locked").guiding("The session is locked. Unlock it first.")
        case .notLocked:
            return CorewireError(.notLocked, "the session is not locked").guiding("The session is not locked.")
        case .otherMethod(let method):
            return CorewireError(.otherMethod, "the file says that \(method.words) unlocks the session")
                .guiding("The session is unlocked by \(method.words).")
        case .wrong(let method, let left, let wait):
            let attempts = left == 1 ? "one attempt is left" : "\(left) attempts are left"
            var error = CorewireError(
                method == .pin ? .wrongPIN : .wrongPassword,
                "\(method.words) is wrong, \(attempts)"
            ).guiding("That is not \(method.words); \(attempts).")
            error.retryAfter = wait
            return error
        case .unjudged(let reason, let wait):
            return CorewireError(.unlockUnavailable, "the password could not be checked: \(reason)")
                .guiding("The password could not be checked. Try again later.").helping(after: wait)
        case .tooSoon(let wait):
            return CorewireError(.tooSoon, "the next attempt must wait").guiding("Wait a little, then try again.")
                .helping(after: wait)
        case .wiped(let method):
            return CorewireError(.wiped, "\(method.words) was wrong too often, and the session has ended")
                .guiding("There were too many wrong attempts. Sign in again.")
        case .store(let failure):
            let reason = "the session cannot be kept now: \(failure.reason)"
            return CorewireError(.storeUnavailable, reason, help: failure.help).helping()
        case .hash(let failure): return CorewireError(.failed, "the PIN cannot be checked: \(failure.reason)")
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
