package import WireBase
package import WireConfig
package import WirePushContract

/// An Altcraft platform, and the subscription of this device there.
package struct AltcraftRegistrar: PushRegistrar {
    @Setting package var url: Address
    @Setting package var roleToken: Secret<HeaderValue>?
    @Setting package var jwt: WordOr<JWTHolder, JWTSource>?
    @Setting package var matchingMode: Identifier?
    @Setting package var appInfo: AltcraftAppInfo
    @Setting package var platform: AltcraftPlatform
    @Setting package var providers: [PushProvider]?
    @Setting package var webPushProvider: Identifier?
    @Setting package var vapid: SenderKey?
    @Setting package var categories: Named<AltcraftCategory>
    @Setting package var customFields: Named<FieldValue>
    @Setting package var profileFields: Named<ProfileField>
    @Setting package var sync: Bool
    @Setting package var replace: Bool
    @Setting package var skipTriggers: Bool
    @Setting package var needs: [UserNeed]?
    @Setting package var required: Bool

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "URL of the platform.",
            .takes(.root),
            .example("https://pxl.example.com"),
            .standIn(at: "altcraft")
        )
        _roleToken = keys.optional(
            "rToken",
            "Role token, for anonymous subscriptions.",
            .example("\"${env:ALTCRAFT_RTOKEN}\"")
        )
        _jwt = keys.optional(
            "jwt",
            "Source of the user's JWT, where there is no role token.",
            .example("auth")
        )
        _matchingMode = keys.optional(
            "matchingMode",
            "Mode in which the platform finds the profile with a role token. Default: push_sub.",
            .example("push_sub")
        )
        _appInfo = keys.value("appInfo", "Name, id and version of the app at the platform.", or: .placeholder)
        _platform = keys.value(
            "platform",
            "SDK whose names of providers and fields the subscription uses.",
            or: .ios
        )
        _providers = Registrar.providersKey(&keys)
        _webPushProvider = keys.optional(
            "webPushProvider",
            "Platform's name of the provider that accepts Web Push subscriptions; without it, the platform gets none.",
            .example("firefox")
        )
        _vapid = Registrar.vapidKey(&keys)
        _categories = keys.value(
            "categories",
            "Categories of the subscription, by the platform's names.",
            or: Named(),
            .example("{ news: { title: News } }")
        )
        _customFields = keys.value(
            "customFields",
            "Fields of the subscription: plain values.",
            or: Named(),
            .example("{ ward: 3B }")
        )
        _profileFields = keys.value(
            "profileFields",
            "Fields of the profile: values to set, or changes.",
            or: Named(),
            .example("{ _fname: Ada, visits: { action: incr, value: 1 } }")
        )
        _sync = keys.value("sync", "Whether the platform responds only once the subscription is stored.", or: true)
        _replace = keys.value("replace", "Whether other subscriptions of the profile are replaced.", or: false)
        _skipTriggers = keys.value("skipTriggers", "Whether the platform runs no triggers.", or: false)
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }

    var ownProviders: Setting<[PushProvider]?>? { _providers }

    /// The providers whose tokens the platform accepts.
    var supported: [PushProvider] { platform.providers + (webPushProvider == nil ? [] : [.webPush]) }
}

/// The app's identity at Altcraft.
package struct AltcraftAppInfo: Record {
    @Setting package var appID: String?
    @Setting package var appIID: String?
    @Setting package var appVersion: String?

    package init(_ keys: inout Keys) {
        _appID = keys.optional("appId", "Identifier of the app. Default: app.id.", .example("com.example.tasks"))
        _appIID = keys.optional(
            "appIid",
            "Identifier of this installation. Default: generated and stored.",
            .example("cart-17")
        )
        _appVersion = keys.optional("appVersion", "Version of the app. Default: app.version.", .example("1.4.0"))
    }
}

/// The Altcraft SDK whose names of providers and device fields a subscription uses.
package enum AltcraftPlatform: String, Choice {
    case ios, android

    package var help: String {
        switch self {
        case .ios: "providers ios-apns, ios-firebase and ios-huawei"
        case .android: "providers android-firebase and android-huawei"
        }
    }

    /// The providers that the platform supports.
    var providers: [PushProvider] {
        switch self {
        case .ios: [.apns, .firebase, .huawei]
        case .android: [.firebase, .huawei]
        }
    }
}

/// A category of a subscription.
package struct AltcraftCategory: Record {
    @Setting package var title: String?
    @Setting package var steady: Bool
    @Setting package var active: Bool

    package init(_ keys: inout Keys) {
        _title = keys.optional("title", "Displayed title. Default: the name.", .example("News"))
        _steady = keys.value("steady", "Whether the user cannot unsubscribe from the category.", or: false)
        _active = keys.value("active", "Whether the user is subscribed to the category.", or: true)
    }
}
