import WireBackendContract
import WireBackends
import WireBase
import WireConfig

/// The settings of the identity server in the form it uses.
struct IssuerSettings: Sendable {
    struct User: Sendable {
        let name: String
        let displayName: String
        let email: String?
        let isEmailVerified: Bool
        let password: Secret<String>?
        let roles: [String]
        let isBlocked: Bool
        let claims: [(key: String, value: JSONValue)]
    }

    let users: [User]
    let clients: [EmbeddedClient]
    let signsInByItself: Bool
    /// The lifetime of access tokens, in seconds.
    let accessLifetime: Int
    let refreshLifetime: Int
    let rotatesRefreshTokens: Bool

    init(_ section: EmbeddedIssuer) {
        users = section.users.items.isEmpty ? [.demo] : section.users.items.map(User.init)
        clients = section.clients.items.map { item in
            EmbeddedClient(
                id: item.name,
                secret: item.value.secret,
                redirectURIs: item.value.redirectURIs,
                postLogoutRedirectURIs: item.value.postLogoutRedirectURIs,
                allowsPasswords: false
            )
        }
        signsInByItself = section.signIn == .automatic
        accessLifetime = max(1, Int(section.accessTokenLifetime.inSeconds))
        refreshLifetime = max(1, Int(section.refreshTokenLifetime.inSeconds))
        rotatesRefreshTokens = section.rotatesRefreshTokens
    }

    /// Returns the user with a name, or else with an email address, compared without regard to case.
    func user(_ text: String) -> User? {
        users.first { $0.name == text }
            ?? users.first { $0.email.map { $0.lowercased() == text.lowercased() } ?? false }
    }

    /// The user who is signed in where the server does not ask.
    var firstUser: User? { users.first { !$0.isBlocked } }
}

extension IssuerSettings.User {
    fileprivate init(_ item: Named<EmbeddedUser>.Item) {
        name = item.name
        displayName = item.value.displayName ?? item.name
        email = item.value.email
        isEmailVerified = item.value.isEmailVerified
        password = item.value.password
        roles = item.value.roles.map(\.text)
        isBlocked = item.value.isBlocked
        claims = JSONValue(item.value.claims.literal).members ?? []
    }

    /// The user where the file declares none.
    fileprivate static let demo = Self(
        name: "demo",
        displayName: "Demo User",
        email: "demo@example.com",
        isEmailVerified: true,
        password: nil,
        roles: [],
        isBlocked: false,
        claims: []
    )

    /// The given and the family name, from the display name.
    var nameParts: (given: String, family: String) {
        let words = displayName.split(separator: " ")
        return (words.dropLast().joined(separator: " "), words.last.map(String.init) ?? "")
    }
}
