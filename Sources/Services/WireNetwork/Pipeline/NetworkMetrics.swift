import WireBase
import WireHTTP
import WireService
import WireTelemetry

/// What is counted of requests that leave.
struct NetworkMetrics: Sendable {
    private let outcomes: MetricFamily<Counter>
    /// By the first digit of the status, looked up once.
    private let statuses: [Counter]
    let durations: Histogram
    let repetitions: Counter
    let exhausted: Counter
    let waiting: Gauge

    init(_ metrics: Metrics) {
        outcomes = metrics.counters(
            "corewire_network_requests",
            "Requests to servers, by what became of them.",
            by: ["outcome"]
        )
        let outcomes = outcomes
        statuses = (1...5).map { outcomes.with("\($0)xx") }
        durations = metrics.histogram(
            "corewire_network_request_duration_seconds",
            "How long requests took until the head of their answer, waits and repetitions included."
        )
        repetitions = metrics.counter("corewire_network_repetitions", "Requests that were sent again.")
        exhausted = metrics.counter(
            "corewire_network_repetitions_refused",
            "Requests that were not sent again because too many others were."
        )
        waiting = metrics.gauge("corewire_network_offline_waiting", "Requests that wait for the network.")
    }

    /// Reads which hosts are left alone, for as long as the answer is kept.
    static func resting(_ metrics: Metrics, _ hosts: Hosts) -> MetricReader {
        metrics.gauge(
            "corewire_network_host_resting",
            "Whether a host is left alone because it has failed many times in a row; hosts that requests went to.",
            by: ["host"]
        ) {
            hosts.all.map { MetricReading($0.isResting ? 1 : 0, labels: [$0.host]) }
        }
    }

    func count(_ status: Status) {
        let index = status.code / 100 - 1
        if statuses.indices.contains(index) { statuses[index].add() }
    }

    func count(_ failure: CallFailure.Kind) { outcomes.with(failure.name).add() }
}

extension CallFailure.Kind {
    /// A word for it, as metrics and events have it.
    package var name: String {
        switch self {
        case .offline: "offline"
        case .notStored: "notStored"
        case .noToken: "noToken"
        case .resting: "resting"
        case .busy: "busy"
        case .noAddress: "noAddress"
        case .forbidden: "forbidden"
        case .timeout: "timeout"
        case .transfer(let kind): kind.rawValue
        case .ended: "ended"
        case .cancelled: "cancelled"
        }
    }
}
