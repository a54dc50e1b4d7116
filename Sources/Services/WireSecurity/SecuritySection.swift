public import WireConfig

/// What is looked for on this machine, and what happens when it is found.
public struct SecuritySection: Section {
    package static let name = "security"
    package static let summary =
        "What is looked for on this machine (OWASP MASVS), how often, and what happens when it is found."
    package static let isGuard = true
    package static let codes = Code.securityCodes

    /// What is looked for.
    @Setting public var rules: SecurityRules
    /// How often, besides the start.
    @Setting public var every: Duration?
    /// What happens when a rule can find out nothing.
    @Setting public var inconclusive: SecurityAction
    /// Whether the results are sent as metrics.
    @Setting public var sendsMetrics: Bool

    package init(_ keys: inout Keys) {
        let listed = keys.value(
            "rules",
            "What is looked for; a rule that is absent is not applied.",
            or: ListedRules.placeholder
        )
        _rules = Setting(listed.wrappedValue.rules, at: listed.projectedValue)
        _every = keys.optional(
            "every",
            "How often the rules are applied again after the start; without it never.",
            .in(.seconds(1) ... .seconds(7 * 86_400)),
            .example("5m")
        )
        _inconclusive = keys.value(
            "inconclusive",
            "What happens when a rule cannot find out, for want of permission for instance.",
            or: .report
        )
        _sendsMetrics = keys.value(
            "metrics",
            "Whether the results are sent to the server of the section 'metrics'.",
            or: false
        )
    }
}

/// What happens when a rule finds what it looks for.
public enum SecurityAction: String, Choice {
    case ignore, report, warn, stop

    package var help: String {
        switch self {
        case .ignore: "nothing; the rule is not applied"
        case .report: "it stands in the security report"
        case .warn: "it stands in the report, in the log, and the status is degraded"
        case .stop: "tokens and data are withheld and the runner stops"
        }
    }
}

/// How bad it is when a rule finds what it looks for.
public enum SecuritySeverity: String, Choice {
    case low, medium, high, critical

    package var help: String {
        switch self {
        case .low: "worth knowing"
        case .medium: "worth looking into"
        case .high: "the app can probably not be trusted here"
        case .critical: "somebody is at work"
        }
    }
}
