/// A kind of problem: a permanent number, a name, and an explanation.
package struct Code: Sendable {
    /// `CW` and four digits, for scripts and `corewire explain`.
    package let id: String
    /// A short name in kebab case, used to allow a warning in a file.
    package let name: String
    package let severity: Severity
    /// Why the rule exists, and what to do: plain text, a few short paragraphs.
    package let explanation: String
    /// The validation layer that finds the problem.
    package let layer: Layer

    /// The layers of a validation; each runs only on request.
    package enum Layer: Sendable {
        /// The file; always checked.
        case file
        /// This machine; checked with `--local`.
        case machine
        /// The servers named in the file; checked with `--online`.
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

/// The severity of a problem.
package enum Severity: String, Sendable, Comparable {
    /// The file is invalid.
    case error
    /// The file is valid but probably not as intended; a named lint.
    case warning
    /// Information only: never causes a failure, and is not counted.
    case note

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .note: 2
        }
    }

    /// Orders by severity, the most severe first.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}
