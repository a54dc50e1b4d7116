package import WireConfig
import WireSecurityContract

/// Security rules: the checks of this machine, and the actions after a detection.
package struct SecuritySection: Section {
    package static let name = "security"
    package static let summary =
        "The security rules for this machine (OWASP MASVS), their interval, and the actions after a detection."
    package static let isGuard = true
    package static let codes = Code.securityCodes

    @Setting package var rules: SecurityRules
    @Setting package var hasBaseline: Bool
    @Setting package var every: Duration?
    @Setting package var onInconclusive: InconclusiveAction
    @Setting package var sendsMetrics: Bool?

    package init(_ keys: inout Keys) {
        let listed = keys.value(
            "rules",
            "Rules and their actions; default rules need not be listed.",
            or: ListedRules.placeholder
        )
        _rules = Setting(listed.wrappedValue.rules, at: listed.projectedValue)
        _hasBaseline = keys.value(
            "baseline",
            "Whether to apply the default rules, which report nothing on a healthy machine.",
            or: true
        )
        _every = keys.optional(
            "every",
            "Interval of checks after the start. Default: the default of each rule.",
            .in(.seconds(1) ... .seconds(7 * 86_400)),
            .example("5m")
        )
        _onInconclusive = keys.value(
            "onInconclusive",
            "Action when a rule is inconclusive, for example without permission.",
            or: .report
        )
        _sendsMetrics = keys.optional(
            "metrics",
            "Whether to send results to the server of the section 'metrics'. Default: if that section sends them.",
            .example("false")
        )
    }
}

/// The action where a rule is inconclusive.
package enum InconclusiveAction: String, Choice {
    case ignore, report, warn, block, stop

    package var help: String {
        guard let action else { return "it counts as clear" }
        return action.help
    }

    /// The action of a detection; nil for none.
    var action: SecurityAction? { SecurityAction(rawValue: rawValue) }
}
