import WireBase

/// The report for programs, as described by `schemas/report.schema.json`.
package struct JSONReport {
    /// The version of the format; increased by incompatible changes.
    package static let version = 1

    private let report: Report

    package init(_ report: Report) {
        self.report = report
    }

    package var value: JSONValue {
        .members([
            "version": .integer(Self.version),
            "file": .string(report.file),
            "valid": .boolean(report.errorCount == 0),
            "errors": .integer(report.errorCount),
            "warnings": .integer(report.warningCount),
            "omitted": .integer(report.omitted),
            "environments": .array(report.environments.map(JSONValue.string)),
            "problems": .array(report.problems.map(problem)),
        ])
    }

    private func problem(_ problem: Diagnostic) -> JSONValue {
        let fix = problem.fix.flatMap { report.shows($0) ? $0 : nil }
        return .members([
            "code": .string(problem.code.id),
            "name": .string(problem.code.name),
            "severity": .string(problem.code.severity.rawValue),
            "message": .string(problem.message),
            "path": .string(problem.path),
            "environments": .array(report.narrowing(of: problem).map(JSONValue.string)),
            "place": problem.place.map(place),
            "label": problem.label.isEmpty ? nil : .string(problem.label),
            "related": .array(
                problem.related.map { .members(["place": place($0.place), "text": .string($0.text)]) }
            ),
            "help": .array(problem.help.map { .string($0.description) }),
            "fix": fix.map { fix in
                .members([
                    "summary": .string(fix.summary),
                    "edits": .array(
                        fix.edits.map { .members(["place": place($0.place), "replacement": .string($0.replacement)]) }
                    ),
                ])
            },
        ])
    }

    private func place(_ place: SourceRange) -> JSONValue {
        let (start, end) = (place.start, place.end)
        return .members([
            "file": .string(place.file.name),
            "line": .integer(start.line),
            "column": .integer(start.column),
            "endLine": .integer(end.line),
            "endColumn": .integer(end.column),
            "offset": .integer(place.bytes.lowerBound + place.file.prefixLength),
            "length": .integer(place.bytes.count),
        ])
    }
}

extension Report {
    /// Whether a fix can be shown: the replaced text may be a secret.
    func shows(_ fix: Fix) -> Bool {
        fix.edits.allSatisfy { !veil.hides($0.place) }
    }
}
