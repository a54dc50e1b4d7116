import Synchronization
import WireBase
import WireHTTP
import WireSecrets
import WireService
import WireStore

/// What is told to who asks over the local API, when there is no token or something was not done.
extension Problem {
    init(_ refusal: TokenRefusal, after pause: Duration = .zero) {
        let (status, kind, title): (Status, String, String) =
            switch refusal.reason {
            case .signedOut: (.unauthorized, "signed-out", "nobody is signed in")
            case .locked: (.locked, "locked", "the session is locked")
            case .blocked: (.forbidden, "blocked", "the account is blocked")
            case .distrusted: (.forbidden, "distrusted", "this machine is not trusted now")
            case .unavailable: (.unavailable, "token-unavailable", "there is no token now")
            case .undeclared: (.notFound, "undeclared-mode", "the file declares no such mode")
            }
        self.init(status, kind, title, detail: refusal.guidance)
        origin = refusal.origin
        switch refusal.reason {
        case .signedOut: fields = ["WWW-Authenticate": "Bearer realm=\"auth\""]
        case .unavailable: fields = ["Retry-After": "\(max(1, pause.wholeSeconds))"]
        case .locked, .blocked, .distrusted, .undeclared: break
        }
    }

    init(_ failure: AuthFailure) {
        switch failure {
        case .withheld(let refusal, let pause): self.init(refusal, after: pause)
        case .refusedTooSoon(let wait):
            self.init(
                .tooManyRequests,
                "refused-too-soon",
                "the token was renewed a moment ago",
                detail: AuthFailure.refusedTooSoonDetail,
                fields: ["Retry-After": "\(max(1, wait.wholeSeconds))"]
            )
        case .unrenewable:
            self.init(
                .conflict,
                "not-renewable",
                "the token cannot be renewed",
                detail: AuthFailure.unrenewableDetail
            )
        case .signIn(let failure, let trouble): self.init(failure, trouble)
        case .lock(let failure): self.init(failure)
        case .noUser: self = .noUser
        case .signedIn: self = .signedInAlready
        case .noSignIn: self = .noSignIn
        case .undeclaredFlow: self = .undeclaredFlow
        }
    }

    /// A sign-in that did not come about.
    private init(_ failure: SignInFailure, _ trouble: Trouble) {
        let status = failure.kind.status
        self.init(status, failure.kind.problemKind, "signing in did not come about", detail: trouble.guidance)
        origin = trouble.origin
        if status == .unavailable {
            fields = ["Retry-After": "\(max(1, (failure.retryAfter ?? .seconds(5)).wholeSeconds))"]
        }
    }

    init(_ failure: LockFailure) {
        switch failure {
        case .undeclared:
            self.init(.conflict, "no-lock", "there is no lock", detail: "the file declares none under 'auth.lock'")
        case .signedOut:
            self.init(
                TokenRefusal(.signedOut, guidance: "Nobody is signed in. Sign in first.")
            )
        case .noPIN:
            self.init(
                .conflict,
                "not-lockable",
                "it is not locked by a PIN",
                detail: "set one: 'corewire auth lock --set-pin', or send 'pin' to lock"
            )
        case .badPIN:
            self.init(
                .unprocessableContent,
                "bad-pin",
                "this cannot be a PIN",
                detail: "a PIN has 4 to 12 digits and nothing else"
            )
        case .notLocked: self.init(.conflict, "not-locked", "it is not locked", detail: "there is nothing to unlock")
        case .otherMethod(.pin):
            self.init(
                .conflict,
                "other-method",
                "it is unlocked in another way",
                detail: "by a PIN: send 'pin'"
            )
        case .otherMethod(.pam):
            self.init(
                .conflict,
                "other-method",
                "it is unlocked in another way",
                detail: "by the password of the account on this machine: send 'password' to unlock, and no 'pin'"
            )
        case .locked: self.init(TokenRefusal(.locked, guidance: UnlockMethod.pin.guidance))
        case .unjudged(let reason, let wait):
            self.init(
                .unavailable,
                "unlock-unavailable",
                "the password cannot be checked now",
                detail: reason,
                fields: ["Retry-After": "\(max(1, wait.wholeSeconds))"]
            )
        case .wrong(let method, let left, let wait):
            self.init(
                .forbidden,
                "wrong-\(method.key.lowercased())",
                "the \(method.key) is wrong",
                detail: left == 1 ? "one attempt is left" : "\(left) attempts are left",
                fields: ["Retry-After": "\(wait.wholeSeconds)"]
            )
        case .tooSoon(let wait):
            self.init(
                .tooManyRequests,
                "too-soon",
                "the next attempt must wait",
                detail: "try again in \(wait.wholeSeconds) s",
                fields: ["Retry-After": "\(wait.wholeSeconds)"]
            )
        case .wiped(let method):
            self.init(
                .unauthorized,
                "wiped",
                "the session has ended",
                detail: "the \(method.key) was wrong too often. Sign in again.",
                fields: ["WWW-Authenticate": "Bearer realm=\"auth\""]
            )
        case .store(let failure):
            self.init(
                .unavailable,
                "store-unavailable",
                "the session cannot be kept now",
                detail: failure.reason,
                fields: ["Retry-After": "5"]
            )
        case .hash(let failure):
            self.init(.internalError, "no-hash", "the PIN cannot be checked", detail: failure.reason)
        }
    }

    static let noUser = Problem(
        .conflict,
        "no-user",
        "no user signs in here",
        detail: "the file declares 'mode: app': the app signs in by itself"
    )
    static let signedInAlready = Problem(
        .conflict,
        "signed-in",
        "somebody is signed in already",
        detail: "sign out first"
    )
    static let noSignIn = Problem(.notFound, "no-sign-in", "no sign-in waits", detail: "there is nothing to cancel")
    static let undeclaredFlow = Problem(
        .conflict,
        "undeclared-flow",
        "the file does not allow this way of signing in",
        detail: AuthFailure.undeclaredFlowDetail
    )
}

extension SignInFailure.Kind {
    var status: Status {
        switch self {
        case .blocked, .accessDenied: .forbidden
        case .invalidCredentials, .tooManyAttempts, .secondFactor, .unverified, .passwordLeaked: .unprocessableContent
        case .wrongState, .cancelled: .conflict
        case _ where helpsToRetry: .unavailable
        default: .badGateway
        }
    }

    /// Its name as problems have it: `invalidGrant` becomes `invalid-grant`.
    var problemKind: String {
        rawValue.reduce(into: "") { text, character in
            if character.isUppercase { text += "-" }
            text += character.lowercased()
        }
    }
}
