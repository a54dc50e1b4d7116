import WireConfig

/// Push registration: CW12.
extension Code {
    static let duplicateProvider = Code(
        "CW1201",
        "duplicate-provider",
        .error,
        """
        'providers' is an order of preference: each is tried three times, then the next one. A provider that stands in it \
        twice would be tried again after it has failed.
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
        A token source is used only for providers that are on the list 'providers'. Add the provider to the list, or remove \
        the source.
        """
    )
    static let noRegistrar = Code(
        "CW1205",
        "no-registrar",
        .warning,
        """
        A push section without registrars keeps tokens that no server is told of. Pushes then arrive only by way of the \
        local API. Where that is what is wanted, allow the warning with the reason.
        """
    )
    static let registrarNeedsSignIn = Code(
        "CW1206",
        "registrar-needs-sign-in",
        .error,
        """
        The registration carries a token of the signed-in user, and waits until there is one. Without an 'auth' section, \
        or with 'mode: app' in it, there will never be one.
        """
    )
    static let takenHeader = Code(
        "CW1207",
        "taken-header",
        .error,
        """
        'Authorization' carries the access token of the user (RFC 6750). A second credential in the same header would replace \
        it; the API key has a header of its own, most often 'x-api-key'.
        """
    )
    static let noAltcraftToken = Code(
        "CW1208",
        "altcraft-authorization",
        .error,
        """
        Every request to Altcraft is authorized by one of two things. A role token (rToken) stands for anonymous \
        subscriptions. A JWT stands for a person: its claim 'matching' says which profile is meant. 'jwt' names where it \
        comes from: 'auth', 'app', or a mapping with 'file', 'env' or 'exec'.
        """
    )
    static let twoAltcraftTokens = Code(
        "CW1209",
        "two-altcraft-tokens",
        .warning,
        """
        Altcraft's SDKs look at the role token first and ask for a JWT only where there is none; so does corewire. With both \
        in the file, all subscriptions are anonymous. Keep the one that is meant.
        """
    )
    static let foreignProvider = Code(
        "CW1210",
        "foreign-provider",
        .error,
        """
        Altcraft names providers by platform: ios-apns, ios-firebase, ios-huawei, android-firebase, android-huawei. A \
        subscription whose platform knows none of the providers that are tried cannot be made.
        """
    )
    static let unusedMatchingMode = Code(
        "CW1211",
        "unused-matching-mode",
        .warning,
        """
        With a role token the request says how the platform finds the profile. With a JWT the token says it, in its claim \
        'matching', and what the file says is not sent.
        """
    )
    static let changeWithoutValue = Code(
        "CW1212",
        "change-without-value",
        .error,
        """
        All actions on a field of a profile but 'unset' do something with a value: they set it, add it to a number, put it into \
        a list or take it out.
        """
    )
    static let haloNeedsDevice = Code(
        "CW1213",
        "halo-needs-device",
        .error,
        """
        A HALO server has no registration of its own for pushes: it reads the token from the device, which the section \
        'device' saves there.
        """
    )
    static let eventsWithoutPushID = Code(
        "CW1214",
        "events-without-push-id",
        .error,
        """
        Pushes of AeroGear, Altcraft and HALO are known by members of theirs. What tells the pushes of another server from \
        those of strangers is for the file to say: 'pushId' names the member that holds the id of a push.
        """
    )
    static let unknownPushVariable = Code(
        "CW1215",
        "unknown-push-variable",
        .error,
        """
        The requests of a registrar of the type 'rest' are filled in with what is known of the token, the device and the \
        user: token, provider, oldToken, oldProvider, deviceId, alias, haloId, user, app, appVersion, environment, platform, \
        osVersion, deviceType, model, language, requestId, time; those that tell of a push also with pushId and event.
        """
    )
    static let secretHeader = Code(
        "CW1216",
        "secret-header",
        .error,
        """
        Templates are shown wherever the file is shown. What is a secret has keys of its own, whose values are redacted \
        everywhere: 'apiKey' and 'apiKeyHeader', and 'authorization' for the token of the user.
        """
    )

    static let pushCodes: [Code] = [
        duplicateProvider, providerWithoutToken, noTokens, unusedToken, noRegistrar, registrarNeedsSignIn, takenHeader,
        noAltcraftToken, twoAltcraftTokens, foreignProvider, unusedMatchingMode, changeWithoutValue, haloNeedsDevice,
        eventsWithoutPushID, unknownPushVariable, secretHeader,
    ]
}
