import Synchronization
import WireBase
import WireHTTP
import WireNetworkContract
import WireStore
import WireTelemetry

/// What is counted of requests that leave.
struct NetworkMetrics: Sendable {
    private let outcomes: MetricFamily<Counter>
    /// By the first digit of the status, looked up once.
    private let statuses: [Counter]
    private let durations: ServiceDurations
    let repetitions: Counter
    let exhausted: Counter
    let waiting: Gauge
    private let cached: [CacheFact.Word: Counter]
    let evictions: Counter

    init(_ metrics: Metrics) {
        outcomes = metrics.counters(
            "corewire_network_requests",
            "Requests to servers, by what became of them.",
            by: ["outcome"]
        )
        let outcomes = outcomes
        statuses = (1...5).map { outcomes.with("\($0)xx") }
        durations = ServiceDurations(
            metrics.histograms(
                "corewire_network_request_duration_seconds",
                "How long requests took until the head of their answer, waits and repetitions included, by who made them.",
                by: ["service", "code"]
            )
        )
        repetitions = metrics.counter("corewire_network_repetitions", "Requests that were sent again.")
        exhausted = metrics.counter(
            "corewire_network_repetitions_refused",
            "Requests that were not sent again because too many others were."
        )
        waiting = metrics.gauge("corewire_network_offline_waiting", "Requests that wait for the network.")
        let cached = metrics.counters(
            "corewire_network_cache_answers",
            "Answers, by what the store of answers had to do with them.",
            by: ["outcome"]
        )
        self.cached = Dictionary(uniqueKeysWithValues: CacheFact.Word.allCases.map { ($0, cached.with($0.rawValue)) })
        evictions = metrics.counter(
            "corewire_network_cache_evictions",
            "Stored answers that had to go for others, since there is room for so much only."
        )
    }

    /// Reads how much is stored of answers, for as long as what is returned is kept.
    static func stored(_ metrics: Metrics, _ shelf: AnswerShelf, by clock: Clockwork) -> [MetricReader] {
        let usage = SharedReading(for: .seconds(10), by: clock) { shelf.usage }
        return [
            metrics.gauge(
                "corewire_network_cache_entries",
                "Entries of the store of answers: answers, and for each URL the list of what its answers vary by."
            ) { usage.value.map { [MetricReading(Double($0.entries), labels: [])] } ?? [] },
            metrics.gauge(
                "corewire_network_cache_bytes",
                "How much room the store of answers takes, of network.cache.maxSize."
            ) { usage.value.map { [MetricReading(Double($0.size.bytes), labels: [])] } ?? [] },
        ]
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

    func count(_ status: Status, of service: String, _ duration: Duration) {
        let index = status.code / 100 - 1
        if statuses.indices.contains(index) { statuses[index].add() }
        durations.of(service).observe(duration, status: status.code)
    }

    func count(_ fact: CacheFact.Word) { cached[fact]?.add() }

    func count(_ failure: CallFailure.Kind, of service: String, _ duration: Duration) {
        outcomes.with(failure.name).add()
        durations.of(service).observe(duration, status: nil)
    }
}

/// How long requests take, kept apart by the service that makes them; there are as many as there are services.
private final class ServiceDurations: Sendable {
    private let family: MetricFamily<Histogram>
    private let services = Mutex<[String: StatusHistograms]>([:])

    init(_ family: MetricFamily<Histogram>) {
        self.family = family
    }

    func of(_ service: String) -> StatusHistograms {
        services.withLock { services in
            if let known = services[service] { return known }
            let made = StatusHistograms(family, service)
            services[service] = made
            return made
        }
    }
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
