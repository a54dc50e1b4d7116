import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Tells what becomes of requests: events, metrics, and how the service is.
final class OutboxLedger: Sendable {
    typealias Present = OutboxPart.Present

    private struct State {
        var present: Present
        var condition = OutboxCondition()
        var readers: [MetricReader] = []
    }

    private let state: Mutex<State>
    private let requests: MetricFamily<Counter>
    /// How much waits, as the store said it last: metrics ask it again after a change here, or a while later.
    private let usage: SharedReading<WorkUsage?>

    init(_ present: Present, active: @escaping @Sendable () -> Int) {
        state = Mutex(State(present: present))
        let (store, queue) = (present.store, present.queue)
        usage = SharedReading(for: .seconds(10), by: present.host.clock) { try? store.usage(ofQueue: queue) }
        let metrics = present.host.metrics
        requests = metrics.counters(
            "corewire_outbox_requests",
            "Requests of the outbox, by what became of them.",
            by: ["outcome"]
        )
        for outcome in ["accepted", "sent", "failed", "dropped", "refused"] { _ = requests.with(outcome) }
        let readers = [
            metrics.gauge("corewire_outbox_active", "Requests that are under way here.") {
                [MetricReading(Double(active()))]
            },
            gauge("corewire_outbox_waiting", "Requests that wait to be sent, those under way included.") {
                Double($0.entries)
            },
            gauge("corewire_outbox_bytes", "What they take.") { Double($0.size.bytes) },
            gauge("corewire_outbox_oldest_seconds", "How long the oldest of them has waited.") {
                $0.oldest?.inSeconds ?? 0
            },
        ]
        state.withLock { $0.readers = readers }
    }

    private func gauge(_ name: String, _ help: String, _ read: @escaping @Sendable (WorkUsage) -> Double)
        -> MetricReader
    {
        present.host.metrics.gauge(name, help) { [usage] in usage.value.map { [MetricReading(read($0))] } ?? [] }
    }

    private func count(_ outcome: String) {
        requests.with(outcome).add()
        usage.forget()
    }

    func rebind(to present: Present) { state.withLock { $0.present = present } }

    private var present: Present { state.withLock { $0.present } }

    // MARK: What becomes of requests

    func accepted(_ envelope: OutboxEnvelope, id: String) {
        count("accepted")
        emit(.accepted, envelope, OutboxEvent(id, lane: envelope.request.lane, service: envelope.request.service))
    }

    func sent(_ id: String, _ envelope: OutboxEnvelope, status: Int, attempts: Int) {
        count("sent")
        let lane = envelope.request.lane
        var event = OutboxEvent(id, lane: lane, service: envelope.request.service)
        (event.status, event.attempts) = (status, attempts)
        emit(.sent, envelope, event)
        change { $0.endedRow(of: lane) }
    }

    func failed(_ id: String, _ envelope: OutboxEnvelope?, lane: String, service: String, _ outcome: OutboxOutcome) {
        count("failed")
        let reason = outcome.reason ?? ""
        present.host.log.warning(
            "a request is given up",
            ["id": .text(id), "lane": .text(lane), "service": .text(service), "reason": .text(reason)]
        )
        var event = OutboxEvent(id, lane: lane, service: service)
        (event.status, event.attempts, event.reason) = (outcome.status, outcome.attempts, reason)
        emit(.failed, envelope, event)
        change { $0.endedRow(of: lane) }
    }

    func dropped(_ id: String, _ envelope: OutboxEnvelope?, lane: String, service: String, because reason: String) {
        count("dropped")
        present.host.log.notice(
            "a request is dropped",
            ["id": .text(id), "lane": .text(lane), "service": .text(service), "reason": .text(reason)]
        )
        var event = OutboxEvent(id, lane: lane, service: service)
        event.reason = reason
        emit(.dropped, envelope, event)
        change { $0.endedRow(of: lane) }
    }

    func waits(_ id: String, _ envelope: OutboxEnvelope?, lane: String, service: String, _ delay: WorkDelay, tried: Int)
    {
        var event = OutboxEvent(id, lane: lane, service: service)
        (event.reason, event.attempts, event.waitsFor) = (delay.reason, tried, delay.awaits)
        event.seconds = (delay.time.inSeconds * 1_000).rounded() / 1_000
        emit(.waiting, envelope, event)
        guard delay.isAttempt else { return }
        let now = present.host.clock.monotonic()
        change { $0.lane(lane, failed: delay.reason, at: now) }
    }

