package import WireConfig

/// Where usage and security results are sent, as AeroGear's metrics service takes them.
package struct MetricsSection: Section {
    package static let name = "metrics"
    package static let summary =
        "Where the app's start and its security results are sent, as AeroGear's metrics service takes them."
    package static let codes = Code.metricsCodes
    package static let asks: Set<Provision.Kind> = [.requests, .outbox, .schedules]

    @Setting package var url: Address
    @Setting package var types: [MetricsType]
    @Setting package var atStart: Bool
    @Setting package var every: Duration?

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "Where metrics are sent, with the whole path.",
            .takes(.endpoint),
            .standIn(at: "metrics"),
            .example("https://metrics.example.com/metrics")
        )
        _types = keys.value("types", "What is sent.", or: [.initial, .security], .notEmpty)
        _atStart = keys.value("atStart", "Whether 'init' is sent when the runner starts.", or: true)
        _every = keys.optional(
            "every",
            "How often 'init' is sent again while the runner runs; without it never.",
            .in(.seconds(60) ... .seconds(30 * 86_400)),
            .example("1d")
        )
    }
}

/// What is sent.
package enum MetricsType: String, Choice {
    case initial = "init"
    case security

    package var help: String {
        switch self {
        case .initial: "app, version and platform"
        case .security: "the results of the rules of the section 'security', when they have run and when they change"
        }
    }
}
