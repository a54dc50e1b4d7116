package import WireBase
import WireConfig
package import WireService

/// The identity server built in, for environments with `backend: embedded`.
package protocol EmbeddedIssuing: Sendable {
    /// The issuer of a realm, such as `http://127.0.0.1:7430/realms/tasks`; known once it has started.
    func issuer(realm: String) -> String
    /// Makes a client of the file known; one that is known already is replaced.
    func admit(_ client: EmbeddedClient, realm: String)
}

/// A client as the embedded identity server knows it.
package struct EmbeddedClient: Sendable {
    package var id: String
    /// Nil for one that can keep no secret, as apps on phones cannot.
    package var secret: Secret<String>?
    /// Exactly these; for a loopback address any port.
    package var redirectURIs: [String]
    package var postLogoutRedirectURIs: [String]
    /// Whether the password grant is allowed to it, which nothing new should use.
    package var allowsPasswords: Bool

    package init(
        id: String,
        secret: Secret<String>?,
        redirectURIs: [String],
        postLogoutRedirectURIs: [String],
        allowsPasswords: Bool
    ) {
        self.id = id
        self.secret = secret
        self.redirectURIs = redirectURIs
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.allowsPasswords = allowsPasswords
    }
}

extension ServiceAbility where Value == any EmbeddedIssuing {
    package static var embeddedIssuer: Self { Self(Provision(.backend, "issuer")) }
}
