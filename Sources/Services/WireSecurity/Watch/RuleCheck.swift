import WireBase
import WireSecurityContract
import WireService

/// The result of one check.
struct RuleCheck: Sendable {
    let applied: AppliedRule
    let outcome: SecurityOutcome
    let findings: RuleFindings
    let lasted: Duration

    init(at applied: AppliedRule, _ context: RuleContext) async {
        let clock = context.host.clock
        let begin = clock.monotonic()
        (outcome, findings) = await Self.check(applied.rule, context)
        lasted = clock.monotonic() - begin
        self.applied = applied
    }

    /// Runs a check once; one that sees nothing is inconclusive.
    static func check(_ rule: any SecurityRule, _ context: RuleContext) async -> (SecurityOutcome, RuleFindings) {
        do throws(Fault) {
            let findings = try await rule.check(context)
            if !findings.evidence.isEmpty { return (.detected, findings) }
            return (findings.doubts.isEmpty ? .clear : .inconclusive, findings)
        } catch {
            return (.inconclusive, RuleFindings(doubts: [error.reason]))
        }
    }
}
