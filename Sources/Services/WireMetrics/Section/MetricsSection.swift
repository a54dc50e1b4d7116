package import WireConfig

/// The address for usage and security results, in the form of AeroGear's metrics service.
package struct MetricsSection: Section {
    package static let name = "metrics"
    package static let summary =
        "Reports of the app's start and its security results, in the form of AeroGear's metrics service."
    package static let codes = Code.metricsCodes
    package static let asks: Set<Provision.Kind> = [.requests, .outbox, .schedules]

    @Setting package var url: Address
    @Setting package var types: [MetricsType]
    @Setting package var atStart: Bool
    @Setting package var every: Duration?

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "Complete URL of the metrics service.",
            .takes(.endpoint),
            .standIn(at: "metrics"),
            .example("https://metrics.example.com/metrics")
        )
        _types = keys.value("types", "Types of metrics to send.", or: [.initial, .security], .notEmpty)
        _atStart = keys.value("atStart", "Whether 'init' is sent when the runner starts.", or: true)
        _every = keys.optional(
            "every",
            "Interval at which 'init' is sent again. Default: never.",
            .in(.seconds(60) ... .seconds(30 * 86_400)),
            .example("1d")
        )
    }
}

/// A type of metrics.
package enum MetricsType: String, Choice {
    case initial = "init"
    case security

    package var help: String {
        switch self {
        case .initial: "app, version and platform at the start"
        case .security: "the results of the rules of the section 'security', when they have run and when they change"
        }
    }
}
