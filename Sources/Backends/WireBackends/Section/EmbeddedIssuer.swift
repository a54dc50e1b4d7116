package import WireBase
package import WireConfig

/// The identity server: discovery, code flow with PKCE, device flow, refresh, end of session.
package struct EmbeddedIssuer: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var users: Named<EmbeddedUser>
    @Setting package var clients: Named<EmbeddedApp>
    @Setting package var signIn: EmbeddedSignIn
    @Setting package var accessTokenLifetime: Duration
    @Setting package var refreshTokenLifetime: Duration
    @Setting package var rotatesRefreshTokens: Bool

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "An address of its own, instead of the common one.",
            .example("127.0.0.1:7431")
        )
        _users = keys.value(
            "users",
            "Who can sign in, by user name; where nobody is listed, a user 'demo' without a password.",
            or: Named(),
            .example("{ ada: { name: Ada Lovelace, email: ada@example.com } }")
        )
        _clients = keys.value(
            "clients",
            "The apps besides this one that may ask for tokens, such as one on a phone, by client id.",
            or: Named(),
            .example("{ phone: { redirectUris: [com.example.tasks:/callback] } }")
        )
        _signIn = keys.value("signIn", "How users sign in.", or: .page)
        _accessTokenLifetime = keys.value(
            "accessTokenLifetime",
            "How long an access token lives.",
            or: .seconds(300),
            .in(.seconds(1) ... .seconds(86_400))
        )
        _refreshTokenLifetime = keys.value(
            "refreshTokenLifetime",
            "How long a refresh token lives.",
            or: .seconds(30 * 86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _rotatesRefreshTokens = keys.value(
            "rotateRefreshTokens",
            "Whether a refresh token can be used once only, as RFC 9700 asks.",
            or: true
        )
    }
}

/// A user of the embedded identity server.
package struct EmbeddedUser: Record {
    @Setting package var displayName: String?
    @Setting package var email: String?
    @Setting package var isEmailVerified: Bool
    @Setting package var password: Secret<String>?
    @Setting package var roles: [Identifier]
    @Setting package var isBlocked: Bool
    @Setting package var claims: FreeValue

    package init(_ keys: inout Keys) {
        _displayName = keys.optional("name", "The name people see.", .example("Ada Lovelace"))
        _email = keys.optional("email", "The address.", .example("ada@example.com"))
        _isEmailVerified = keys.value("emailVerified", "Whether the address was verified.", or: true)
        _password = keys.optional("password", "The password; without one any will do.")
        _roles = keys.value("roles", "The realm roles.", or: [], .example("[nurse]"))
        _isBlocked = keys.value("blocked", "Whether an administrator has closed the account.", or: false)
        _claims = keys.value(
            "claims",
            "More claims of the tokens, a mapping; names of claims may be URLs.",
            or: .mapping([]),
            .example("{ ward: \"3B\" }")
        )
    }
}

/// An app that is known to the embedded identity server by the file, and by no section of its own.
package struct EmbeddedApp: Record {
    @Setting package var secret: Secret<String>?
    @Setting package var redirectURIs: [String]
    @Setting package var postLogoutRedirectURIs: [String]

    package init(_ keys: inout Keys) {
        _secret = keys.optional("secret", "The secret; without one the app is one that can keep none.")
        _redirectURIs = keys.value(
            "redirectUris",
            "Where the server sends users back to: exactly these, for 127.0.0.1 and [::1] at any port.",
            or: [],
            .example("[com.example.tasks:/callback]")
        )
        _postLogoutRedirectURIs = keys.value(
            "postLogoutRedirectUris",
            "Where the server sends users after signing out: exactly these, for 127.0.0.1 and [::1] at any port.",
            or: [],
            .example("[com.example.tasks:/signed-out]")
        )
    }
}

/// How users sign in at the embedded identity server.
package enum EmbeddedSignIn: String, Choice {
    case page, automatic

    package var help: String {
        switch self {
        case .page: "on a page that asks for name and password"
        case .automatic: "nobody is asked: the first user that is not blocked"
        }
    }
}
