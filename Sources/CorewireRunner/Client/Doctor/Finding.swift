import WireBase
import WireConfig

/// A check of `corewire doctor` with its result.
struct Finding {
    enum Grade: String { case ok, warning, problem }

    let area: String
    let grade: Grade
    /// The result in one line.
    let text: String
    /// What to do about it.
    var help: String?

    static func ok(_ area: String, _ text: String) -> Self { Self(area: area, grade: .ok, text: text) }

    static func warning(_ area: String, _ text: String, help: String? = nil) -> Self {
        Self(area: area, grade: .warning, text: text, help: help)
    }

    static func problem(_ area: String, _ text: String, help: String? = nil) -> Self {
        Self(area: area, grade: .problem, text: text, help: help)
    }

    var json: JSONValue {
        .members([
            "area": .string(area), "grade": .string(grade.rawValue), "text": .string(text),
            "help": help.map(JSONValue.string),
        ])
    }
}

/// All findings.
struct Findings {
    let all: [Finding]

    func count(_ grade: Finding.Grade) -> Int { all.count { $0.grade == grade } }

    var json: JSONValue {
        .members([
            "problems": .integer(count(.problem)), "warnings": .integer(count(.warning)),
            "findings": .array(all.map(\.json)),
        ])
    }

    func text(_ paint: Paint) -> String {
        let width = all.map(\.area.count).max() ?? 0
        var text = ""
        for finding in all {
            let grade = finding.grade.rawValue
            let tint: Paint.Tint = finding.grade == .ok ? .good : finding.grade == .warning ? .warning : .error
            let gap = String(repeating: " ", count: 9 - grade.count)
            let area = finding.area + String(repeating: " ", count: width - finding.area.count + 2)
            text += "\(paint(grade, tint))\(gap)\(area)\(finding.text.shown(upTo: 400))\n"
            if let help = finding.help {
                text += String(repeating: " ", count: 9) + "\(paint("=", .faint)) help: \(help.shown(upTo: 400))\n"
            }
        }
        return text + "\n" + summary(paint) + "\n"
    }

    private func summary(_ paint: Paint) -> String {
        let (problems, warnings) = (count(.problem), count(.warning))
        guard problems + warnings > 0 else { return paint("no problems found", .good) }
        func words(_ count: Int, _ word: String) -> String? {
            count == 0 ? nil : "\(count) \(word)\(count == 1 ? "" : "s")"
        }
        let text = [words(problems, "problem"), words(warnings, "warning")].compactMap { $0 }.joined(separator: ", ")
        return paint(text, problems > 0 ? .error : .warning)
    }
}
