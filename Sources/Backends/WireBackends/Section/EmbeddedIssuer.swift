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
            "Address of this server, instead of the shared one.",
            .example("127.0.0.1:7431")
        )
        _users = keys.value(
            "users",
            "Users by user name. Default: a user 'demo' without a password.",
            or: Named(),
            .example("{ ada: { name: Ada Lovelace, email: ada@example.com } }")
        )
        _clients = keys.value(
            "clients",
            "Further apps that may request tokens, such as one on a phone, by client id.",
            or: Named(),
            .example("{ phone: { redirectUris: [com.example.tasks:/callback] } }")
        )
        _signIn = keys.value("signIn", "Way in which users sign in.", or: .page)
        _accessTokenLifetime = keys.value(
            "accessTokenLifetime",
            "Lifetime of access tokens.",
            or: .seconds(300),
            .in(.seconds(1) ... .seconds(86_400))
        )
        _refreshTokenLifetime = keys.value(
            "refreshTokenLifetime",
            "Lifetime of refresh tokens.",
            or: .seconds(30 * 86_400),
            .in(.seconds(1) ... .seconds(365 * 86_400))
        )
        _rotatesRefreshTokens = keys.value(
            "rotateRefreshTokens",
            "Whether a refresh token can be used only once (RFC 9700).",
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
        _displayName = keys.optional("name", "Display name.", .example("Ada Lovelace"))
        _email = keys.optional("email", "Email address.", .example("ada@example.com"))
        _isEmailVerified = keys.value("emailVerified", "Whether the email address is verified.", or: true)
        _password = keys.optional("password", "Password. Without it every password is accepted.")
        _roles = keys.value("roles", "Realm roles.", or: [], .example("[nurse]"))
        _isBlocked = keys.value("blocked", "Whether the account is blocked.", or: false)
        _claims = keys.value(
            "claims",
            "Further claims of the tokens, by name; names may be URLs.",
            or: .mapping([]),
            .example("{ ward: \"3B\" }")
        )
    }
}

/// A client of the embedded identity server that no other section of the file declares.
package struct EmbeddedApp: Record {
    @Setting package var secret: Secret<String>?
    @Setting package var redirectURIs: [String]
    @Setting package var postLogoutRedirectURIs: [String]

    package init(_ keys: inout Keys) {
        _secret = keys.optional("secret", "Client secret. Without it the app is a public client.")
        _redirectURIs = keys.value(
            "redirectUris",
            "Redirect URIs, compared exactly; 127.0.0.1 and [::1] match at any port.",
            or: [],
            .example("[com.example.tasks:/callback]")
        )
        _postLogoutRedirectURIs = keys.value(
            "postLogoutRedirectUris",
            "Redirect URIs after sign-out, compared exactly; 127.0.0.1 and [::1] match at any port.",
            or: [],
            .example("[com.example.tasks:/signed-out]")
        )
    }
}

/// The way in which users sign in at the embedded identity server.
package enum EmbeddedSignIn: String, Choice {
    case page, automatic

    package var help: String {
        switch self {
        case .page: "users enter name and password on a page"
        case .automatic: "the first user that is not blocked is signed in without a page"
        }
    }
}
