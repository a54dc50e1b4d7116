import Synchronization
import WireBase
import WireHTTP
import WireService
import WireStore
import WireSyncContract
import WireTelemetry

/// The metrics of the service.
final class SyncMeters: Sendable {
    private let queries, requests, mutations, conflicts: MetricFamily<Counter>
    private let readers = Mutex<[MetricReader]>([])
    private let metrics: Metrics

    init(_ metrics: Metrics) {
        self.metrics = metrics
        queries = metrics.counters(
            "corewire_sync_queries",
            "Queries, by source of the result.",
            by: ["result"]
        )
        requests = metrics.counters(
            "corewire_sync_requests",
            "Requests to the GraphQL server, by outcome; corewire_outbox_requests counts queued mutations.",
            by: ["outcome"]
        )
        mutations = metrics.counters(
            "corewire_sync_mutations",
            "Queued mutations, by state.",
            by: ["state"]
        )
        conflicts = metrics.counters(
            "corewire_sync_conflicts",
            "Conflicts of queued mutations, by strategy; 'ask' waits for a decision.",
            by: ["strategy"]
        )
        for result in ["hit", "stale", "miss", "failed"] { _ = queries.with(result) }
        for outcome in ["ok", "errors"] { _ = requests.with(outcome) }
    }

    /// Observes the values of the service for as long as it lives.
    func read(_ service: SyncService) {
        let usage = SharedReading(for: .seconds(10), by: service.host.clock) { [weak service] in
            try? await service?.caches.present.usage
        }
        let new = [
            metrics.gauge("corewire_sync_subscriptions", "Running subscriptions.", by: ["of"]) { [weak service] in
                guard let counts = service?.registry.counts else { return [] }
                return [
                    MetricReading(Double(counts.callers), labels: ["callers"]),
                    MetricReading(Double(counts.declared), labels: ["file"]),
                ]
            },
            metrics.gauge("corewire_sync_queue", "Queued mutations of the current user that have not ended.") {
                [weak service] in
                guard let queue = service?.queue else { return [] }
                let count = try? await queue.withIndex(queue.repository) { $0.count }
                return count.map { [MetricReading(Double($0))] } ?? []
            },
            metrics.gauge("corewire_sync_cache_bytes", "Disk size of the current user's cached records, in bytes.") {
                await usage.value.map { [MetricReading(Double($0.size.bytes))] } ?? []
            },
            metrics.gauge("corewire_sync_cache_records", "Number of the current user's cached records.") {
                await usage.value.map { [MetricReading(Double($0.entries))] } ?? []
            },
        ]
        readers.withLock { $0 = new }
    }

    func query(_ answer: SyncAnswer) {
        let isCached = answer.source != .server
        queries.with(isCached ? (answer.isStale ? "stale" : "hit") : "miss").add()
    }

    func queryFailed() { queries.with("failed").add() }

    func request(_ response: ServerResponse) { requests.with(response.errors.isEmpty ? "ok" : "errors").add() }
    func requestFailed(_ kind: SyncFailureKind) { requests.with(kind.rawValue).add() }

    func mutation(_ state: MutationState, _ resolution: ConflictStrategy?) {
        if let resolution { return conflicts.with(resolution.rawValue).add() }
        mutations.with(state.rawValue).add()
        if state == .conflict { conflicts.with(ConflictStrategy.ask.rawValue).add() }
    }
}

extension SyncService {
    /// Answers a query from memory where its policy allows that, and counts it; nil where that is not enough.
    func queryAtOnce(_ asked: AskedOperation, policy: CachePolicy? = nil) -> SyncAnswer? {
        guard let answer = answerAtOnce(asked, policy) else { return nil }
        meters.query(answer)
        return answer
    }

    /// Runs a query according to its policy, and counts it.
    func query(_ asked: AskedOperation, policy: CachePolicy? = nil) async throws(SyncFailure) -> SyncAnswer {
        do throws(SyncFailure) {
            let answer = try await answer(asked, policy)
            meters.query(answer)
            return answer
        } catch {
            meters.queryFailed()
            throw error
        }
    }
}
