import WireBase
import WireSecurityContract
import WireService

/// The result of one check.
struct Look: Sendable {
    let applied: AppliedRule
    let outcome: SecurityOutcome
    let sighting: RuleFindings
    let lasted: Duration

    init(at applied: AppliedRule, _ scene: RuleContext) async {
        let clock = scene.host.clock
        let begin = clock.monotonic()
        (outcome, sighting) = await Self.look(applied.rule, scene)
        lasted = clock.monotonic() - begin
        self.applied = applied
    }

    /// Runs a check once; one that sees nothing is inconclusive.
    static func look(_ rule: any SecurityRule, _ scene: RuleContext) async -> (SecurityOutcome, RuleFindings) {
        do throws(Fault) {
            let sighting = try await rule.look(scene)
            if !sighting.evidence.isEmpty { return (.detected, sighting) }
            return (sighting.doubts.isEmpty ? .clear : .inconclusive, sighting)
        } catch {
            return (.inconclusive, RuleFindings(doubts: [error.reason]))
        }
    }
}
