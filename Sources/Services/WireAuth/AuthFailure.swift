package import WireBase
package import WireService

/// Why something about who is signed in was not done, whoever asked for it.
package enum AuthFailure: Error, Sendable {
    /// There is no token or user that may be told; asking again before the pause is over does not help.
    case withheld(TokenRefusal, pause: Duration)
    /// The token was refused, and so was the one before it a moment ago.
    case refusedTooSoon(wait: Duration)
    /// The token was refused, and there is nothing to get another one with.
    case unrenewable
    /// A sign-in did not come about; the trouble is the same with what a person is told.
    case signIn(SignInFailure, Trouble)
    case lock(LockFailure)
    /// The file lets no user sign in.
    case noUser
    /// Somebody is signed in already.
    case signedIn
    /// No sign-in waits.
    case noSignIn
    /// The file does not allow this way of signing in.
    case undeclaredFlow

    package static let refusedTooSoonDetail =
        "a token was renewed a moment ago because it was refused; where each one is, look at 'auth.audience' and 'auth.scopes'"
    package static let unrenewableDetail = "the identity server gave no refresh token: sign in again"
    package static let undeclaredFlowDetail =
        "passwords and add-ons sign in only where the file says 'flow: password' or 'flow: addon'"
}

/// How somebody wants to sign in, as it is asked for.
package struct SignInRequest: Sendable {
    /// As the file says where nil.
    package var flow: SignInFlow?
    /// For flow `password`, where it is not the user of the file.
    package var credentials: (name: String, password: Secret<String>)?
    /// The PIN the session is to be locked with.
    package var pin: String?

    package init(_ flow: SignInFlow? = nil) { self.flow = flow }
}

/// How signing out went; nobody is signed in here in any case.
package struct SignedOut: Sendable {
    /// Where a browser must go to end the session at the server too.
    package let endSessionURL: String?
    /// What became of the tokens at the server; nil where nobody was signed in.
    package let revocation: Revocation?
}
