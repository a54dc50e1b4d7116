package import WireConfig
import WireService

/// A server that is told of the push token.
package struct Registrar: Sendable {
    let value: any PushRegistrar

    /// The kinds there are, in the order of the schema.
    static let kinds: [any PushRegistrar.Type] = [
        UnifiedPushRegistrar.self, HealthCloudRegistrar.self, AltcraftRegistrar.self, HaloRegistrar.self,
        RestRegistrar.self,
    ]

    /// The settings of a server of one kind; nil of another.
    package func settings<Settings: Record>(_: Settings.Type) -> Settings? { value as? Settings }

    // MARK: Keys of all kinds

    static func needsKey(_ keys: inout Keys) -> Setting<[UserNeed]?> {
        UserNeed.key(
            &keys,
            "What must be there for the device to be registered: a user unless 'auth.policy' is anonymous when absent, "
                + "nothing with []. What is sent with the token of the user waits for one in any case."
        )
    }

    static func requiredKey(_ keys: inout Keys) -> Setting<Bool> {
        keys.value("required", "Whether push is degraded while this server cannot be told.", or: true)
    }
}

extension Registrar: OneOf {
    package static var discriminator: String? { "type" }
    package static var alternatives: [Alternative<Self>] { kinds.map { alternative($0) } }

    private static func alternative<Kind: PushRegistrar>(_ kind: Kind.Type) -> Alternative<Self> {
        Alternative(kind.word, kind.help) { (settings: Kind) in Self(value: settings) }
    }
}
