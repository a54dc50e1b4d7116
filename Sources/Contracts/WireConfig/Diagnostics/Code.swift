/// A kind of problem: a number that never changes, a name, and a page that explains it.
package struct Code: Sendable {
    /// `CW` and four digits; what scripts and `corewire explain` know it by.
    package let id: String
    /// A few words in kebab case; a warning is allowed in a file by this name.
    package let name: String
    package let severity: Severity
    /// Why the rule exists, and what to do: plain text, a few short paragraphs.
    package let explanation: String
    /// What has to be looked at for the problem to be found.
    package let layer: Layer

    /// The layers of a validation, each looked at only where it is asked for.
    package enum Layer: Sendable {
        /// The file, always.
        case file
        /// This machine, with `--local`.
        case machine
        /// The servers the file names, with `--online`.
        case servers
    }

    package init(
        _ id: String,
        _ name: String,
        _ severity: Severity,
        in layer: Layer = .file,
        _ explanation: String
    ) {
        self.id = id
        self.name = name
        self.severity = severity
        self.layer = layer
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
    /// Something to know that is no problem; it fails nothing, and is not counted.
    case note

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .note: 2
        }
    }

    /// Worse is smaller, so that sorting puts the worst first.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
