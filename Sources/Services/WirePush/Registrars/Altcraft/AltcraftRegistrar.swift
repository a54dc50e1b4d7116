public import WireBase
public import WireConfig
public import WireService

/// The Altcraft platform, and how this device subscribes there.
public struct AltcraftRegistrar: PushRegistrar {
    /// The address of the platform.
    @Setting public var url: Address
    /// The role token, for subscribers without a profile of their own.
    @Setting public var roleToken: Secret<String>?
    /// Where the JWT of the user comes from.
    @Setting public var jwt: WordOr<JWTHolder, JWTSource>?
    /// How the platform finds the profile, with a role token.
    @Setting public var matchingMode: Identifier?
    /// What the app is called at the platform.
    @Setting public var appInfo: AltcraftAppInfo
    /// Which of the platform's SDKs the subscription looks like.
    @Setting public var platform: AltcraftPlatform
    /// The providers for this server alone.
    @Setting public var providers: [PushProvider]?
    /// What the user wants to hear about.
    @Setting public var categories: Named<AltcraftCategory>
    /// Fields of the subscription.
    @Setting public var customFields: Named<FieldValue>
    /// Fields of the profile.
    @Setting public var profileFields: Named<ProfileField>
    /// Whether the platform answers once the subscription is stored.
    @Setting public var sync: Bool
    /// Whether other subscriptions of the profile are replaced.
    @Setting public var replace: Bool
    /// Whether the platform's triggers stay silent.
    @Setting public var skipTriggers: Bool
    /// What must be there for the device to be registered.
    @Setting public var needs: [UserNeed]?
    /// Whether push is degraded while this server cannot be told.
    @Setting public var required: Bool

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
public struct AltcraftAppInfo: Record {
    /// The identifier of the app.
    @Setting public var appID: String?
    /// The identifier of this installation.
    @Setting public var appIID: String?
    /// The version of the app.
    @Setting public var appVersion: String?

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
public enum AltcraftPlatform: String, Choice {
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
public struct AltcraftCategory: Record {
    /// What people see.
    @Setting public var title: String?
    /// Whether the user cannot leave it.
    @Setting public var steady: Bool
    /// Whether the user is in it.
    @Setting public var active: Bool

    package init(_ keys: inout Keys) {
        _title = keys.optional("title", "What people see; the name when absent.", .example("News"))
        _steady = keys.value("steady", "Whether the user cannot leave it.", or: false)
        _active = keys.value("active", "Whether the user is in it.", or: true)
    }
}
