import WireConfig

/// Push registration: CW12. Codes that one kind of registrar reports are declared with that kind.
extension Code {
    static let duplicateProvider = Code(
        "CW1201",
        "duplicate-provider",
        .error,
        """
        'providers' is an order of preference: each is tried three times before the next. A duplicate would only \
        repeat a failed attempt.
        """
    )
    static let providerWithoutToken = Code(
        "CW1202",
        "provider-without-token",
        .warning,
        """
        The provider is listed in 'providers' and has no token source. Each attempt fails, and the next provider is \
        tried.

        Write a source under 'push.tokens': 'file', 'env', 'exec' or 'value', or 'app' if the app sets the token at \
        run time. Otherwise remove the provider.
        """
    )
    static let noTokens = Code(
        "CW1203",
        "no-push-tokens",
        .error,
        """
        Push servers identify a device by its push token. The file lists registrars and no token source, so no device \
        can be registered.

        On a machine without a push provider the app can set the token over the local API: 'tokens: { apns: app }'. In \
        an embedded environment corewire generates tokens.
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
        'Authorization' carries the access token of the user (RFC 6750). An API key in the same header would replace \
        the token; use another header for the API key, usually 'x-api-key'.
        """
    )

    static let foreignProvider = Code(
        "CW1210",
        "foreign-provider",
        .error,
        """
        A registrar must support one of the providers in use. Altcraft names providers by platform: ios-apns, \
        ios-firebase, ios-huawei, android-firebase, android-huawei. A Web Push subscription, which consists of a URL \
        and keys, is supported by registrars of the types 'unifiedPush' and 'rest'.
        """
    )
    static let webPushNotRead = Code(
        "CW1217",
        "web-push-not-read",
        .error,
        """
        The runner receives the messages of Web Push itself, and handles them as notifications. Without the section \
        'notifications' nothing would read them. An empty section is enough: 'notifications: {}'.
        """
    )
    static let appIDNotABusName = Code(
        "CW1218",
        "app-id-not-a-bus-name",
        .error,
        """
        A UnifiedPush distributor calls the app by its name on the D-Bus session bus, which is 'app.id'. On a bus, no \
        part of a name begins with a digit: 'com.example.3d' is not possible, 'com.example.app3d' is.
        """
    )

    static let pushCodes: [Code] =
        [
            duplicateProvider, providerWithoutToken, noTokens, unusedToken, noRegistrar, registrarNeedsSignIn,
            takenHeader, foreignProvider, webPushNotRead, appIDNotABusName,
        ] + Registrar.kinds.flatMap { $0.codes }
}
