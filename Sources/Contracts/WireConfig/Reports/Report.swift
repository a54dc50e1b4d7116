package import WireBase

/// The result of a validation, independent of the output format.
package struct Report: Sendable {
    /// The file that was validated.
    package let file: String
    /// The problems in file order, with help in the syntax of their file.
    package let problems: [Diagnostic]
    package let errorCount: Int
    package let warningCount: Int
    /// The number of problems beyond the limit.
    package let omitted: Int
    package let environments: [String]
    let veil: Veil

    package init(
        file: String,
        problems: Problems,
        sources: [SourceFile],
        environments: [String],
        veil: Veil,
        syntaxes: FileSyntaxes = FileSyntaxes()
    ) {
        self.file = file
        self.problems = problems.sorted(files: sources).map { problem in
            var problem = problem
            let syntax = syntaxes.syntax(of: problem.place?.file ?? sources.first)
            problem.help = problem.help.map { Advice($0.text(in: syntax)) }
            return problem
        }
        errorCount = problems.errorCount
        warningCount = problems.warningCount
        omitted = problems.omitted
        self.environments = environments
        self.veil = veil
    }

    /// The environments of a problem, where these are not all.
    func narrowing(of problem: Diagnostic) -> [String] {
        problem.environments.count < environments.count || environments.isEmpty ? problem.environments : []
    }

    /// The counts in words: `2 errors and 1 warning`.
    package var tally: String {
        [(errorCount, "error"), (warningCount, "warning")]
            .filter { $0.0 > 0 }
            .map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
            .joined(separator: " and ")
    }
}
