import WireBase

/// The report as SARIF 2.1.0, for code scanning services and editors.
package struct SARIFReport {
    private let report: Report
    private let programVersion: String
    /// The maximum number of results per run in code scanning services; the most severe come first.
    private static let mostResults = 5_000

    package init(_ report: Report, programVersion: String) {
        self.report = report
        self.programVersion = programVersion
    }

    package var value: JSONValue {
        let shown = report.problems.enumerated()
            .sorted { ($0.element.code.severity, $0.offset) < ($1.element.code.severity, $1.offset) }
            .prefix(Self.mostResults)
            .map(\.element)
        let rules = Set(shown.map(\.code)).sorted { $0.id < $1.id }
        let ruleIndex = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1, $0) })
        return .members([
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
            "version": .string("2.1.0"),
            "runs": .array([
                .members([
                    "tool": .members([
                        "driver": .members([
                            "name": .string("corewire"),
                            "semanticVersion": .string(programVersion),
                            "rules": .array(rules.map(rule)),
                        ])
                    ]),
                    "columnKind": .string("unicodeCodePoints"),
                    "results": .array(shown.map { result($0, ruleIndex[$0.code] ?? 0) }),
                ])
            ]),
        ])
    }

    private func rule(_ code: Code) -> JSONValue {
        .members([
            "id": .string(code.id),
            "name": .string(code.name),
            "shortDescription": .members(["text": .string(code.explanation.firstSentence)]),
            "fullDescription": .members(["text": .string(code.explanation)]),
            "defaultConfiguration": .members(["level": .string(code.severity.rawValue)]),
        ])
    }

    private func result(_ problem: Diagnostic, _ ruleIndex: Int) -> JSONValue {
        let fix = problem.fix.flatMap { report.shows($0) ? $0 : nil }
        let environments = report.narrowing(of: problem)
        let suffix = environments.isEmpty ? "" : " (\(environments.joined(separator: ", ")))"
        return .members([
            "ruleId": .string(problem.code.id),
            "ruleIndex": .integer(ruleIndex),
            "level": .string(problem.code.severity.rawValue),
            "message": .members([
                "text": .string(
                    ([problem.message + suffix, problem.label].filter { !$0.isEmpty }
                        + problem.help.map(\.description)).joined(separator: "; ")
                )
            ]),
            "locations": .array(problem.place.map { [.members(["physicalLocation": location($0)])] } ?? []),
            "relatedLocations": problem.related.isEmpty
                ? nil
                : .array(
                    problem.related.enumerated().map { index, related in
                        .members([
                            "id": .integer(index + 1),
                            "physicalLocation": location(related.place),
                            "message": .members(["text": .string(related.text)]),
                        ])
                    }
                ),
            "partialFingerprints": .members(["corewire/v1": .string(fingerprint(of: problem))]),
            "fixes": fix.map { .array([self.fix($0)]) },
        ])
    }

    private func fix(_ fix: Fix) -> JSONValue {
        .members([
            "description": .members(["text": .string(fix.summary)]),
            "artifactChanges": .array(
                fix.edits.map { edit in
                    .members([
                        "artifactLocation": artifact(edit.place.file),
                        "replacements": .array([
                            .members([
                                "deletedRegion": region(edit.place),
                                "insertedContent": .members(["text": .string(edit.replacement)]),
                            ])
                        ]),
                    ])
                }
            ),
        ])
    }

    private func location(_ place: SourceRange) -> JSONValue {
        .members(["artifactLocation": artifact(place.file), "region": region(place)])
    }

    private func artifact(_ file: SourceFile) -> JSONValue {
        .members(["uri": .string(file.name.uriPath)])
    }

    private func region(_ place: SourceRange) -> JSONValue {
        let (start, end) = (place.start, place.end)
        return .members([
            "startLine": .integer(start.line),
            "startColumn": .integer(start.column),
            "endLine": .integer(end.line),
            "endColumn": .integer(end.column),
        ])
    }

    /// A fingerprint that is stable when lines move: it depends on the message, not on the location.
    private func fingerprint(of problem: Diagnostic) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(problem.code.id)\0\(problem.path)\0\(problem.message)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}

extension String {
    /// The first sentence.
    package var firstSentence: String {
        guard let end = indices.first(where: { self[$0...].hasPrefix(". ") || self[$0...].hasPrefix(".\n") }) else {
            return self
        }
        return String(self[...end])
    }

    /// A path as a relative URI reference, percent-encoded.
    fileprivate var uriPath: String {
        utf8.reduce(into: "") { path, byte in
            let isPlain = byte.isLetter || byte.isDigit || "-._~/".utf8.contains(byte)
            path +=
                isPlain
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
    }
}
