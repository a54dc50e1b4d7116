package import WireConfig
import WirePushContract
import WireService

/// A server that gets the push token.
package struct Registrar: Sendable {
    let value: any PushRegistrar

    /// The kinds of registrars, in the order of the schema.
    static let kinds: [any PushRegistrar.Type] = [
        UnifiedPushRegistrar.self, HealthCloudRegistrar.self, AltcraftRegistrar.self, HaloRegistrar.self,
        RestRegistrar.self,
    ]

    /// The settings of a server of one kind; nil for another kind.
    package func settings<Settings: Record>(_: Settings.Type) -> Settings? { value as? Settings }

    // MARK: Keys of all kinds

    static func needsKey(_ keys: inout Keys) -> Setting<[UserNeed]?> {
        UserNeed.key(
            &keys,
            "User that a registration needs: a user unless 'auth.policy' is anonymous when absent, "
                + "none with []. Requests with the token of the user wait for a sign-in in any case."
        )
    }

    static func providersKey(_ keys: inout Keys) -> Setting<[PushProvider]?> {
        keys.optional(
            "providers",
            "Providers for this server only, in order of preference.",
            .notEmpty,
            .describedDistinct,
            .example("[firebase]")
        )
    }

    static func vapidKey(_ keys: inout Keys) -> Setting<SenderKey?> {
        keys.optional(
            "vapid",
            "Public VAPID key of the server, so that no other sender can use the Web Push subscription. "
                + "Default: anybody who knows the subscription can send.",
            .example(SenderKey.placeholder.text)
        )
    }

    static func requiredKey(_ keys: inout Keys) -> Setting<Bool> {
        keys.value("required", "Whether push is degraded while this server cannot be reached.", or: true)
    }
}

extension Registrar: OneOf {
    package static var discriminator: String? { "type" }
    package static var alternatives: [Alternative<Self>] { kinds.map { alternative($0) } }

    private static func alternative<Kind: PushRegistrar>(_ kind: Kind.Type) -> Alternative<Self> {
        Alternative(kind.word, kind.help) { (settings: Kind) in Self(value: settings) }
    }
}
