import WireBase
import WireSecurityContract
import WireService

/// What came of one look of a rule.
struct Look: Sendable {
    let applied: AppliedRule
    let outcome: SecurityOutcome
    let sighting: Sighting
    let lasted: Duration

    init(at applied: AppliedRule, _ scene: Scene) async {
        let clock = scene.host.clock
        let begin = clock.monotonic()
        (outcome, sighting) = await Self.look(applied.rule, scene)
        lasted = clock.monotonic() - begin
        self.applied = applied
    }

    /// Looks once; that nothing can be seen leaves open what there is.
    static func look(_ rule: any SecurityRule, _ scene: Scene) async -> (SecurityOutcome, Sighting) {
        do throws(Fault) {
            let sighting = try await rule.look(scene)
            if !sighting.evidence.isEmpty { return (.detected, sighting) }
            return (sighting.doubts.isEmpty ? .clear : .inconclusive, sighting)
        } catch {
            return (.inconclusive, Sighting(doubts: [error.reason]))
        }
    }
}
