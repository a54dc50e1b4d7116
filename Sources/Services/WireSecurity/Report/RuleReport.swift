import WireConfig
import WireHTTP
import WireService

/// A rule with what it came to, as it is told.
struct RuleReport: Sendable {
    let verdict: Verdict

    init(_ verdict: Verdict) { self.verdict = verdict }
}

extension RuleReport: JSONObject {
    static let shape = JSONShape<Self>(
        "SecurityRule",
        "A security rule and what it came to.",
        [
            .member("id", "Its name in the services file.") { $0.verdict.applied.name },
            .member("title", "What it is called.") { $0.verdict.applied.card.title },
            .member("condition", "What is the case when it is detected; always the bad thing.") {
                $0.verdict.applied.card.condition
            },
            .member("result", "Whether that is the case.") { $0.verdict.outcome },
            .member("action", "What happens when it is detected.", as: .words(SecurityAction.allCases.map(\.rawValue)))
            {
                $0.verdict.applied.action.rawValue
            },
            .member("severity", "How bad it is.", as: .words(SecuritySeverity.allCases.map(\.rawValue))) {
                $0.verdict.applied.rule.reaction.severity.rawValue
            },
            .member("controls", "The controls of OWASP MASVS it counts for.") {
                $0.verdict.applied.rule.reaction.masvs.map(\.id)
            },
            .member("evidence", "What was found.") { $0.verdict.sighting.evidence },
            .member("allowed", "What was found and is welcome.") { $0.verdict.sighting.allowed },
            .member("doubts", "What could not be seen.") { $0.verdict.sighting.doubts },
            .member("reads", "What it looks at.") { $0.verdict.applied.card.reads },
            .member("named", "Whether the file names it; otherwise it is one of the usual ones.") {
                $0.verdict.applied.isNamed
            },
            .member("every", "How many seconds lie between two looks.") {
                Int($0.verdict.applied.every.components.seconds)
            },
            .member("checked", "When it was applied last, in milliseconds since 1970.", as: .moment) {
                $0.verdict.checked
            },
            .member("since", "Since when it comes to the same, in milliseconds since 1970.", as: .moment) {
                $0.verdict.since
            },
            .member("config", "The value of the services file that asks for it.") { $0.verdict.applied.origin },
        ]
    )
}

/// What all rules came to, and what follows from it.
struct SecurityReport: Sendable {
    let verdicts: [Verdict]
    let distrust: Distrust?
    /// What decides first: something found, something unknown, or nothing.
    var result: Outcome {
        if verdicts.contains(where: { $0.outcome == .detected }) { return .detected }
        return verdicts.contains { $0.outcome == .inconclusive } ? .inconclusive : .clear
    }

    init(_ watch: Watch) { (verdicts, distrust) = (watch.verdicts, watch.distrust) }

    fileprivate var controls: [ControlReport] { MASVSControl.catalogue.map { ControlReport($0, verdicts) } }
}

extension SecurityReport: JSONObject {
    static let shape = JSONShape<Self>(
        "SecurityReport",
        "What was looked for on this machine, and what was found.",
        [
            .member("result", "The gravest of all results.") { $0.result },
            .member("withheld", "Why nothing of the user's is handed out; absent while it is.") { report in
                report.distrust.map { Fault("\($0.rule): \($0.reason)", origin: $0.origin) }
            },
            .member("rules", "The rules that are applied.") { $0.verdicts.map(RuleReport.init) },
            .member("controls", "The controls of OWASP MASVS 2.1, with the rules that count for them.") { $0.controls },
        ]
    )
}

/// A control of OWASP MASVS, with what counts for it here.
private struct ControlReport: JSONObject {
    let control: (id: String, statement: String, remark: String)
    let rules: [String]
    let result: Outcome?

    init(_ control: (id: String, statement: String, remark: String), _ verdicts: [Verdict]) {
        self.control = control
        let counting = verdicts.filter { $0.applied.rule.reaction.masvs.contains { $0.id == control.id } }
        rules = counting.map(\.applied.name)
        let outcomes = Set(counting.map(\.outcome))
        result = [.detected, .inconclusive, .clear].first(where: outcomes.contains)
    }

    static let shape = JSONShape<Self>(
        "SecurityControl",
        "A control of OWASP MASVS 2.1.",
        [
            .member("id", "Its name.") { $0.control.id },
            .member("statement", "What it asks for.") { $0.control.statement },
            .member("rules", "The rules that are applied and count for it.") { $0.rules },
            .member("result", "The gravest of their results; absent where none is applied.") { $0.result },
            .member("remark", "What stands for it besides, or why no rule does.") { $0.control.remark },
        ]
    )
}
