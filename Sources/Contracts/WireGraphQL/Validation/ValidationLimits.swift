/// How much work the validation of a document may be.
package struct ValidationLimits: Sendable {
    /// How many findings are collected; the rest is left out.
    package var findings: Int
    /// How many steps the rules may take that look at a fragment once for each of its uses.
    package var steps: Int
    /// Whether a fragment that no operation uses is a finding.
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
