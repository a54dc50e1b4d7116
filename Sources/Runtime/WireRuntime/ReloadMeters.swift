import WireRunnerContract
import WireTelemetry

/// Metrics of configuration changes, named like those of the Prometheus server.
struct ReloadMeters: Sendable {
    private let reloads: MetricFamily<Counter>
    private let isSuccessful: Gauge
    private let lastSuccess: Gauge

    init(_ metrics: Metrics) {
        reloads = metrics.counters(
            "corewire_config_reloads",
            "Configuration changes by outcome; 'takenBack' is a change that was not confirmed.",
            by: ["outcome"]
        )
        for outcome in ["applied", "unchanged", "rejected", "rolledBack", "takenBack"] { _ = reloads.with(outcome) }
        isSuccessful = metrics.gauge(
            "corewire_config_last_reload_successful",
            "Whether the last configuration load was successful."
        )
        lastSuccess = metrics.gauge(
            "corewire_config_last_reload_success_timestamp_seconds",
            "Time of the last successful configuration load, in seconds since 1970."
        )
    }

    /// Counts a change; the first start is a load but not a reload.
    func count(_ outcome: ChangeReport.Outcome, _ origin: ChangeOrigin, at time: Int64) {
        let isTakenBack = origin == .confirmation
        let isSuccess: Bool
        switch outcome {
        case .applied, .unchanged: isSuccess = !isTakenBack
        case .rejected, .rolledBack: isSuccess = false
        case .planned, .conflict: return
        }
        if origin != .start { reloads.with(isTakenBack ? "takenBack" : outcome.rawValue).add() }
        isSuccessful.set(isSuccess ? 1 : 0)
        if isSuccess { lastSuccess.set(Double(time) / 1_000) }
    }
}
