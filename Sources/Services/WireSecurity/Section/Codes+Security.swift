import WireConfig

/// Security rules: CW18.
extension Code {
    static let noRules = Code(
        "CW1801",
        "no-security-rules",
        .warning,
        """
        The section has no rules, because the defaults are off. 'debugger: {}' is enough to add one. 'corewire \
        schema security' prints all of them with what they detect.
        """
    )
    static let nothingToFind = Code(
        "CW1802",
        "nothing-to-find",
        .error,
        """
        Rules search for declared items: paths, ports, processes, hashes. A list in the file replaces the default, \
        so a rule with an empty one, or without hashes to compare, always passes and only seems to protect. To turn \
        a rule off in an environment, write 'enabled: false', or null instead of the rule.
        """
    )
    static let allAllowed = Code(
        "CW1803",
        "all-allowed",
        .warning,
        """
        'allow' exempts some of the items that a rule searches for. Here it exempts all of them, and the rule finds \
        nothing.
        """
    )
    static let unusedAllowance = Code(
        "CW1804",
        "unused-allowance",
        .warning,
        """
        'allow' names an item that the rule does not search for. Usually the name is misspelt and the intended item \
        is still found; or the item was removed from the search list and not from 'allow'.
        """
    )
    static let noMetrics = Code(
        "CW1805",
        "security-metrics",
        .error,
        """
        Results of the rules are sent as AeroGear metrics of type 'security'. The section 'metrics' sets the \
        address, and its 'types' contain 'security' by default.
        """
    )
    static let sameFile = Code(
        "CW1806",
        "same-file",
        .warning,
        """
        A file has only one hash. If it is listed twice with different ones, the rule can never pass.
        """
    )
    static let noAppVersion = Code(
        "CW1807",
        "no-app-version",
        .error,
        """
        The security service checks whether a version of an app may still run. It rejects a request without a \
        version ('version property is required'), so the rule would be inconclusive.
        """
    )
    static let ruleWithoutValue = Code(
        "CW1808",
        "rule-without-value",
        .warning,
        """
        A key without a value counts as absent, and an absent rule is not applied. Write a rule with default \
        settings as an empty mapping: 'debugger: {}'. To turn one off, write 'enabled: false'.
        """
    )

    static let securityCodes: [Code] = [
        noRules, nothingToFind, allAllowed, unusedAllowance, noMetrics, sameFile, noAppVersion, ruleWithoutValue,
    ]
}
