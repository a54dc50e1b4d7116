package import WireBase
import WireConfig

/// A sign-in that an add-on may carry out.
package struct AddonSignIn: Sendable {
    /// What the identity server wants.
    package enum Way: Sendable {
        /// This address is to be opened; the answer is the one that the server leads to from there.
        case open(url: String, redirectURI: String)
        /// This code is to be entered there; the server is asked whether that was done, so there is nothing to answer.
        case enter(code: String, at: String, complete: String?)
        /// Something that shows who it is.
        case credentials
    }

    package let way: Way
    /// How long somebody waits for it; nil where nobody has asked, and no person may be needed for it.
    package let patience: Duration?

    package init(_ way: Way, patience: Duration?) { (self.way, self.patience) = (way, patience) }

    /// Whether it goes on without an answer, so that whoever comes meanwhile may give one.
    package var isOpen: Bool { if case .credentials = way { false } else { patience != nil } }
}

/// What an add-on says to a sign-in.
package enum AddonSignInAnswer: Sendable {
    /// The whole address that the server has led to.
    case callback(String)
    case credentials(UserCredentials)
    /// Why no user is signed in.
    case refusal(String)
}

/// What shows who somebody is.
package enum UserCredentials: Sendable {
    case password(name: String, Secret<String>)
    /// What another network has given for its user, for servers that ask that network.
    case network(String, token: Secret<String>)
}

/// What asking add-ons for a sign-in came to.
package enum AddonSignInEnd: Sendable {
    /// The first who had something to say, and where the file has it.
    case answered(AddonSignInAnswer, by: String, origin: ValueOrigin?)
    /// Those who were asked have nothing to say to it.
    case nothing
    /// Nobody is there who could be asked.
    case nobody
}
