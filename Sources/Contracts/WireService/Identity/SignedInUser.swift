package import WireConfig

/// The user who is signed in: what the identity server has said, checked.
package struct SignedInUser: Sendable {
    /// The name the server has for this user, for ever (`sub`).
    package let subject: String
    package let issuer: String
    /// All claims, in their order.
    package let claims: JSONValue
    /// Apps of the same group, and the same user signed in anew, have another one.
    package let session: String

    package init(subject: String, issuer: String, claims: JSONValue, session: String) {
        self.subject = subject
        self.issuer = issuer
        self.claims = claims
        self.session = session
    }
}

/// Knows who is signed in.
package protocol UserPresence: Sendable {
    /// Who is signed in now; somebody whose session is locked is.
    var user: SignedInUser? { get }
    /// Whether services may run before a user has signed in (`policy: anonymous`, or with tokens of the app).
    var allowsAnonymous: Bool { get }
    /// What whoever asks for something of a user's is told while nobody is signed in; never a secret.
    var guidance: String { get }
    /// Who is signed in from now on, beginning with who is now; ends when the service that knows it ends, and not before.
    ///
    /// ``user`` is that already when it is told here. Several may listen.
    func changes() -> AsyncStream<SignedInUser?>
}

extension UserPresence {
    package var guidance: String { "sign in first: 'corewire auth login', or the page of the console" }
}

extension Ability where Value == any UserPresence {
    package static var userPresence: Ability<any UserPresence> { Ability(Provision(.accessTokens, "user")) }
}
