import WireConfig

/// Disagreements with the identity server that `--online` finds: CW102 and CW103.
extension Code {
    static let noDiscovery = Code(
        "CW1020",
        "no-discovery",
        .error,
        in: .servers,
        """
        The discovery document of the identity server is missing or invalid. Its URL is the issuer followed by \
        /.well-known/openid-configuration. Usually 'url' or 'realm' is wrong: 'url' is the base URL for Keycloak, the \
        tenant for Auth0, and the issuer for other servers.
        """
    )
    static let wrongIssuer = Code(
        "CW1021",
        "wrong-issuer",
        .error,
        in: .servers,
        """
        The issuer that the server announces must equal the issuer of the file (OpenID Connect Discovery, section \
        4.3), so that a server cannot impersonate another one. A trailing slash, another port or http instead of https \
        make a different issuer. Behind a proxy, configure the public URL at the server.
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
        ID tokens are verified with the keys that the server publishes at jwks_uri. The keys cannot be fetched, or \
        none has a supported algorithm: RS, PS or ES with 256, 384 or 512, or EdDSA. No user can sign in.
        """
    )
    static let noPKCE = Code(
        "CW1024",
        "no-pkce",
        .error,
        in: .servers,
        """
        The server supports PKCE (RFC 7636), but not S256. Without S256, an attacker could redeem an intercepted \
        authorization code, so no user is signed in.
        """
    )
    static let untoldPKCE = Code(
        "CW1025",
        "untold-pkce",
        .warning,
        in: .servers,
        """
        The server does not announce support of PKCE with S256 (code_challenge_methods_supported). S256 is sent; a \
        server that ignores it leaves authorization codes unprotected. Check the server, and suppress the warning if \
        it supports S256.
        """
    )
    static let unknownScope = Code(
        "CW1026",
        "unknown-scope",
        .warning,
        in: .servers,
        """
        The server lists its scopes, and one of 'scopes' is not in the list. Servers may omit scopes from the list; \
        only a sign-in shows whether the scope is rejected.
        """
    )
    static let refusedClient = Code(
        "CW1027",
        "refused-client",
        .error,
        in: .servers,
        """
        The check sent an authorization request (prompt=none) with the file's client, redirect URI and scopes. A \
        server that accepts them redirects to the URI with an error; this server rejected the request. Configure the \
        client id, the exact redirect URI and the allowed flows of the client at the server. For flows without a \
        browser, the check sent a token request without user credentials.
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
        Some servers accept such clients without listing 'none'; others reject the code at sign-in.
        """
    )
    static let unofferedGrant = Code(
        "CW1030",
        "grant-not-offered",
        .warning,
        in: .servers,
        """
        The list of grants of the server lacks a grant that the flow, the mode or the scopes of the file require.
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
        The server does not announce the parameter 'iss' in its responses (RFC 9207). 'iss' protects an app with \
        several identity servers from mix-up attacks; with a single server there is no such attack.
        """
    )
    static let inconclusiveClient = Code(
        "CW1033",
        "client-not-known",
        .note,
        in: .servers,
        """
        The server responded to an authorization request without a user (prompt=none) with a page, or to a token \
        request without credentials as for an unknown client. Only a sign-in shows whether the server knows the client \
        and its redirect URI.
        """
    )

    static let authOnlineCodes: [Code] = [
        noDiscovery, wrongIssuer, noEndpoint, noUsableKey, noPKCE, untoldPKCE, unknownScope, refusedClient,
        clientAuthentication, publicClient, unofferedGrant, clockDifference, unnamedAnswers, inconclusiveClient,
    ]
}
