package import WireAuthContract
package import WireBase
package import WireConfig

/// The section `auth`: how users and the app sign in.
package struct AuthSection: Section {
    package static let name = "auth"
    package static let otherNames = [
        "keycloak", "oauth", "oauth2", "oidc", "openid", "login", "signin", "identity", "sso", "authentication",
    ]
    package static let summary =
        "Sign-in and tokens: the identity server, the client, the scopes, the lock."
    package static let isGuard = true
    package static let codes = Code.authCodes

    @Setting package var provider: IdentityProvider
    @Setting package var url: Address?
    @Setting package var realm: RealmName?
    @Setting package var policy: AuthPolicy
    @Setting package var mode: AuthMode
    @Setting package var flow: SignInFlow
    @Setting package var scopes: [Scope]
    @Setting package var audience: String?
    @Setting package var audiences: [String]
    @Setting package var redirectURI: RedirectURI
    @Setting package var postLogoutRedirectURI: RedirectURI?
    @Setting package var clientID: ClientID?
    @Setting package var clientIDs: ByEnvironment<ClientID>?
    @Setting package var clientSecret: Secret<String>?
    @Setting package var username: String?
    @Setting package var password: Secret<String>?
    @Setting package var parameters: Named<String>
    @Setting package var renewBefore: Duration
    @Setting package var leeway: Duration
    @Setting package var keysMaxAge: Duration
    @Setting package var guidance: Guidance
    @Setting package var lock: SessionLock?

    package init(_ keys: inout Keys) {
        _provider = keys.value("provider", "Kind of identity server.", or: .oidc)
        _url = keys.optional(
            "url",
            "Base URL of the identity server; for keycloak up to and without /realms.",
            .takes(.root),
            .example("https://sso.example.com/auth"),
            .standIn(at: "realms")
        )
        _realm = keys.optional("realm", "Realm, for Keycloak.", .example("tasks"))
        _policy = keys.value("policy", "Whether services run before a user has signed in.", or: .authentication)
        _mode = keys.value("mode", "Token of requests that set no mode.", or: .user)
        _flow = keys.value("flow", "Sign-in flow.", or: .browser)
        _scopes = keys.value(
            "scopes",
            "Scopes to request.",
            or: ["openid", "profile", "offline_access"].map(Scope.init(known:))
        )
        _audience = keys.optional(
            "audience",
            "API for which tokens are requested, for servers that require it.",
            .example("https://api.example.com")
        )
        _audiences = keys.value(
            "audiences",
            "Further trusted values of 'aud' in ID tokens.",
            or: [],
            .example("[project-4711]")
        )
        _redirectURI = keys.value("redirectUri", "Redirect URI of the sign-in.", or: .anyLoopbackPort)
        _postLogoutRedirectURI = keys.optional(
            "postLogoutRedirectUri",
            "Redirect URI after signing out."
        )
        _clientID = keys.optional("clientId", "Client id, if it is the same in all environments.")
        _clientIDs = keys.optional(
            "clientIds",
            "Client id in each environment.",
            .described(excludes: "clientId")
        )
        _clientSecret = keys.optional("clientSecret", "Client secret, for confidential clients.")
        _username = keys.optional(
            "username",
            "User name for the flow 'password'.",
            .example("kiosk")
        )
        _password = keys.optional("password", "Password of 'username'.")
        _parameters = keys.value(
            "parameters",
            "Additional parameters of the authorization request.",
            or: Named(),
            .example("{ organization: org_123 }")
        )
        _renewBefore = keys.value(
            "renewBefore",
            "Time before expiry at which a token is renewed.",
            or: .seconds(60),
            .in(.zero ... .seconds(3_600))
        )
        _leeway = keys.value(
            "leeway",
            "Accepted clock difference between server and host.",
            or: .seconds(60),
            .in(.zero ... .seconds(600))
        )
        _keysMaxAge = keys.value(
            "keysMaxAge",
            "Maximum age of the cached keys of the server.",
            or: .seconds(86_400),
            .in(.seconds(60) ... .seconds(7 * 86_400))
        )
        _guidance = keys.value(
            "guidance",
            "Texts for the user when sign-in fails, by kind of failure.",
            or: Guidance()
        )
        _lock = keys.optional(
            "lock",
            "Lock of the session, which withholds tokens and user data until the user unlocks it."
        )
    }
}

