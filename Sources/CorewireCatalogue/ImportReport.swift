import WireBase
package import WireConfig

/// The result of an import for each value of the imported file.
package struct ImportReport: Sendable {
    /// A value of the imported file.
    package struct Item: Sendable {
        /// The path in the imported file.
        package let path: String
        /// The location; nil for formats without locations.
        package let place: SourceRange?
        package let fate: Fate
    }

    /// What happened to a value.
    package enum Fate: Sendable {
        /// Imported as settings.
        case taken(as: [String])
        /// A secret, replaced by a reference to a variable that the deployment must set.
        case reference(variable: String, as: [String])
        /// Kept in the file without effect.
        case kept(in: String)
        /// Not imported, for a reason.
        case left(reason: String)
    }

    /// The name of the imported file.
    package let file: String
    /// The recognized format: `aerogear` or `halo`.
    package let format: String
    package internal(set) var items: [Item] = []
    /// The problems of the imported file that prevented the import.
    package internal(set) var problems: Report?
    /// The remaining problems of the written file.
    package internal(set) var remaining: Report?

    /// Whether all values were imported or kept, and the result is valid.
    package var isComplete: Bool {
        (problems?.errorCount ?? 0) == 0 && (remaining?.errorCount ?? 0) == 0
            && !items.contains { if case .left = $0.fate { true } else { false } }
    }

    // MARK: Text

    /// The report as text.
    package var text: String {
        let taken = lines { fate in
            if case .taken(let settings) = fate { " -> \(settings.joined(separator: ", "))" } else { nil }
        }
        let references = lines { fate in
            guard case .reference(let variable, let settings) = fate else { return nil }
            return " -> \(settings.joined(separator: ", ")): ${env:\(variable)}; set \(variable) where it runs"
        }
        let kept = lines { fate in if case .kept(let place) = fate { " (in \(place))" } else { nil }
        }
        let left = lines { fate in if case .left(let reason) = fate { ": \(reason)" } else { nil } }
        var text = section("imported", taken) + section("secrets that became references", references)
        text += section("without effect", kept) + section("not imported", left)
        text += section("problems in \(file)", errors(in: problems))
        text += section("problems to fix in the written file", errors(in: remaining))
        let counts = [
            (taken.count, "imported"), (references.count, "made references"), (kept.count, "without effect"),
            (left.count, "not imported"),
        ]
        let summary = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return text + "\(file): \(summary.isEmpty ? "no values" : summary)\(isComplete ? "" : "; not complete")\n"
    }

    private func lines(_ told: (Fate) -> String?) -> [String] {
        items.compactMap { item in
            told(item.fate).map { told in
                "\(item.place.map { "line \($0.start.line): " } ?? "")\(item.path.shown(upTo: 120))\(told)"
            }
        }
    }

    private func errors(in report: Report?) -> [String] {
        (report?.problems ?? []).filter { $0.code.severity == .error }.map { problem in
            let place = problem.place.map { "line \($0.start.line):\($0.start.column): " } ?? ""
            let help = problem.help.isEmpty ? "" : "; \(problem.help.map(\.description).joined(separator: "; "))"
            return "\(place)\(problem.message)\(help) [\(problem.code.id)]"
        }
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        lines.isEmpty ? "" : "\(title):\n" + lines.map { "  \($0)\n" }.joined()
    }

    // MARK: JSON

    /// The report as JSON.
    package var json: JSONValue {
        .members([
            "version": .integer(1),
            "file": .string(file),
            "format": .string(format),
            "complete": .boolean(isComplete),
            "items": .array(items.map(json)),
            "problems": problems.map { JSONReport($0).value },
            "remaining": remaining.map { JSONReport($0).value },
        ])
    }

    private func json(_ item: Item) -> JSONValue {
        let outcome: String
        var settings: [String]?
        var variable: String?
        var reason: String?
        switch item.fate {
        case .taken(let names): (outcome, settings) = ("taken", names)
        case .reference(let name, let names): (outcome, settings, variable) = ("reference", names, name)
        case .kept(let place): (outcome, settings) = ("kept", [place])
        case .left(let text): (outcome, reason) = ("left", text)
        }
        return .members([
            "path": .string(item.path),
            "line": item.place.map { .integer($0.start.line) },
            "column": item.place.map { .integer($0.start.column) },
            "outcome": .string(outcome),
            "settings": settings.map { .array($0.map(JSONValue.string)) },
            "variable": variable.map(JSONValue.string),
            "reason": reason.map(JSONValue.string),
        ])
    }
}
