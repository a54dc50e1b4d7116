import WireConfig

/// Sign-in: CW10.
extension Code {
    static let noIssuer = Code(
        "CW1001",
        "no-issuer",
        .error,
        """
        Outside an embedded environment there must be an identity server. 'url' is its base address: for Keycloak \
        everything before /realms, for Auth0 the domain of the tenant, for any other OpenID provider the issuer.
        """
    )
    static let noRealm = Code(
        "CW1002",
        "keycloak-realm",
        .error,
        """
        Keycloak keeps users and clients in realms; the issuer is url/realms/realm. Other providers have none.
        """
    )
    static let noClient = Code(
        "CW1003",
        "client-id",
        .error,
        """
        The identity server knows an app by its client id. Where each environment has its own, and it should, write \
        'clientIds' with an entry for every environment; 'clientId' is for a file with one.
        """
    )
    static let sharedClient = Code(
        "CW1004",
        "shared-client-id",
        .warning,
        """
        Two environments sign in as the same client. Tokens and redirect rules of one are then valid in the other, and \
        closing the client for one closes it for both.
        """
    )
    static let duplicateScope = Code(
        "CW1005",
        "duplicate-scope",
        .warning,
        """
        A scope is listed twice. Servers ignore the second one: remove it.
        """
    )
    static let noOpenID = Code(
        "CW1006",
        "no-openid-scope",
        .error,
        """
        Without the scope 'openid' the server answers with an access token and no ID token (OpenID Connect Core, section \
        3.1.2.1), so no user is signed in.
        """
    )
    static let noOfflineAccess = Code(
        "CW1007",
        "no-offline-access",
        .warning,
        """
        Without 'offline_access' most servers give no refresh token, and the user signs in again whenever the access token \
        ends. Keycloak gives one for the length of the browser session.
        """
    )
    static let localhostRedirect = Code(
        "CW1008",
        "localhost-redirect",
        .warning,
        """
        The address of 'localhost' depends on the machine, and a listener on it may be reachable from outside. RFC \
        8252, section 8.3, asks for the address itself: 127.0.0.1 or [::1].
        """
    )
    static let unusedRedirect = Code(
        "CW1009",
        "unused-redirect",
        .warning,
        """
        In the device flow the user finishes on another device, and no browser is redirected.
        """
    )
    static let passwordFlow = Code(
        "CW1010",
        "password-flow",
        .warning,
        """
        The password grant gives the password to the app and rules out a second factor; RFC 9700, section 2.4, forbids it \
        for people. For a machine account that cannot do otherwise, allow the warning with the reason.
        """
    )
    static let noCredentials = Code(
        "CW1011",
        "no-credentials",
        .error,
        """
        The way of signing in that the section chooses needs credentials that it does not name.
        """
    )

    static let haloFlow = Code(
        "CW1012",
        "halo-flow",
        .error,
        """
        A HALO server has no sign-in page: users sign in there with name and password, and the app with its secret.
        """
    )

    static let noSignInAddon = Code(
        "CW1014",
        "no-sign-in-addon",
        .warning,
        """
        With flow 'addon', an add-on provides the user. An add-on of the file does where its 'hooks' have 'auth', \
        and it answers 'auth.signIn'. Code of a program that embeds the services may do so as well: there, \
        allow the warning with the reason.
        """
    )

    static let authCodes: [Code] =
        [
            noIssuer, noRealm, noClient, sharedClient, duplicateScope, noOpenID, noOfflineAccess, localhostRedirect,
            unusedRedirect, passwordFlow, noCredentials, haloFlow, noSignInAddon,
        ] + authOnlineCodes
}
