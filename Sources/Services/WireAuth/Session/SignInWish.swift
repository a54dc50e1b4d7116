import WireAuthContract
import WireBase
import WireConfig

/// How somebody wants to sign in.
struct SignInWish: Sendable {
    var flow: SignInFlow
    var credentials: (name: String, password: Secret<String>)?
    /// The hash of the PIN the session is to be locked with.
    var pinHash: String?
}
