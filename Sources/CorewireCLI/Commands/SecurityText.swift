import WireBase
import WireConfig
import WireSecurityContract
import WireService

/// The report on security rules as text.
enum SecurityText {
    static func report(_ report: SecurityReport, showsAll: Bool, _ paint: Paint) -> String {
        var text = ""
        if let withheld = report.withheld {
            let place = withheld.origin.map { ", at \($0.place)" } ?? ""
            text += paint("tokens and user data are blocked: \(withheld.reason)\(place)", .error) + "\n\n"
        }
        var table = Table(["rule", "result", "action", "severity", "found"])
        for rule in report.rules {
            table.add([
                "\(rule.id)", .init(rule.result.rawValue, tint(rule.result)), "\(rule.action.rawValue)",
                "\(rule.severity.rawValue)", "\(words(of: rule))",
            ])
        }
        text += table.text(paint)
        var controls = Table(["control", "result", "rules", "besides"])
        for control in report.controls where showsAll || control.result != nil {
            controls.add([
                "\(control.id)", .init(control.result?.rawValue ?? "no rule", tint(control.result)),
                "\(control.rules.joined(separator: ", "))", "\(showsAll ? control.remark : "")",
            ])
        }
        return text + "\n" + controls.text(paint)
    }

    /// The findings of a rule, why there are none, or its good result.
    static func words(of rule: SecurityRuleReport) -> String {
        let words = rule.evidence + rule.doubts + rule.allowed.map { "allowed: \($0)" }
        return words.map { $0.shown(upTo: 300) }.joined(separator: "; ")
    }

    private static func tint(_ result: SecurityOutcome?) -> Paint.Tint? {
        switch result {
        case .detected: .error
        case .inconclusive: .warning
        case .clear: nil
        case nil: .faint
        }
    }
}

/// The report as SARIF 2.1.0.
enum SecuritySARIF {
    static func log(of rules: [SecurityRuleReport]) -> JSONValue {
        let driver = JSONValue.members([
            "name": .string("corewire"),
            "rules": .array(
                rules.map { rule in
                    .members([
                        "id": .string(rule.id), "name": .string(rule.title),
                        "shortDescription": .members(["text": .string(rule.condition)]),
                        "properties": .members(["tags": .array(rule.controls.map(JSONValue.string))]),
                    ])
                }
            ),
        ])
        let run = JSONValue.members([
            "tool": .members(["driver": driver]), "results": .array(rules.enumerated().map { result($1, $0) }),
        ])
        return .members([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
            "runs": .array([run]),
        ])
    }

    private static func result(_ rule: SecurityRuleReport, _ index: Int) -> JSONValue {
        let (kind, level): (String, String) =
            switch (rule.result, rule.severity) {
            case (.detected, .critical), (.detected, .high): ("fail", "error")
            case (.detected, .medium): ("fail", "warning")
            case (.detected, .low): ("fail", "note")
            case (.inconclusive, _): ("open", "none")
            case (.clear, _): ("pass", "none")
            }
        let words = SecurityText.words(of: rule)
        return .members([
            "ruleId": .string(rule.id), "ruleIndex": .integer(index), "kind": .string(kind),
            "level": .string(level),
            "message": .members(["text": .string(words.isEmpty ? "no findings" : words)]),
            "locations": location(rule.origin?.place).map { .array([$0]) },
        ])
    }

    /// The place in the file: `services.yaml:11:15`.
    private static func location(_ place: String?) -> JSONValue? {
        guard let parts = place?.split(separator: ":"), parts.count >= 3, let line = Int(parts[parts.count - 2]),
            let column = Int(parts[parts.count - 1])
        else { return nil }
        let file = parts.dropLast(2).joined(separator: ":")
        return .members([
            "physicalLocation": .members([
                "artifactLocation": .members(["uri": .string(file)]),
                "region": .members(["startLine": .integer(line), "startColumn": .integer(column)]),
            ])
        ])
    }
}
