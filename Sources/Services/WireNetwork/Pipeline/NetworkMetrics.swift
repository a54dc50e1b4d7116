import Synchronization
import WireBase
import WireHTTP
import WireNetworkContract
import WireStore
import WireTelemetry

/// The metrics of outgoing requests.
struct NetworkMetrics: Sendable {
    private let outcomes: MetricFamily<Counter>
    /// By the first digit of the status, resolved once.
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
            "Requests to servers, by result.",
            by: ["outcome"]
        )
        let outcomes = outcomes
        statuses = (1...5).map { outcomes.with("\($0)xx") }
        durations = ServiceDurations(
            metrics.histograms(
                "corewire_network_request_duration_seconds",
                "Time from request to response head, with waits and retries, by service.",
                by: ["service", "code"]
            )
        )
        repetitions = metrics.counter("corewire_network_repetitions", "Retries of requests.")
        exhausted = metrics.counter(
            "corewire_network_repetitions_refused",
            "Retries that the retry budget prevented."
        )
        waiting = metrics.gauge("corewire_network_offline_waiting", "Requests that wait for the network.")
        let cached = metrics.counters(
            "corewire_network_cache_answers",
            "Responses, by the cache's part in them.",
            by: ["outcome"]
        )
        self.cached = Dictionary(uniqueKeysWithValues: CacheFact.Word.allCases.map { ($0, cached.with($0.rawValue)) })
        evictions = metrics.counter(
            "corewire_network_cache_evictions",
            "Cached responses that were evicted for others."
        )
    }

    /// Registers the gauges of the cache, for as long as the returned value is held.
    static func stored(_ metrics: Metrics, _ responseCache: ResponseCache, by clock: TimeSource) -> [MetricReader] {
        let usage = SharedReading(for: .seconds(10), by: clock) { responseCache.usage }
        return [
            metrics.gauge(
                "corewire_network_cache_entries",
                "Entries of the HTTP cache: responses, and a list of variants for each URL."
            ) { await usage.value.map { [MetricReading(Double($0.entries), labels: [])] } ?? [] },
            metrics.gauge(
                "corewire_network_cache_bytes",
                "Size of the HTTP cache, limited by network.cache.maxSize."
            ) { await usage.value.map { [MetricReading(Double($0.size.bytes), labels: [])] } ?? [] },
        ]
    }

    /// Registers the gauge of resting hosts, for as long as the returned value is held.
    static func resting(_ metrics: Metrics, _ hosts: HostCircuits) -> MetricReader {
        metrics.gauge(
            "corewire_network_host_resting",
            "Whether requests to a host pause after repeated failures.",
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

/// The durations of requests by service; the number of services is limited.
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
    /// The label in metrics and events.
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