/// The kind of identity server.
package enum IdentityProvider: String, Choice {
    case keycloak, auth0, oidc, halo

    package var otherWords: [String] {
        switch self {
        case .keycloak: ["rhsso", "redhat", "aerogear"]
        case .auth0: []
        case .oidc: ["openid", "oauth", "oauth2", "okta", "google", "azure", "entra", "cognito", "generic"]
        case .halo: []
        }
    }

    package var help: String {
        switch self {
        case .keycloak: "Keycloak: the issuer is url/realms/realm"
        case .auth0: "Auth0: the issuer is the url with a slash at its end"
        case .oidc: "any OpenID provider: the url is the issuer"
        case .halo: "a HALO server: the url is its API, as in 'url: api'; password and app sign-in only"
        }
    }
}

/// Whether services run before a user has signed in.
package enum AuthPolicy: String, Choice {
    case authentication, anonymous

    package var help: String {
        switch self {
        case .authentication: "services that need a user start after sign-in"
        case .anonymous: "all services start; requests that need a token wait for a sign-in"
        }
    }
}

/// The kind of tokens that requests carry.
package enum AuthMode: String, Choice {
    case app, appPlus, user

    package var help: String {
        switch self {
        case .app: "tokens of the app itself (client credentials)"
        case .appPlus: "tokens of the app until a user is identified, then of both"
        case .user: "tokens of the signed-in user"
        }
    }
}

/// The lock, which withholds tokens and user data until the user unlocks the session.
package struct SessionLock: Record {
    @Setting package var after: Duration
    @Setting package var method: UnlockMethod
    @Setting package var attempts: Int

    package init(_ keys: inout Keys) {
        _after = keys.value(
            "after",
            "Idle time after which the session locks.",
            or: .seconds(300),
            .in(.seconds(1) ... .seconds(7 * 86_400))
        )
        _method = keys.value("method", "Unlock method.", or: .pin)
        _attempts = keys.value("attempts", "Number of wrong attempts after which the session ends.", or: 5, .in(1...20))
    }
}

/// The texts for the user when sign-in fails; built-in texts by default.
package struct Guidance: Record {
    /// The texts that the file changes, by the kind of failure.
    package let texts: [Failure: String]

    /// The kinds of failure that a user can act on.
    package enum Failure: String, Sendable, CaseIterable {
        /// An administrator has closed the account.
        case blocked
        /// User name or password is wrong.
        case invalidCredentials
        /// Another factor is asked for.
        case secondFactor
        /// Too many wrong attempts.
        case tooManyAttempts
        /// The address of the account is not verified yet.
        case unverified
        /// The password was found in a leak and must be changed.
        case passwordLeaked
        /// The user refused, or may not use the app.
        case accessDenied
        /// The session has ended at the server.
        case sessionExpired
        /// The server cannot be reached.
        case offline
        /// The server failed.
        case server
        /// The server needs an answer of the user: consent, an account, an update of the profile.
        case interaction
        /// The code for signing in on another device was not confirmed in time.
        case codeExpired
        /// The server, or what it answered, could not be trusted.
        case untrusted
        /// The server does not know the app, or not this way of signing in.
        case configuration
        /// The clock of this machine is wrong.
        case clock
        /// The user gave up.
        case cancelled

        var help: String {
            switch self {
            case .blocked: "The account was blocked by an administrator."
            case .invalidCredentials: "User name or password is wrong."
            case .secondFactor: "A second factor is required."
            case .tooManyAttempts: "Too many wrong attempts."
            case .unverified: "The address of the account is not verified yet."
            case .passwordLeaked: "The password was found in a leak and must be changed."
            case .accessDenied: "The user denied access, or may not use the app."
            case .sessionExpired: "The session has ended at the server."
            case .offline: "The server cannot be reached."
            case .server: "The server failed."
            case .interaction: "The server requires an interaction of the user."
            case .codeExpired: "The code for another device was not confirmed in time."
            case .untrusted: "The server or its response is not trusted."
            case .configuration: "The server does not accept the app or its sign-in flow."
            case .clock: "The clock of this machine is wrong."
            case .cancelled: "The user cancelled the sign-in."
            }
        }
    }

    /// The built-in texts.
    package init() {
        texts = [:]
    }

    package init(_ keys: inout Keys) {
        var texts: [Failure: String] = [:]
        for failure in Failure.allCases {
            let text: Setting<String?> = keys.optional(
                failure.rawValue,
                failure.help,
                .example("\"Write to help@example.com.\"")
            )
            texts[failure] = text.wrappedValue
        }
        self.texts = texts
    }
}
