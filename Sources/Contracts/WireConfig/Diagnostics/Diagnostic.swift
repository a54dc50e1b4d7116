package import WireBase

/// A problem, told so that nobody has to ask: the rule, the place, a second place where there is one, what to write.
package struct Diagnostic: Sendable {
    package let code: Code
    /// The rule that is broken, in one phrase; never a secret, never a whole input.
    package var message: String
    package var place: SourceRange?
    /// What is said under the place itself.
    package var label = ""
    package var related: [Related] = []
    package var help: [Advice] = []
    package var fix: Fix?
    /// The key path the problem is about, for machines.
    package var path = ""
    /// The environments in which it is a problem; empty for all of them.
    package var environments: [String] = []
    /// Whether it says nothing new where another problem of its code is told at its place.
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
    /// What makes two findings the same finding, whichever environment they were found in.
    struct Identity: Hashable {
        let code: String
        let message: String
        let place: SourceRange?
    }

    var identity: Identity { Identity(code: code.id, message: message, place: place) }
}

/// A change of the file that is certain to be what its author meant.
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

    /// One stretch of text replaced by another.
    package static func replace(_ place: SourceRange, with text: String, _ summary: String) -> Self {
        Self(summary, [Edit(place, text)])
    }
}
