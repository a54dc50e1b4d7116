package import WireAuthContract
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
