import WireBase
import WireConfig
import WireHTTP
import WireSecurityContract
import WireService

/// The local API of security rules, shared with code in the same process.
struct SecurityRoutes: RouteGroup {
    private let watch: Watch

    init(_ service: SecurityService) { watch = service.watch }

    static let table: [RouteEntry<Self>] = [
        .call(SecurityCalls.report, atOnce: SecurityRoutes.report),
        .call(SecurityCalls.check, by: SecurityRoutes.check),
    ]

    private func report(_ request: APIRequest<NoInput>) throws(APIFailure<NoFailureKind>) -> APIReply<SecurityReport> {
        APIReply(SecurityReport(watch))
    }

    private func check(
        _ request: APIRequest<NoInput>
    ) async throws(APIFailure<NoFailureKind>) -> APIReply<SecurityReport> {
        await watch.applyNow()
        return APIReply(SecurityReport(watch))
    }
}

extension SecurityReport {
    fileprivate init(_ watch: Watch) {
        let verdicts = watch.verdicts
        self.init(
            SecurityOutcome.gravest(of: verdicts.map(\.outcome)) ?? .clear,
            withheld: watch.distrust.map { Fault("\($0.rule): \($0.reason)", origin: $0.origin) },
            verdicts.map(SecurityRuleReport.init),
            MASVSControl.catalogue.map { control in
                let counting = verdicts.filter { $0.applied.rule.reaction.masvs.contains { $0.id == control.id } }
                return SecurityControlReport(
                    control.id,
                    control.statement,
                    rules: counting.map(\.applied.name),
                    SecurityOutcome.gravest(of: counting.map(\.outcome)),
                    remark: control.remark
                )
            }
        )
    }
}

extension SecurityOutcome {
    /// The most severe result; nil for none.
    fileprivate static func gravest(of results: [SecurityOutcome]) -> SecurityOutcome? {
        let order: [SecurityOutcome] = [.detected, .inconclusive, .clear]
        return order.first { results.contains($0) }
    }
}

extension SecurityRuleReport {
    init(_ verdict: Verdict) {
        let (applied, findings) = (verdict.applied, verdict.findings)
        let (card, reaction) = (applied.card, applied.rule.reaction)
        self.init(applied.name, verdict.outcome, applied.action, reaction.severity)
        (title, condition, reads) = (card.title, card.condition, card.reads)
        (evidence, allowed, doubts) = (findings.evidence, findings.allowed, findings.doubts)
        (controls, isNamed, origin) = (reaction.masvs.map(\.id), applied.isNamed, applied.origin)
        (every, checked, since) = (Int(applied.every.components.seconds), verdict.checked, verdict.since)
    }
}
