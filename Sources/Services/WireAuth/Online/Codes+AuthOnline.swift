import WireConfig

/// Disagreements with the identity server that `--online` finds: CW102 and CW103.
extension Code {
    static let noDiscovery = Code(
        "CW1020",
        "no-discovery",
        .error,
        in: .servers,
        """
        The discovery document of an identity server describes its endpoints. It is at the issuer followed by \
        /.well-known/openid-configuration. It is missing or invalid. Most often 'url' or 'realm' is \
        wrong: 'url' is the base address for Keycloak, the tenant for Auth0, and the issuer itself for others.
        """
    )
    static let wrongIssuer = Code(
        "CW1021",
        "wrong-issuer",
        .error,
        in: .servers,
        """
        The server must name itself exactly as the file does (OpenID Connect Discovery, section 4.3): otherwise \
        one server could pose as another. A final slash, another port or http for https make another issuer. Where \
        a proxy is in front, set the server's public name at the server.
        """
    )
    static let noEndpoint = Code(
        "CW1022",
        "no-endpoint",
        .error,
        in: .servers,
        """
        A setting needs an endpoint that the server does not have: a device_authorization_endpoint for flow \
        'device', an end_session_endpoint for 'postLogoutRedirectUri'.
        """
    )
    static let noUsableKey = Code(
        "CW1023",
        "no-usable-key",
        .error,
        in: .servers,
        """
        ID tokens are verified with the keys that the server publishes at jwks_uri. \
        The keys cannot be fetched, or none has a supported algorithm: RS, PS or ES with 256, \
        384 or 512, or EdDSA. No user could sign in.
        """
    )
    static let noPKCE = Code(
        "CW1024",
        "no-pkce",
        .error,
        in: .servers,
        """
        The server supports PKCE (RFC 7636), but not S256. Without S256, a code intercepted on its way back to the \
        app can be redeemed by the interceptor, so no user is signed in this way.
        """
    )
    static let untoldPKCE = Code(
        "CW1025",
        "untold-pkce",
        .warning,
        in: .servers,
        """
        The server does not say whether it supports PKCE with S256 (code_challenge_methods_supported). S256 is sent; a \
        server that ignores S256 leaves codes unprotected. Check the server, and allow the warning if it supports S256.
        """
    )
    static let unknownScope = Code(
        "CW1026",
        "unknown-scope",
        .warning,
        in: .servers,
        """
        The server lists its scopes, and one of 'scopes' is not in the list. Servers may leave scopes out of \
        the list; whether the scope is refused shows only at sign-in.
        """
    )
    static let refusedClient = Code(
        "CW1027",
        "refused-client",
        .error,
        in: .servers,
        """
        The check sent an authorization request (prompt=none) with the file's client, redirect URI and scopes. A \
        server that knows both redirects to that URI with an error; this server refused. Set up the client id, the \
        exact redirect URI and the allowed flows of the client at the server. \
        Where users do not sign in with a browser, the check sent a token request without credentials of a user.
        """
    )
    static let clientAuthentication = Code(
        "CW1028",
        "client-authentication",
        .error,
        in: .servers,
        """
        The app and the token endpoint have no client authentication method in common. With \
        'clientSecret' the app uses client_secret_basic or client_secret_post.
        """
    )
    static let publicClient = Code(
        "CW1029",
        "public-client",
        .warning,
        in: .servers,
        """
        The file has no 'clientSecret', and the server does not list 'none' among its client authentication methods. \
        Some servers accept such clients without listing 'none'; others refuse the code at sign-in.
        """
    )
    static let unofferedGrant = Code(
        "CW1030",
        "grant-not-offered",
        .warning,
        in: .servers,
        """
        The server lists its grants, and one that the flow, the mode or the scopes of the file need is not in the list.
        """
    )
    static let clockDifference = Code(
        "CW1031",
        "clock-difference",
        .warning,
        in: .servers,
        """
        The clocks of this machine and of the server differ by more than 'leeway', so that tokens are \
        rejected as not yet valid or expired. Synchronize both clocks with NTP.
        """
    )
    static let unnamedAnswers = Code(
        "CW1032",
        "unnamed-answers",
        .note,
        in: .servers,
        """
        The server does not announce the parameter 'iss' in its answers (RFC 9207). 'iss' protects an app with several \
        identity servers from mix-up attacks; with one server there is no such attack.
        """
    )
    static let inconclusiveClient = Code(
        "CW1033",
        "client-not-known",
        .note,
        in: .servers,
        """
        The server answered a request without a user (prompt=none) with a page of its own, or a token request without \
        credentials as it answers an unknown client. Whether the server knows the client and its \
        redirect URI shows only at sign-in.
        """
    )

    static let authOnlineCodes: [Code] = [
        noDiscovery, wrongIssuer, noEndpoint, noUsableKey, noPKCE, untoldPKCE, unknownScope, refusedClient,
        clientAuthentication, publicClient, unofferedGrant, clockDifference, unnamedAnswers, inconclusiveClient,
    ]
}
