import WireBase
package import WireConfig

/// What became of each value of a file that was imported; nothing vanishes without a word.
package struct ImportReport: Sendable {
    /// A value of the file.
    package struct Item: Sendable {
        /// Its path in the file that was read.
        package let path: String
        /// Where it is written; nil in formats that are not read with places.
        package let place: SourceRange?
        package let fate: Fate
    }

    /// What became of a value.
    package enum Fate: Sendable {
        /// It is the value of settings of the services file.
        case taken(as: [String])
        /// It is a secret: the settings refer to a variable now, which the deployment has to set.
        case reference(variable: String, as: [String])
        /// It is kept where nothing reads it.
        case kept(in: String)
        /// It is not in the file that was written, and why.
        case left(reason: String)
    }

    /// The name of the file that was read.
    package let file: String
    /// What it was read as: `aerogear` or `halo`.
    package let format: String
    package internal(set) var items: [Item] = []
    /// What is wrong with the file that was read, so that nothing could be made of it.
    package internal(set) var problems: Report?
    /// What is still wrong with the file that was written.
    package internal(set) var remaining: Report?

    /// Whether everything was taken over or kept, and the result can run.
    package var isComplete: Bool {
        (problems?.errorCount ?? 0) == 0 && (remaining?.errorCount ?? 0) == 0
            && !items.contains { if case .left = $0.fate { true } else { false } }
    }

    // MARK: As text

    /// The report for people.
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
        var text = section("taken over", taken) + section("secrets that became references", references)
        text += section("kept, read by nothing", kept) + section("not taken over", left)
        text += section("wrong in \(file)", errors(in: problems))
        text += section("to be put right in the file that was written", errors(in: remaining))
        let counts = [
            (taken.count, "taken over"), (references.count, "made references"), (kept.count, "kept"),
            (left.count, "not taken over"),
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

    // MARK: As JSON

    /// The report for programs.
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
