import Synchronization
import WireDownloadContract
import WireTelemetry

/// The metrics of downloads.
final class DownloadMeasures: Sendable {
    private let bytes: Counter
    private let ends: MetricFamily<Counter>
    private let waits: MetricFamily<Counter>
    private let restarts: Counter
    private let metrics: Metrics
    private let reader = Mutex<MetricReader?>(nil)

    init(_ metrics: Metrics) {
        self.metrics = metrics
        bytes = metrics.counter("corewire_downloads_received_bytes", "Received bytes of files.")
        ends = metrics.counters("corewire_downloads_ended", "Ended downloads, by outcome.", by: ["outcome"])
        waits = metrics.counters(
            "corewire_downloads_waits",
            "Waits of downloads, by cause.",
            by: ["cause"]
        )
        restarts = metrics.counter("corewire_downloads_restarts", "Restarts of downloads from the first byte.")
    }

    func received(_ count: Int) { bytes.add(count) }
    func ended(_ outcome: String) { ends.with(outcome).add() }
    func restarted() { restarts.add() }

    func held(_ cause: DownloadScheduler.Hold.Cause) {
        let word =
            switch cause {
            case .retry: "retry"
            case .network: "network"
            case .signIn: "sign-in"
            case .space: "space"
            case .elsewhere: "elsewhere"
            }
        waits.with(word).add()
    }

    /// Counts the downloads at each scrape, for as long as the returned value is held.
    func watch(_ part: DownloadsPart) {
        let made = metrics.gauge("corewire_downloads", "Downloads, by state.", by: ["state"]) {
            [weak part] in
            var counts: [Download.State: Int] = [:]
            for download in part?.all ?? [] { counts[download.state, default: 0] += 1 }
            return Download.State.allCases.map { MetricReading(Double(counts[$0] ?? 0), labels: [$0.rawValue]) }
        }
        reader.withLock { $0 = made }
    }
}
