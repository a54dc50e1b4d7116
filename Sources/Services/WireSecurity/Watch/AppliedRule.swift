import WireBase
import WireConfig
import WireSecurityContract
import WireService

/// A rule as it is applied: as the file has it, or as is usual where the file says nothing of it.
struct AppliedRule: Sendable {
    let name: String
    let rule: any SecurityRule
    /// Whether the file names it.
    let isNamed: Bool
    /// The line of the file that asks for it.
    let origin: ValueOrigin?
    let every: Duration
    let action: SecurityAction
    /// Nil for nothing at all.
    let onInconclusive: SecurityAction?

    var card: RuleCard { type(of: rule).card }

    /// All rules of a file that are applied, in the order of the catalogue.
    static func all(_ settings: SecuritySection, in host: ServiceHost) -> [AppliedRule] {
        let named = settings.rules.all
        var rules = named.compactMap { name, rule, place -> AppliedRule? in
            guard rule.reaction.isEnabled else { return nil }
            let origin = host.places.origin(of: place, "security.rules.\(name)")
            return AppliedRule(name, rule, isNamed: true, origin: origin, settings)
        }
        guard settings.hasBaseline else { return rules }
        let origin = host.places.origin(of: settings.$hasBaseline, "security.baseline")
        for (name, rule) in SecurityRules.examples where type(of: rule).card.isBaseline {
            if named.contains(where: { $0.name == name }) { continue }
            rules.append(AppliedRule(name, rule, isNamed: false, origin: origin, settings))
        }
        return rules
    }

    private init(
        _ name: String,
        _ rule: any SecurityRule,
        isNamed: Bool,
        origin: ValueOrigin?,
        _ settings: SecuritySection
    ) {
        (self.name, self.rule, self.isNamed, self.origin) = (name, rule, isNamed, origin)
        every = rule.reaction.every ?? settings.every ?? type(of: rule).card.usual
        action = rule.reaction.action
        onInconclusive = (rule.reaction.onInconclusive ?? settings.onInconclusive).action
    }
}
/// What a rule came to when it was last applied.
struct Verdict: Sendable {
    let applied: AppliedRule
    let outcome: SecurityOutcome
    let sighting: Sighting
    /// When it was applied, and since when it comes to the same, in milliseconds since 1970.
    let checked: Int64
    let since: Int64
    let lasted: Duration

    /// What follows from it; nil for nothing.
    var action: SecurityAction? {
        switch outcome {
        case .clear: nil
        case .detected: applied.action
        case .inconclusive: applied.onInconclusive
        }
    }

    /// In one sentence, without the name of the rule.
    var words: String {
        switch outcome {
        case .clear: "nothing found"
        case .detected: sighting.evidence.joined(separator: "; ")
        case .inconclusive: "nothing could be found out: \(sighting.doubts.joined(separator: "; "))"
        }
    }

    var fault: Fault {
        Fault(
            "\(applied.name): \(words)",
            help: "'corewire explain \(applied.name)' says what it means",
            origin: applied.origin
        )
    }
}
