package import WireBase
package import WireConfig
package import WirePushContract

/// The Altcraft platform, and how this device subscribes there.
package struct AltcraftRegistrar: PushRegistrar {
    @Setting package var url: Address
    @Setting package var roleToken: Secret<String>?
    @Setting package var jwt: WordOr<JWTHolder, JWTSource>?
    @Setting package var matchingMode: Identifier?
    @Setting package var appInfo: AltcraftAppInfo
    @Setting package var platform: AltcraftPlatform
    @Setting package var providers: [PushProvider]?
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
            "The address of the platform.",
            .takes(.root),
            .example("https://pxl.example.com"),
            .standIn(at: "altcraft")
        )
        _roleToken = keys.optional(
            "rToken",
            "The role token, for subscribers without a profile of their own.",
            .example("\"${env:ALTCRAFT_RTOKEN}\"")
        )
        _jwt = keys.optional(
            "jwt",
            "Where the JWT of the user comes from, where there is no role token.",
            .example("auth")
        )
        _matchingMode = keys.optional(
            "matchingMode",
            "How the platform finds the profile with a role token; push_sub when absent.",
            .example("push_sub")
        )
        _appInfo = keys.value("appInfo", "What the app is called at the platform.", or: .placeholder)
        _platform = keys.value("platform", "Which of the platform's SDKs the subscription looks like.", or: .ios)
        _providers = keys.optional(
            "providers",
            "The providers for this server alone, the preferred one first.",
            .notEmpty,
            .describedDistinct,
            .example("[firebase]")
        )
        _categories = keys.value(
            "categories",
            "What the user wants to hear about, by the name the platform knows.",
            or: Named(),
            .example("{ news: { title: News } }")
        )
        _customFields = keys.value(
            "customFields",
            "Fields of the subscription, each a plain value.",
            or: Named(),
            .example("{ ward: 3B }")
        )
        _profileFields = keys.value(
            "profileFields",
            "Fields of the profile: a value that is set, or a change of it.",
            or: Named(),
            .example("{ _fname: Ada, visits: { action: incr, value: 1 } }")
        )
        _sync = keys.value("sync", "Whether the platform answers once the subscription is stored.", or: true)
        _replace = keys.value("replace", "Whether other subscriptions of the profile are replaced.", or: false)
        _skipTriggers = keys.value("skipTriggers", "Whether the platform's triggers stay silent.", or: false)
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }

    var ownProviders: Setting<[PushProvider]?>? { _providers }
}

/// What the app is called at Altcraft.
package struct AltcraftAppInfo: Record {
    @Setting package var appID: String?
    @Setting package var appIID: String?
    @Setting package var appVersion: String?

    package init(_ keys: inout Keys) {
        _appID = keys.optional("appId", "The identifier of the app; app.id when absent.", .example("com.example.tasks"))
        _appIID = keys.optional(
            "appIid",
            "The identifier of this installation; made once and kept when absent.",
            .example("cart-17")
        )
        _appVersion = keys.optional("appVersion", "The version of the app; app.version when absent.", .example("1.4.0"))
    }
}

/// Which of Altcraft's SDKs a subscription looks like: names of providers, fields of the device.
package enum AltcraftPlatform: String, Choice {
    case ios, android

    package var help: String {
        switch self {
        case .ios: "providers ios-apns, ios-firebase and ios-huawei"
        case .android: "providers android-firebase and android-huawei"
        }
    }

    /// The providers the platform knows for it.
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
        _title = keys.optional("title", "What people see; the name when absent.", .example("News"))
        _steady = keys.value("steady", "Whether the user cannot leave it.", or: false)
        _active = keys.value("active", "Whether the user is in it.", or: true)
    }
}
