package import WireConfig
import WireSecurityContract
import WireService

/// A screen that is not locked.
package struct ScreenLockRule: SecurityRule {
    package let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .low, "MASVS-AUTH-2")
    }

    var search: SecuritySearch { SecuritySearch(items: ["session"]) }
}

/// A wrong clock.
package struct ClockRule: SecurityRule {
    package let reaction: Reaction
    @Setting package var tolerance: Duration
    @Setting package var requiresServer: Bool

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-RESILIENCE-1")
        _tolerance = keys.value(
            "tolerance",
            "Maximum deviation of the clock.",
            or: .seconds(5),
            .in(.seconds(1) ... .seconds(86_400))
        )
        _requiresServer = keys.value(
            "timeServer",
            "Whether a time server must synchronize the clock. Often inconclusive in a container.",
            or: false
        )
    }

    var search: SecuritySearch { SecuritySearch(items: ["clock"]) }
}

/// Secrets in the services file.
package struct ClearSecretsRule: SecurityRule {
    package let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, severity: .high, "MASVS-STORAGE-1")
    }

    var search: SecuritySearch { SecuritySearch(items: ["file"]) }
}

/// Settings that are weaker than necessary.
package struct WeakSettingsRule: SecurityRule {
    package let reaction: Reaction

    package init(_ keys: inout Keys) {
        reaction = Reaction(&keys, "MASVS-NETWORK-1", "MASVS-CRYPTO-1")
    }

    var search: SecuritySearch { SecuritySearch(items: ["file"]) }
}
