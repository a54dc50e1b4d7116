package import WireBase
import WireConfig

/// A sign-in that an add-on may perform.
package struct AddonSignIn: Sendable {
    /// The requirement of the identity server.
    package enum Way: Sendable {
        /// Open this address; the answer is the redirect URL that the server leads to.
        case open(url: String, redirectURI: String)
        /// Enter this code there; the server is polled, so no answer is needed.
        case enter(code: String, at: String, complete: String?)
        /// Provide credentials.
        case credentials
    }

    package let way: Way
    /// How long the caller waits; nil where no caller asked, so that no user interaction is allowed.
    package let patience: Duration?

    package init(_ way: Way, patience: Duration?) { (self.way, self.patience) = (way, patience) }

    /// Whether the sign-in continues without an answer, so that an add-on started later can still give one.
    package var isOpen: Bool { if case .credentials = way { false } else { patience != nil } }
}

/// The answer of an add-on to a sign-in.
package enum AddonSignInAnswer: Sendable {
    /// The complete redirect URL.
    case callback(String)
    case credentials(UserCredentials)
    /// Why no user can be signed in.
    case refusal(String)
}

/// Credentials of a user.
package enum UserCredentials: Sendable {
    case password(name: String, Secret<String>)
    /// A token of a social network, for servers that accept it.
    case network(String, token: Secret<String>)
}

/// The result of asking add-ons for a sign-in.
package enum AddonSignInEnd: Sendable {
    /// The first answer, with the declaration of its add-on.
    case answered(AddonSignInAnswer, by: String, origin: ValueOrigin?)
    /// No add-on had an answer.
    case nothing
    /// No add-on is available.
    case nobody
}
