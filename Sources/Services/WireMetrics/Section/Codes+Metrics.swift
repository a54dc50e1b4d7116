import WireConfig

/// Metrics: CW21.
extension Code {
    static let duplicateMetrics = Code(
        "CW2101",
        "duplicate-metrics",
        .warning,
        """
        List each type of metrics once. It is not sent twice.
        """
    )
    static let neverSent = Code(
        "CW2102",
        "metrics-never-sent",
        .warning,
        """
        'types' lists what is sent; 'atStart' and 'every' set when 'init' is sent. A type without an occasion, or an \
        occasion without its type, has no effect. Results of security rules are sent when the rules have run.
        """
    )

    static let metricsCodes: [Code] = [duplicateMetrics, neverSent]
}
