import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// `corewire security`: what was looked for on the machine.
enum SecurityCommand {
    static let deeds: Deeds = ["security report": report]

    static func report(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let format = try invocation.choice("output")
            let paint = Paint(isOn: Console.wantsColour(on: 1))
            let client = try RunnerClient(invocation)
            let report: JSONValue
            if invocation.flag("now") {
                report = try await client.ask(.post, "/v1/security/checks", within: patience).wellDone().json()
            } else {
                report = try await client.get("/v1/security")
            }
            guard let result = report["result"]?.string, let rules = report["rules"]?.array else {
                throw Failure.foreign(client.socket)
            }
            switch format {
            case "json": Console.print(report.text(indented: true) + "\n")
            case "sarif": Console.print(SecuritySARIF.log(of: rules).text(indented: true) + "\n")
            default: Console.print(SecurityText.report(report, showsAll: invocation.flag("controls"), paint))
            }
            return result == "clear" ? .success : .problemsFound
        }
    }

    /// Long enough for large files to be hashed, and a server to be asked.
    private static let patience = Duration.seconds(120)
}

/// The report for people.
enum SecurityText {
    static func report(_ report: JSONValue, showsAll: Bool, _ paint: Paint) -> String {
        var text = ""
        if let reason = report["withheld"]?["reason"]?.string {
            let place = report["withheld"]?["config"]?["place"]?.string.map { ", at \($0)" } ?? ""
            text += paint("what is the user's is withheld: \(reason)\(place)", .error) + "\n\n"
        }
        var table = Table(["rule", "result", "action", "severity", "found"])
        for rule in report["rules"]?.array ?? [] {
            let result = rule["result"]?.string ?? ""
            table.add([
                .init(rule["id"]?.string ?? ""),
                .init(result, tint(result)),
                .init(rule["action"]?.string ?? ""),
                .init(rule["severity"]?.string ?? ""),
                .init(words(of: rule)),
            ])
        }
        text += table.text(paint)
        var controls = Table(["control", "result", "rules", "besides"])
        for control in report["controls"]?.array ?? [] {
            let result = control["result"]?.string ?? ""
            guard showsAll || !result.isEmpty else { continue }
            controls.add([
                .init(control["id"]?.string ?? ""),
                .init(result.isEmpty ? "no rule" : result, tint(result)),
                .init((control["rules"]?.array ?? []).compactMap(\.string).joined(separator: ", ")),
                .init(showsAll ? control["remark"]?.string ?? "" : ""),
            ])
        }
        return text + "\n" + controls.text(paint)
    }

    /// What was found, could not be, or is welcome.
    static func words(of rule: JSONValue) -> String {
        let evidence = (rule["evidence"]?.array ?? []) + (rule["doubts"]?.array ?? [])
        let allowed = (rule["allowed"]?.array ?? []).compactMap(\.string).map { "allowed: \($0)" }
        return (evidence.compactMap(\.string) + allowed).map { $0.shown(upTo: 300) }.joined(separator: "; ")
    }

    private static func tint(_ result: String) -> Paint.Tint? {
        switch result {
        case "detected": .error
        case "inconclusive": .warning
        case "clear": nil
        default: .faint
        }
    }
}

/// The report as SARIF 2.1.0, for what gathers findings.
enum SecuritySARIF {
    static func log(of rules: [JSONValue]) -> JSONValue {
        let driver = JSONValue.members([
            "name": .string("corewire"),
            "rules": .array(
                rules.map { rule in
                    .members([
                        "id": rule["id"], "name": rule["title"],
                        "shortDescription": .members(["text": rule["condition"]]),
                        "properties": .members(["tags": rule["controls"]]),
                    ])
                }
            ),
        ])
        let results = rules.enumerated().compactMap { index, rule in result(rule, index) }
        let run = JSONValue.members([
            "tool": .members(["driver": driver]), "results": .array(results),
        ])
        return .members([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"), "version": .string("2.1.0"),
            "runs": .array([run]),
        ])
    }

    private static func result(_ rule: JSONValue, _ index: Int) -> JSONValue? {
        let kind: String
        switch rule["result"]?.string {
        case "detected": kind = "fail"
        case "inconclusive": kind = "open"
        default: kind = "pass"
        }
        let level: String
        switch (kind, rule["severity"]?.string) {
        case ("fail", "critical"), ("fail", "high"): level = "error"
        case ("fail", "medium"): level = "warning"
        case ("fail", _): level = "note"
        default: level = "none"
        }
        let words = SecurityText.words(of: rule)
        return .members([
            "ruleId": rule["id"], "ruleIndex": .integer(index), "kind": .string(kind), "level": .string(level),
            "message": .members(["text": .string(words.isEmpty ? "nothing found" : words)]),
            "locations": location(rule["config"]?["place"]?.string).map { .array([$0]) },
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
