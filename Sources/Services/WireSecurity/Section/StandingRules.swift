public import WireConfig
import WireService

/// A screen that stays open.
public struct ScreenLockRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-AUTH-2")
    }

    var search: SecuritySearch { SecuritySearch(items: ["session"]) }
}

/// A clock that is far off.
public struct ClockRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction
    /// How far off it may be.
    @Setting public var tolerance: Duration
    /// Whether a time server must set it.
    @Setting public var requiresServer: Bool

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-RESILIENCE-1")
        _tolerance = keys.value(
            "tolerance",
            "How far off it may be.",
            or: .seconds(5),
            .in(.seconds(1) ... .seconds(86_400))
        )
        _requiresServer = keys.value(
            "timeServer",
            "Whether a time server must set the clock; in a container that is often not told.",
            or: false
        )
    }

    var search: SecuritySearch { SecuritySearch(items: ["clock"]) }
}

/// Secrets in the services file.
public struct ClearSecretsRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-STORAGE-1")
    }

    var search: SecuritySearch { SecuritySearch(items: ["file"]) }
}

/// Settings that are weaker than they need be.
public struct WeakSettingsRule: SecurityRule {
    /// What happens.
    public let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-NETWORK-1", "MASVS-CRYPTO-1")
    }

    var search: SecuritySearch { SecuritySearch(items: ["file"]) }
}
