/// A kind of problem: a number that never changes, a name, and a page that explains it.
package struct Code: Sendable {
    /// `CW` and four digits; what scripts and `corewire explain` know it by.
    package let id: String
    /// A few words in kebab case; a warning is allowed in a file by this name.
    package let name: String
    package let severity: Severity
    /// Why the rule exists, and what to do: plain text, a few short paragraphs.
    package let explanation: String

    package init(_ id: String, _ name: String, _ severity: Severity, _ explanation: String) {
        self.id = id
        self.name = name
        self.severity = severity
        self.explanation = explanation
    }
}

extension Code: Hashable {
    package static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// How bad a problem is.
package enum Severity: String, Sendable, Comparable {
    /// The file is not valid.
    case error
    /// The file is valid and probably not what was meant; a named lint.
    case warning

    /// Worse is smaller, so that sorting puts the worst first.
    package static func < (left: Self, right: Self) -> Bool { left == .error && right == .warning }
}
