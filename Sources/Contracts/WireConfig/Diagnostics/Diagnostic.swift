package import WireBase

/// A problem in a file, with the broken rule, its location, related locations and a fix.
package struct Diagnostic: Sendable {
    package let code: Code
    /// The broken rule in one phrase; never contains a secret or a whole input.
    package var message: String
    package var place: SourceRange?
    /// The text below the marked location.
    package var label = ""
    package var related: [Related] = []
    package var help: [Advice] = []
    package var fix: Fix?
    /// The key path of the problem, for programs.
    package var path = ""
    /// The environments with the problem; empty for all of them.
    package var environments: [String] = []
    /// Whether to omit the problem where another one with its code is reported at its location.
    package var isSecondary = false

    package struct Related: Sendable, Hashable {
        package let place: SourceRange
        package let text: String
    }

    package init(_ code: Code, _ message: String, at place: SourceRange?) {
        self.code = code
        self.message = message
        self.place = place
    }
}

extension Diagnostic {
    package func labelled(_ label: String) -> Self { changed { $0.label = label } }

    package func related(_ place: SourceRange?, _ text: String) -> Self {
        guard let place else { return self }
        return changed { $0.related.append(Related(place: place, text: text)) }
    }

    package func helped(by help: Advice?) -> Self {
        guard let help else { return self }
        return changed { $0.help.append(help) }
    }

    @_disfavoredOverload
    package func helped(by help: String?) -> Self { helped(by: help.map { Advice($0) }) }

    package func fixed(by fix: Fix?) -> Self { changed { $0.fix = fix } }

    package func secondary() -> Self { changed { $0.isSecondary = true } }

    package func about(_ path: String) -> Self { changed { $0.path = path } }

    private func changed(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Diagnostic {
    /// Identifies equal findings across environments.
    struct Identity: Hashable {
        let code: String
        let message: String
        let place: SourceRange?
    }

    var identity: Identity { Identity(code: code.id, message: message, place: place) }
}

/// A change of the file that certainly matches the author's intent.
package struct Fix: Sendable {
    package let summary: String
    package let edits: [Edit]

    package struct Edit: Sendable {
        package let place: SourceRange
        package let replacement: String

        package init(_ place: SourceRange, _ replacement: String) {
            self.place = place
            self.replacement = replacement
        }
    }

    package init(_ summary: String, _ edits: [Edit]) {
        self.summary = summary
        self.edits = edits
    }

    /// Makes a fix that replaces a range of text.
    package static func replace(_ place: SourceRange, with text: String, _ summary: String) -> Self {
        Self(summary, [Edit(place, text)])
    }
}
