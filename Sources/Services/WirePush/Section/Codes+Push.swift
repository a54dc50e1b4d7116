import WireConfig

/// Push registration: CW12. Codes that one kind of registrar reports are declared with that kind.
extension Code {
    static let duplicateProvider = Code(
        "CW1201",
        "duplicate-provider",
        .error,
        """
        'providers' is an order of preference: each is tried three times before the next. A duplicate would be tried \
        again after it has failed.
        """
    )
    static let providerWithoutToken = Code(
        "CW1202",
        "provider-without-token",
        .warning,
        """
        The provider is on the list of those that are tried, and nothing says where its token comes from. Each attempt \
        fails, and the next provider is taken.

        Write a source under 'push.tokens': 'file', 'env', 'exec' or 'value', or the word 'app' where the app hands the token \
        in while corewire runs. Or leave the provider out.
        """
    )
    static let noTokens = Code(
        "CW1203",
        "no-push-tokens",
        .error,
        """
        Push servers know a device by the token its provider gave it. The file names servers and no source of a token, so \
        nothing could ever be registered.

        On a machine without a provider of its own the app can hand the token in over the local API: 'tokens: { apns: app }'. \
        In an embedded environment corewire makes tokens itself.
        """
    )
    static let unusedToken = Code(
        "CW1204",
        "unused-push-token",
        .warning,
        """
        A token source is used only for providers in the list 'providers'. Add the provider to the list, or remove \
        the source.
        """
    )
    static let noRegistrar = Code(
        "CW1205",
        "no-registrar",
        .warning,
        """
        Without registrars, no server gets the push token, and pushes arrive only over the local API. To allow that, \
        suppress the warning with a reason.
        """
    )
    static let registrarNeedsSignIn = Code(
        "CW1206",
        "registrar-needs-sign-in",
        .error,
        """
        The registration carries a token of the signed-in user and waits for a sign-in. Without an 'auth' section, \
        or with 'mode: app' in it, no user can sign in.
        """
    )
    static let takenHeader = Code(
        "CW1207",
        "taken-header",
        .error,
        """
        'Authorization' carries the access token of the user (RFC 6750). A second credential in the same header \
        would replace it; use another header for the API key, usually 'x-api-key'.
        """
    )

    static let pushCodes: [Code] =
        [
            duplicateProvider, providerWithoutToken, noTokens, unusedToken, noRegistrar, registrarNeedsSignIn,
            takenHeader,
        ] + Registrar.kinds.flatMap { $0.codes }
}
