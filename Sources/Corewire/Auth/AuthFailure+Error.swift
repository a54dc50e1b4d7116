import WireAuth
import WireHTTP
import WireService

extension Area {
    static let auth = Area(section: AuthSection.name, help: "add the section 'auth' to sign people in")
}

extension CorewireError.Code {
    /// Failures of the identity server share a code, and have a name of their own in `signInFailure`.
    init(_ kind: AuthFailureKind) {
        self =
            switch kind {
            case .signIn(.blocked): .blocked
            case .signIn(.wrongState): .noSignIn
            case .signIn: .signInFailed
            case .session(.refusedTooSoon): .tooSoon
            case .session(.undeclaredMode), .session(.undeclaredFlow): .undeclared
            case .session(.noHash): .failed
            case .session(.invalidBody): .invalid
            case .session(.tokenUnavailable) where Task.isCancelled: .cancelled
            case .session(let kind): Self(rawValue: kind.rawValue)
            }
    }
}

extension CorewireError {
    /// Something about a session or a sign-in that was not done.
    init(_ failure: AuthFailure) {
        self.init(Code(failure.kind), failure)
        guard case .signIn(let kind) = failure.kind else { return }
        (signInFailure, helpsToRetry) = (kind.rawValue, kind.helpsToRetry)
    }
}
