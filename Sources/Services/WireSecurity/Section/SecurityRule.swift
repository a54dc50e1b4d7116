import WireBase
package import WireConfig
package import WireSecurityContract

/// The settings of all rules.
package struct Reaction: Sendable {
    @Setting package var isEnabled: Bool
    @Setting package var action: SecurityAction
    @Setting package var onInconclusive: InconclusiveAction?
    @Setting package var every: Duration?
    @Setting package var severity: SecuritySeverity
    @Setting package var masvs: [MASVSControl]

    /// Reads its keys among those of the rule.
    init(_ keys: inout Keys, severity: SecuritySeverity = .medium, _ masvs: String...) {
        _isEnabled = keys.value("enabled", "Whether the rule is applied.", or: true)
        _action = keys.value("action", "Action after a detection.", or: .report)
        _onInconclusive = keys.optional(
            "onInconclusive",
            "Action when the rule is inconclusive. Default: onInconclusive of the section.",
            .example("warn")
        )
        _every = keys.optional(
            "every",
            "Interval of checks after the start. Default: 'every' of the section.",
            .in(.seconds(1) ... .seconds(7 * 86_400)),
            .example("10s")
        )
        _severity = keys.value("severity", "Severity, for the report.", or: severity)
        _masvs = keys.value(
            "masvs",
            "OWASP MASVS controls of the rule, for the report.",
            or: masvs.map(MASVSControl.init(known:))
        )
    }
}

/// A rule of the catalogue, with its search settings.
protocol SecurityRule: Record {
    /// The description of the rule.
    static var card: RuleCard { get }
    var reaction: Reaction { get }
    /// The searched and the allowed items, with the place of the latter.
    var search: SecuritySearch { get }
    /// Runs the check; throws where nothing can be checked, and adds a doubt where only a part can.
    func check(_ context: RuleContext) async throws(Fault) -> RuleFindings
}

/// The items a rule searches for, as far as they are known.
struct SecuritySearch {
    /// The searched items.
    var items: [String]
    /// The allowed ones among them.
    var allowed: [String] = []
    /// The places of the searched items; messages show the first one.
    var places: [Place] = []
    /// The place of the allowed items.
    var allowedPlace = Place.nowhere
}

/// The description of a rule; the condition is always the undesired one.
struct RuleCard: Sendable {
    /// The title: `Debugger Check`.
    let title: String
    /// The detected condition.
    let condition: String
    /// The sources it reads.
    let reads: String
    /// The meaning, and common mistakes.
    let advice: String
    /// The default interval.
    var usual: Duration = .seconds(60)
    /// Whether it finds nothing on a healthy machine, and so is on by default.
    var isBaseline = false
}
