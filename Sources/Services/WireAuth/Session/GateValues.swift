package import WireConfig
import WireHTTP
import WireService

/// What is known of a session besides its tokens.
struct SessionFacts: Sendable {
    /// Made anew with each sign-in.
    let session: String
    /// Grows by one with each new pair of tokens.
    let rotation: Int
    /// Who has signed in; nil for the app itself.
    let user: SignedInUser?
}

/// Why nobody is signed in any more.
package enum SignOutReason: String, Sendable, CaseIterable, JSONWord {
    /// Somebody asked for it.
    case user
    /// The server has ended the session, or its tokens have ended and there is no way to new ones.
    case expired
    /// The account was closed.
    case blocked
    /// The lock was tried too often.
    case wiped
    /// Another process of the group did it.
    case elsewhere
    /// A sign-in did not come about.
    case failed
    /// A sign-in was given up.
    case cancelled
    /// The file names another server or client than the one that was signed in at.
    case otherServer
}

/// Something that went wrong, for programs by its kind and for people by its guidance.
package struct Trouble: Sendable {
    package let kind: String
    package let guidance: String
    /// What the log says: never a secret.
    package let detail: String
    package let origin: ValueOrigin?
    /// Whether trying again may help.
    package let isTransient: Bool
}

/// What a person must do so that a sign-in comes about.
package struct SignInTask: Sendable {
    /// Which sign-in it is, to tell it from those before and after it.
    let number: Int
    package let flow: SignInFlow
    package let ask: Ask
    /// When it is given up, on the clock that only grows.
    package let ends: Duration
    /// How it has ended, when it has.
    package let verdict = SignInVerdict()

    package enum Ask: Sendable {
        /// To open this address.
        case open(url: String)
        /// To enter a code elsewhere.
        case enter(code: String, at: String, complete: String?)
        /// Nothing: the server has been asked.
        case wait
        /// What the add-on wants of the person that is asked.
        case addon
    }
}
