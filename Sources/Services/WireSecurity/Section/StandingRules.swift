package import WireConfig
import WireSecurityContract
import WireService

/// A screen that stays open.
package struct ScreenLockRule: SecurityRule {
    /// What happens.
    package let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-AUTH-2")
    }

    var search: SecuritySearch { SecuritySearch(items: ["session"]) }
}

/// A clock that is far off.
package struct ClockRule: SecurityRule {
    /// What happens.
    package let reaction: Reaction
    @Setting package var tolerance: Duration
    @Setting package var requiresServer: Bool

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
package struct ClearSecretsRule: SecurityRule {
    /// What happens.
    package let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-STORAGE-1")
    }

    var search: SecuritySearch { SecuritySearch(items: ["file"]) }
}

/// Settings that are weaker than they need be.
package struct WeakSettingsRule: SecurityRule {
    /// What happens.
    package let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-NETWORK-1", "MASVS-CRYPTO-1")
    }

    var search: SecuritySearch { SecuritySearch(items: ["file"]) }
}
