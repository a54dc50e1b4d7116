import WireConfig

/// Security rules: CW18.
extension Code {
    static let noRules = Code(
        "CW1801",
        "no-security-rules",
        .warning,
        """
        The section has no rules, because the default rules are off. Add a rule, such as 'debugger: {}'. 'corewire \
        schema security' lists all rules.
        """
    )
    static let nothingToFind = Code(
        "CW1802",
        "nothing-to-find",
        .error,
        """
        Rules search for declared items: paths, ports, processes, hashes. A list in the file replaces the default, so \
        a rule with an empty list, or without hashes to compare, always passes. To disable a rule in an environment, \
        set 'enabled: false', or set the rule to null.
        """
    )
    static let allAllowed = Code(
        "CW1803",
        "all-allowed",
        .warning,
        """
        'allow' exempts all items that the rule searches for, so the rule never reports a finding.
        """
    )
    static let unusedAllowance = Code(
        "CW1804",
        "unused-allowance",
        .warning,
        """
        'allow' names an item that the rule does not search for. Usually the name is misspelt, or the item was removed \
        from the search list and not from 'allow'.
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
        A file is listed twice with different hashes, so the rule can never pass.
        """
    )
    static let noAppVersion = Code(
        "CW1807",
        "no-app-version",
        .error,
        """
        The security service checks whether a version of an app may still run. The service rejects a request without a \
        version ('version property is required'), so the rule would be inconclusive. Set 'app.version'.
        """
    )
    static let ruleWithoutValue = Code(
        "CW1808",
        "rule-without-value",
        .warning,
        """
        A key without a value counts as absent, so the rule is not applied. Write a rule with default settings as an \
        empty mapping: 'debugger: {}'. To disable a rule, set 'enabled: false'.
        """
    )

    static let securityCodes: [Code] = [
        noRules, nothingToFind, allAllowed, unusedAllowance, noMetrics, sameFile, noAppVersion, ruleWithoutValue,
    ]
}
