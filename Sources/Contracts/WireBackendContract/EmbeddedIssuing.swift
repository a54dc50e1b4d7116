package import WireBase
import WireConfig
package import WireService

/// The embedded identity server, for environments with `backend: embedded`.
package protocol EmbeddedIssuing: Sendable {
    /// The issuer URL of a realm, such as `http://127.0.0.1:7430/realms/tasks`; known once the server has started.
    func issuer(realm: String) -> String
    /// Registers a client of the file; replaces an existing one.
    func admit(_ client: EmbeddedClient, realm: String)
}

/// A client at the embedded identity server.
package struct EmbeddedClient: Sendable {
    package var id: String
    /// The client secret; nil for a public client, such as an app on a phone.
    package var secret: Secret<String>?
    /// The exact redirect URIs; for a loopback address any port matches.
    package var redirectURIs: [String]
    package var postLogoutRedirectURIs: [String]
    /// Whether the password grant is allowed, which new clients should not use.
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
