import WireConfig

/// What the identity server does not agree with, found with `--online`: CW102 and CW103.
extension Code {
    static let noDiscovery = Code(
        "CW1020",
        "no-discovery",
        .error,
        in: .servers,
        """
        Everything about an identity server is found in its discovery document, at the issuer followed by \
        /.well-known/openid-configuration. There is none, or it says something that cannot be. Most often 'url' or 'realm' is \
        not what it should be: 'url' is the base address for Keycloak, the tenant for Auth0, and the issuer itself for others.
        """
    )
    static let wrongIssuer = Code(
        "CW1021",
        "wrong-issuer",
        .error,
        in: .servers,
        """
        A server has to call itself what it was asked for, to the letter (OpenID Connect Discovery, section 4.3): otherwise \
        one server could pass for another. A slash at the end, another port, http in place of https make another issuer. Where \
        a proxy stands in front, the server has to be told the name it is reached by.
        """
    )
    static let noEndpoint = Code(
        "CW1022",
        "no-endpoint",
        .error,
        in: .servers,
        """
        What the file asks for needs an address that the server does not have: a device_authorization_endpoint for flow \
        'device', an end_session_endpoint for 'postLogoutRedirectUri'.
        """
    )
    static let noUsableKey = Code(
        "CW1023",
        "no-usable-key",
        .error,
        in: .servers,
        """
        Who a user is, is believed by the signature of the server, which is checked with the keys it publishes at jwks_uri. \
        They cannot be had, or none of them can check a signature by an algorithm that is known here: RS, PS or ES with 256, \
        384 or 512, or EdDSA. Nobody could sign in.
        """
    )
    static let noPKCE = Code(
        "CW1024",
        "no-pkce",
        .error,
        in: .servers,
        """
        The server says that it does PKCE (RFC 7636), and not by S256. Without it a code that is caught on its way back to the \
        app can be redeemed by whoever caught it, so no user is signed in this way.
        """
    )
    static let untoldPKCE = Code(
        "CW1025",
        "untold-pkce",
        .warning,
        in: .servers,
        """
        The server does not say whether it does PKCE by S256 (code_challenge_methods_supported). It is sent all the same; a \
        server that ignores it leaves codes unprotected. Find out, and allow the warning where it does.
        """
    )
    static let unknownScope = Code(
        "CW1026",
        "unknown-scope",
        .warning,
        in: .servers,
        """
        The server lists the scopes it has, and one that the file asks for is not among them. Servers may leave scopes out of \
        the list; one that refuses them, or gives tokens without, shows only at sign-in.
        """
    )
    static let refusedClient = Code(
        "CW1027",
        "refused-client",
        .error,
        in: .servers,
        """
        The server was asked to sign nobody in (prompt=none), as the client of the file, with its redirect URI and scopes. A \
        server that knows both sends an error back to that URI, to which nobody went; this one refused. The client id, the \
        redirect URI to the letter, and the ways of signing in that are switched on for the client are set up at the server. \
        Where users do not sign in by a browser, the server was asked for a token without anything that could give one.
        """
    )
    static let clientAuthentication = Code(
        "CW1028",
        "client-authentication",
        .error,
        in: .servers,
        """
        How the app proves to the token endpoint who it is, and how the server wants it proved, have nothing in common. With \
        'clientSecret' it is client_secret_basic or client_secret_post.
        """
    )
    static let publicClient = Code(
        "CW1029",
        "public-client",
        .warning,
        in: .servers,
        """
        The file has no 'clientSecret', and the server does not list 'none' among the ways clients may prove who they are. \
        Some servers take such clients and do not list it; others will refuse the code at sign-in.
        """
    )
    static let unofferedGrant = Code(
        "CW1030",
        "grant-not-offered",
        .warning,
        in: .servers,
        """
        The server lists the grants it has, and one that the flow, the mode or the scopes of the file need is not among them.
        """
    )
    static let clockDifference = Code(
        "CW1031",
        "clock-difference",
        .warning,
        in: .servers,
        """
        The clocks of this machine and of the server differ by more than 'leeway'. Tokens would be too new, or over, before \
        they are looked at. Set both by NTP.
        """
    )
    static let unnamedAnswers = Code(
        "CW1032",
        "unnamed-answers",
        .note,
        in: .servers,
        """
        The server does not announce that its answers say whom they are from (RFC 9207). That protects an app with several \
        identity servers from taking the answer of one for that of another; with one server there is nothing to mix up.
        """
    )
    static let inconclusiveClient = Code(
        "CW1033",
        "client-not-known",
        .note,
        in: .servers,
        """
        Asked to sign nobody in (prompt=none), the server answered with a page of its own; or asked for a token without \
        anything that could give one, it answered as it answers a client that does not exist. Whether it knows the client and its \
        redirect URI shows only at sign-in.
        """
    )

    static let authOnlineCodes: [Code] = [
        noDiscovery, wrongIssuer, noEndpoint, noUsableKey, noPKCE, untoldPKCE, unknownScope, refusedClient,
        clientAuthentication, publicClient, unofferedGrant, clockDifference, unnamedAnswers, inconclusiveClient,
    ]
}
