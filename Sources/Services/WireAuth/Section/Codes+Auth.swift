import WireConfig

/// Sign-in: CW10.
extension Code {
    static let noIssuer = Code(
        "CW1001",
        "no-issuer",
        .error,
        """
        An environment with real servers requires an identity server. 'url' is its base URL: for Keycloak up to and \
        without /realms, for Auth0 the domain of the tenant, for other OpenID providers the issuer.
        """
    )
    static let noRealm = Code(
        "CW1002",
        "keycloak-realm",
        .error,
        """
        Keycloak keeps users and clients in realms; the issuer is url/realms/realm. Other providers have no realms.
        """
    )
    static let noClient = Code(
        "CW1003",
        "client-id",
        .error,
        """
        The identity server identifies an app by its client id. Set 'clientIds' with an entry for each environment; \
        'clientId' is for files with a single client id.
        """
    )
    static let sharedClient = Code(
        "CW1004",
        "shared-client-id",
        .warning,
        """
        Two environments use the same client id. Tokens and redirect URIs of one are then valid in the other, and \
        disabling the client affects both.
        """
    )
    static let duplicateScope = Code(
        "CW1005",
        "duplicate-scope",
        .warning,
        """
        A scope is listed twice. Remove the duplicate.
        """
    )
    static let noOpenID = Code(
        "CW1006",
        "no-openid-scope",
        .error,
        """
        Without the scope 'openid' the server returns an access token and no ID token (OpenID Connect Core, section \
        3.1.2.1), so no user is signed in.
        """
    )
    static let noOfflineAccess = Code(
        "CW1007",
        "no-offline-access",
        .warning,
        """
        Without 'offline_access' most servers return no refresh token, and the user must sign in again when the access \
        token expires. Keycloak returns a refresh token that is valid for the browser session.
        """
    )
    static let localhostRedirect = Code(
        "CW1008",
        "localhost-redirect",
        .warning,
        """
        The address of 'localhost' depends on the machine, and a listener on it may be reachable from outside. RFC \
        8252, section 8.3, requires the IP address: 127.0.0.1 or [::1].
        """
    )
    static let unusedRedirect = Code(
        "CW1009",
        "unused-redirect",
        .warning,
        """
        In the device flow the user signs in on another device, so the redirect URI has no effect.
        """
    )
    static let passwordFlow = Code(
        "CW1010",
        "password-flow",
        .warning,
        """
        The password grant exposes the password to the app and excludes a second factor; RFC 9700, section 2.4, \
        forbids it. For a service account without an alternative, suppress the warning with a reason.
        """
    )
    static let noCredentials = Code(
        "CW1011",
        "no-credentials",
        .error,
        """
        The sign-in flow requires credentials that the section does not set.
        """
    )

    static let haloFlow = Code(
        "CW1012",
        "halo-flow",
        .error,
        """
        A HALO server has no sign-in page: users sign in with user name and password, the app with its secret.
        """
    )

    static let noSignInAddon = Code(
        "CW1014",
        "no-sign-in-addon",
        .warning,
        """
        With flow 'addon', an add-on signs the user in. Add an add-on with the hook 'auth' that replies to \
        'auth.signIn'. If code of the embedding program signs the user in, suppress the warning with a reason.
        """
    )

    static let authCodes: [Code] =
        [
            noIssuer, noRealm, noClient, sharedClient, duplicateScope, noOpenID, noOfflineAccess, localhostRedirect,
            unusedRedirect, passwordFlow, noCredentials, haloFlow, noSignInAddon,
        ] + authOnlineCodes
}
