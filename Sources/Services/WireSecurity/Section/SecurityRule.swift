import WireBase
package import WireConfig
package import WireSecurityContract

/// What all rules have in common.
package struct Reaction: Sendable {
    @Setting package var isEnabled: Bool
    @Setting package var action: SecurityAction
    @Setting package var onInconclusive: InconclusiveAction?
    @Setting package var every: Duration?
    @Setting package var severity: SecuritySeverity
    @Setting package var masvs: [MASVSControl]

    /// Asks for its keys among those of the rule.
    init(_ keys: inout Keys, severity: SecuritySeverity = .medium, _ masvs: String...) {
        _isEnabled = keys.value("enabled", "Whether the rule is applied.", or: true)
        _action = keys.value("action", "What happens when it is found.", or: .report)
        _onInconclusive = keys.optional(
            "onInconclusive",
            "What happens when the rule cannot find out; as the section says where it is absent.",
            .example("warn")
        )
        _every = keys.optional(
            "every",
            "How often it is applied after the start; as the section says where it is absent.",
            .in(.seconds(1) ... .seconds(7 * 86_400)),
            .example("10s")
        )
        _severity = keys.value("severity", "How bad it is, in the report.", or: severity)
        _masvs = keys.value(
            "masvs",
            "The OWASP MASVS controls it counts for, in the report.",
            or: masvs.map(MASVSControl.init(known:))
        )
    }
}

/// A rule of the catalogue: what it has besides its reaction is what it looks for.
protocol SecurityRule: Record {
    /// What is said about the rule wherever it is shown.
    static var card: RuleCard { get }
    var reaction: Reaction { get }
    /// The lists of things it looks for and of those it lets pass, with the place of the latter.
    var search: SecuritySearch { get }
    /// Looks for it; what cannot be seen at all is thrown, what cannot be seen in part is a doubt.
    func look(_ scene: Scene) async throws(Fault) -> Sighting
}

/// What a rule looks for, as far as the file says it.
struct SecuritySearch {
    /// The things looked for.
    var items: [String]
    /// Those among them that may be there.
    var allowed: [String] = []
    /// Where the things looked for are written; the first place is the one to point at.
    var places: [Place] = []
    /// Where the things allowed are written.
    var allowedPlace = Place.nowhere
}

/// What is said about a rule wherever it is shown: the condition is always the bad one.
struct RuleCard: Sendable {
    /// What it is called: `Debugger Check`.
    let title: String
    /// What is the case when it is detected.
    let condition: String
    /// What it reads.
    let reads: String
    /// What it means, and how people get it wrong.
    let advice: String
    /// How often it is applied where the file says nothing of it.
    var usual: Duration = .seconds(60)
    /// Whether it finds nothing on a healthy machine, and so is applied where the file says nothing of it.
    var isBaseline = false
}
