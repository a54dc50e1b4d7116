import WireBase

/// The report as workflow commands of GitHub Actions, which shows ten errors and ten warnings per step.
package struct GitHubReport {
    private static let shownOfEach = 10
    private let report: Report

    package init(_ report: Report) {
        self.report = report
    }

    package var text: String {
        var lines: [String] = []
        for severity in [Severity.error, .warning, .note] {
            lines += report.problems.filter { $0.code.severity == severity }.prefix(Self.shownOfEach).map(command)
        }
        let beyond = report.problems.count + report.omitted - lines.count
        if beyond > 0 {
            lines.append(
                "::notice title=corewire::\(beyond) more problems: only \(Self.shownOfEach) errors and \(Self.shownOfEach) warnings are shown here"
            )
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func command(_ problem: Diagnostic) -> String {
        var properties: [String] = []
        if let place = problem.place {
            let (start, end) = (place.start, place.end)
            properties.append("file=\(escaped(place.file.name, isProperty: true))")
            properties.append("line=\(start.line)")
            // GitHub shows columns only for a problem on one line.
            if start.line == end.line { properties += ["col=\(start.column)", "endColumn=\(end.column)"] }
            properties.append("endLine=\(end.line)")
        }
        properties.append("title=\(escaped("\(problem.code.id) \(problem.code.name)", isProperty: true))")
        let environments = report.narrowing(of: problem)
        let lines =
            [problem.message, problem.label]
            + (environments.isEmpty ? [] : ["in \(environments.joined(separator: ", "))"])
            + problem.help.map(\.description)
        let message = lines.filter { !$0.isEmpty }.joined(separator: "\n")
        return
            "::\(problem.code.severity.command) \(properties.joined(separator: ","))::\(escaped(message, isProperty: false))"
    }

    private func escaped(_ text: String, isProperty: Bool) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "%": escaped += "%25"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            case ":" where isProperty: escaped += "%3A"
            case "," where isProperty: escaped += "%2C"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Severity {
    /// The workflow command for the severity.
    fileprivate var command: String { self == .note ? "notice" : rawValue }
}
