/// The limits of validating a document.
package struct ValidationLimits: Sendable {
    /// The maximum number of findings.
    package var findings: Int
    /// The maximum number of steps of rules that visit a fragment once for each use.
    package var steps: Int
    /// Whether an unused fragment is a finding.
    package var reportsUnusedFragments: Bool

    package init(findings: Int, steps: Int, reportsUnusedFragments: Bool = true) {
        self.findings = findings
        self.steps = steps
        self.reportsUnusedFragments = reportsUnusedFragments
    }

    /// For files that belong to the services file.
    package static let file = Self(findings: 200, steps: 10_000_000)
    /// For documents that apps send.
    package static let request = Self(findings: 20, steps: 500_000)
}
