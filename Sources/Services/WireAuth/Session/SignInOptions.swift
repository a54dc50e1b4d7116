import WireAuthContract
import WireBase
import WireConfig

/// A request to sign in.
struct SignInOptions: Sendable {
    var flow: SignInFlow
    var credentials: (name: String, password: Secret<String>)?
    /// The hash of the PIN for the session's lock.
    var pinHash: String?
}
