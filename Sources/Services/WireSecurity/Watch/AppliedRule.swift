import WireBase
import WireConfig
import WireSecurityContract
import WireService

/// A rule with its effective settings: those of the file, or the defaults.
struct AppliedRule: Sendable {
    let name: String
    let rule: any SecurityRule
    /// Whether the file has it.
    let isNamed: Bool
    /// The line of the file that enables it.
    let origin: ValueOrigin?
    let every: Duration
    let action: SecurityAction
    /// Nil for no action.
    let onInconclusive: SecurityAction?

    var card: RuleCard { type(of: rule).card }

    /// All applied rules of a file, in the order of the catalogue.
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
/// The last result of a rule.
struct Verdict: Sendable {
    let applied: AppliedRule
    let outcome: SecurityOutcome
    let findings: RuleFindings
    /// The time of the check, and since when the result is the same, in milliseconds since 1970.
    let checked: Int64
    let since: Int64
    let lasted: Duration

    /// The resulting action; nil for none.
    var action: SecurityAction? {
        switch outcome {
        case .clear: nil
        case .detected: applied.action
        case .inconclusive: applied.onInconclusive
        }
    }

    /// One sentence without the name of the rule.
    var words: String {
        switch outcome {
        case .clear: "nothing found"
        case .detected: findings.evidence.joined(separator: "; ")
        case .inconclusive: "inconclusive: \(findings.doubts.joined(separator: "; "))"
        }
    }

    /// The fault of the service, which names the effect of the rule.
    var consequence: Fault {
        guard action == .block else { return fault }
        return Fault("tokens and user data are blocked: \(fault.reason)", help: fault.help, origin: fault.origin)
    }

    var fault: Fault {
        Fault(
            "\(applied.name): \(words)",
            help: "run 'corewire explain \(applied.name)' for details",
            origin: applied.origin
        )
    }
}
