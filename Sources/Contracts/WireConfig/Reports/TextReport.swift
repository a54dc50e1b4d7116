import WireBase

/// The report for terminals.
package struct TextReport {
    private let report: Report
    private let paint: Paint

    package init(_ report: Report, isColoured: Bool) {
        self.report = report
        paint = Paint(isOn: isColoured)
    }

    /// All problems, each followed by a blank line.
    package var text: String {
        var text = ""
        for problem in report.problems { text += self.text(of: problem) + "\n" }
        if report.omitted > 0 {
            text += "… and \(report.omitted) more problems: only the first \(report.problems.count) are shown\n\n"
        }
        return text
    }

    private func text(of problem: Diagnostic) -> String {
        let name = problem.code.severity == .error ? problem.code.id : "\(problem.code.id) \(problem.code.name)"
        let title = "\(problem.code.severity.rawValue)[\(name)]"
        var lines = [paint(title, Paint.Tint(problem.code.severity)) + paint(": \(problem.message)", .strong)]
        let related = problem.related.filter { $0.place.file.isFile || problem.place?.file.isFile == false }
        let numbers = ([problem.place] + related.map(\.place)).compactMap { place in
            place.map { $0.file.lineIndex.line(of: $0.bytes.lowerBound) }
        }
        let margin = String(repeating: " ", count: max(2, "\(numbers.max() ?? 0)".count))
        if let place = problem.place {
            lines += snippet(
                place,
                label: problem.label,
                arrow: "-->",
                mark: "^",
                Paint.Tint(problem.code.severity),
                margin
            )
        }
        for second in related {
            lines += snippet(second.place, label: second.text, arrow: ":::", mark: "-", .faint, margin)
        }
        let environments = report.narrowing(of: problem)
        if !environments.isEmpty {
            lines.append(
                note(
                    environments.count == 1 ? "in environment" : "in environments",
                    environments.joined(separator: ", "),
                    margin
                )
            )
        }
        lines += problem.help.map { note("help", $0.description, margin) }
        lines.append(note("help", "corewire explain \(problem.code.id)", margin))
        return lines.map { $0 + "\n" }.joined()
    }

    private func note(_ title: String, _ text: String, _ margin: String) -> String {
        "\(margin) \(paint("=", .faint)) \(title): \(text)"
    }

    private func snippet(
        _ place: SourceRange,
        label: String,
        arrow: String,
        mark: String,
        _ tint: Paint.Tint,
        _ margin: String
    ) -> [String] {
        let start = place.start
        let head = "\(margin)\(paint(arrow, .faint)) \(place.file.name):\(start.line):\(start.column)"
        let excerpt = Excerpt(of: place, veil: report.veil)
        let number = "\(excerpt.lineNumber)"
        let padding = String(repeating: " ", count: margin.count - number.count)
        let marks =
            String(repeating: " ", count: excerpt.markStart)
            + paint(String(repeating: mark, count: excerpt.markWidth) + (label.isEmpty ? "" : " \(label)"), tint)
        return [
            head,
            "\(margin) \(paint("|", .faint))",
            "\(padding)\(number) \(paint("|", .faint))\(excerpt.text.isEmpty ? "" : " \(excerpt.text)")",
            "\(margin) \(paint("|", .faint)) \(marks)",
        ]
    }
}

/// Adds colours where the output is a terminal.
package struct Paint: Sendable {
    package enum Tint: String, Sendable {
        case error = "1;31"
        case warning = "1;33"
        case good = "1;32"
        case strong = "1"
        case faint = "36"

        init(_ severity: Severity) {
            switch severity {
            case .error: self = .error
            case .warning: self = .warning
            case .note: self = .faint
            }
        }
    }

    package let isOn: Bool

    package init(isOn: Bool) {
        self.isOn = isOn
    }

    package func callAsFunction(_ text: String, _ tint: Tint) -> String {
        isOn ? "\u{1b}[\(tint.rawValue)m\(text)\u{1b}[0m" : text
    }
}
