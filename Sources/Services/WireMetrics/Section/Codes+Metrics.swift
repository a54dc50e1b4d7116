import WireConfig

/// Metrics: CW21.
extension Code {
    static let duplicateMetrics = Code(
        "CW2101",
        "duplicate-metrics",
        .warning,
        """
        A type of metrics is listed twice. Each type is sent once.
        """
    )
    static let neverSent = Code(
        "CW2102",
        "metrics-never-sent",
        .warning,
        """
        'types' lists what is sent; 'atStart' and 'every' set when 'init' is sent. A type that is never sent, or a \
        time for a type that is not listed, has no effect. Results of security rules are sent when the rules have run.
        """
    )

    static let metricsCodes: [Code] = [duplicateMetrics, neverSent]
}
