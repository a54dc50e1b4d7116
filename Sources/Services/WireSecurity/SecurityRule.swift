public import WireConfig

/// What all rules have in common.
public struct Reaction: Sendable {
    /// What happens.
    @Setting public var action: SecurityAction
    /// How bad it is.
    @Setting public var severity: SecuritySeverity
    /// The controls of OWASP MASVS the rule counts for.
    @Setting public var masvs: [MASVSControl]

    /// Asks for its keys among those of the rule.
    init(_ keys: inout Keys, severity: SecuritySeverity = .medium, _ masvs: String...) {
        _action = keys.value("action", "What happens when it is found.", or: .report)
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
    var reaction: Reaction { get }
    /// The lists of things it looks for and of those it lets pass, with the place of the latter.
    var search: SecuritySearch { get }
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
