package import WireAuthContract
import WireService

/// The facts about a session besides its tokens.
struct SessionFacts: Sendable {
    /// The id of the session, new with each sign-in.
    let session: String
    /// The number of the token pair; grows by one with each renewal.
    let rotation: Int
    /// The signed-in user; nil for the app itself.
    let user: SignedInUser?
}

/// A pending sign-in with the user's next step.
package struct SignInTask: Sendable {
    /// The number of the sign-in.
    let number: Int
    package let flow: SignInFlow
    package let ask: Ask
    /// The deadline of the sign-in, on the monotonic clock.
    package let ends: Duration
    /// The result of the sign-in, once it has ended.
    package let verdict = SignInVerdict()

    package enum Ask: Sendable {
        /// Open this address.
        case open(url: String)
        /// Enter a code at another address.
        case enter(code: String, at: String, complete: String?)
        /// Nothing: the server is being asked.
        case wait
        /// The add-on's request to the user.
        case addon
    }
}
