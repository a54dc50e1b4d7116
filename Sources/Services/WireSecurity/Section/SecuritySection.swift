package import WireConfig
import WireSecurityContract

/// What is looked for on this machine, and what happens when it is found.
package struct SecuritySection: Section {
    package static let name = "security"
    package static let summary =
        "What is looked for on this machine (OWASP MASVS), how often, and what happens when it is found."
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
            "What is looked for, and what happens then; the usual rules need not be named.",
            or: ListedRules.placeholder
        )
        _rules = Setting(listed.wrappedValue.rules, at: listed.projectedValue)
        _hasBaseline = keys.value(
            "baseline",
            "Whether the usual rules, which find nothing on a healthy machine, are applied without being named.",
            or: true
        )
        _every = keys.optional(
            "every",
            "How often rules are applied again after the start; without it each as often as is usual for it.",
            .in(.seconds(1) ... .seconds(7 * 86_400)),
            .example("5m")
        )
        _onInconclusive = keys.value(
            "onInconclusive",
            "What happens when a rule cannot find out, for want of permission for instance.",
            or: .report
        )
        _sendsMetrics = keys.optional(
            "metrics",
            "Whether the results are sent to the server of the section 'metrics'; without it where that section takes them.",
            .example("false")
        )
    }
}

/// What happens when a rule can find out nothing.
package enum InconclusiveAction: String, Choice {
    case ignore, report, warn, block, stop

    package var help: String {
        guard let action else { return "it counts as clear" }
        return action.help
    }

    /// The same as for a rule that has found something; nil for nothing at all.
    var action: SecurityAction? { SecurityAction(rawValue: rawValue) }
}
