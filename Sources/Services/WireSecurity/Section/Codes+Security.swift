import WireConfig

/// What is looked for on the machine: CW18.
extension Code {
    static let noRules = Code(
        "CW1801",
        "no-security-rules",
        .warning,
        """
        The section is there, the usual rules are switched off, and no other is named. 'debugger: {}' is enough to name \
        one. 'corewire schema security' prints all of them with what they look for.
        """
    )
    static let nothingToFind = Code(
        "CW1802",
        "nothing-to-find",
        .error,
        """
        What a rule looks for is declared: paths, ports, processes, hashes. A list in the file replaces the one built in, \
        so an empty one, or a rule without the hashes it compares, always passes, and looks like protection where there \
        is none. Where a rule is not wanted in an environment, write 'enabled: false', or null instead of the rule.
        """
    )
    static let allAllowed = Code(
        "CW1803",
        "all-allowed",
        .warning,
        """
        'allow' lets some of the things pass that a rule looks for. Here it lets all of them pass, and the rule finds \
        nothing.
        """
    )
    static let unusedAllowance = Code(
        "CW1804",
        "unused-allowance",
        .warning,
        """
        'allow' names something the rule does not look for. Most often it is misspelt, and the thing meant is still found; \
        or it was taken from the list of things looked for and stayed here.
        """
    )
    static let noMetrics = Code(
        "CW1805",
        "security-metrics",
        .error,
        """
        Results of the rules are sent as AeroGear metrics of type 'security'. The section 'metrics' says where to, and its \
        'types' hold 'security' unless they were changed.
        """
    )
    static let sameFile = Code(
        "CW1806",
        "same-file",
        .warning,
        """
        A file has one hash. Where it stands twice with different ones, the rule can never pass.
        """
    )
    static let noAppVersion = Code(
        "CW1807",
        "no-app-version",
        .error,
        """
        The security service is asked whether a version of an app may still run. It refuses a question without one \
        ('version property is required'), and the rule would never come to a result.
        """
    )
    static let ruleWithoutValue = Code(
        "CW1808",
        "rule-without-value",
        .warning,
        """
        A key without a value is as good as absent, and a rule that is absent is not applied. A rule with nothing to change \
        is written with an empty mapping: 'debugger: {}'. One that is not wanted has 'enabled: false'.
        """
    )

    static let securityCodes: [Code] = [
        noRules, nothingToFind, allAllowed, unusedAllowance, noMetrics, sameFile, noAppVersion, ruleWithoutValue,
    ]
}