    func moved(_ id: String, from former: String, to lane: String) {
        present.host.log.notice("moved to another lane", ["id": .text(id), "lane": .text(lane)])
        var event = OutboxEvent(lane: lane)
        event.id = id
        emit(.moved, nil, event)
        change { $0.endedRow(of: former) }
    }

    func setPause(_ isPaused: Bool, of lane: String?) {
        present.host.log.notice(isPaused ? "paused" : "resumed", ["lane": lane.map { .text($0) }])
        emit(isPaused ? .paused : .resumed, nil, OutboxEvent(lane: lane))
    }

    private func emit(_ event: OutboxEvents, _ envelope: OutboxEnvelope?, _ payload: OutboxEvent) {
        var payload = payload
        if let envelope { (payload.method, payload.path) = (envelope.request.method.name, envelope.path) }
        present.host.emit(event, payload)
    }

    // MARK: How the service is

    func refused(_ refusal: OutboxFailure) {
        requests.with("refused").add()
        change { $0.fullness = Fault(refusal.reason, help: refusal.help, origin: refusal.origin) }
    }

    func noteWritten() {
        change { $0.store = nil }
        look()
    }

    /// Says that there is room again, once there is some.
    func look() {
        let (present, isFull) = state.withLock { ($0.present, $0.condition.fullness != nil) }
        guard isFull, let usage = try? present.store.usage(ofQueue: present.queue) else { return }
        let queue = present.settings.queue
        guard usage.entries <= queue.maxRequests / 10 * 9, usage.size.bytes <= queue.maxSize.bytes / 10 * 9 else {
            return
        }
        change { $0.fullness = nil }
    }

    func note(_ failure: StoreFailure) {
        switch failure.kind {
        case .full, .readOnly, .busy, .broken, .corrupt, .lost, .sealed:
            change { $0.store = Fault(failure.reason, help: failure.help) }
        default: break
        }
    }

    func noteServed() { change { $0.store = nil } }

    /// Says that nobody sends requests here, or that somebody does again.
    func note(noPipeline isMissing: Bool) {
        change { $0.pipeline = isMissing ? Fault("nothing here sends requests to servers") : nil }
    }

    private func change(_ body: (inout OutboxCondition) -> Void) {
        let (report, host) = state.withLock { state -> (ServiceReport?, BackgroundHost) in
            let before = state.condition.worst?.reason
            body(&state.condition)
            let worst = state.condition.worst
            guard worst?.reason != before else { return (nil, state.present.host) }
            guard var fault = worst else { return (.well, state.present.host) }
            if fault.origin == nil, state.condition.isOfRetries {
                let (places, settings) = (state.present.host.places, state.present.settings)
                fault.origin = places.origin(of: settings.$retry, "background.retry")
            }
            return (.degraded(fault), state.present.host)
        }
        if let report { host.report(report) }
    }
}

/// How the outbox is: what ails it, the worst first.
struct OutboxCondition {
    var store: Fault?
    var pipeline: Fault?
    var fullness: Fault?
    private var lanes: [String: (since: Duration, failures: Int, reason: String)] = [:]

    /// After so many failures one after the other something is wrong that does not pass by itself.
    static let longFailing = 5
    private static let mostLanes = 1_000

    mutating func lane(_ lane: String, failed reason: String, at now: Duration) {
        if let known = lanes[lane] {
            lanes[lane] = (known.since, known.failures + 1, reason)
        } else if lanes.count < Self.mostLanes {
            lanes[lane] = (now, 1, reason)
        }
    }

    /// Something of the lane has ended: what comes next is another request.
    mutating func endedRow(of lane: String) {
        if !lanes.isEmpty { lanes[lane] = nil }
    }

    private var failing: (lane: String, reason: String)? {
        guard !lanes.isEmpty else { return nil }
        return lanes.filter { $0.value.failures >= Self.longFailing }.min {
            ($0.value.since, $0.key) < ($1.value.since, $1.key)
        }
        .map { ($0.key, $0.value.reason) }
    }

    /// Whether the worst is that requests fail again and again.
    var isOfRetries: Bool { (store ?? pipeline ?? fullness) == nil }

    var worst: Fault? {
        if let fault = store ?? pipeline ?? fullness { return fault }
        guard let failing else { return nil }
        return Fault(
            "the requests of the lane \(failing.lane.quoted) fail again and again: \(failing.reason)",
            help:
                "'corewire outbox list' shows what waits; 'corewire outbox remove' lets go of a request that will never arrive"
        )
    }
}
