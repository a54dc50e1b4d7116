import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Reports results of requests: events, metrics, and the status of the service.
final class OutboxTelemetry: Sendable {
    typealias Present = OutboxPart.Present

    private struct State {
        var present: Present
        var condition = OutboxCondition()
        var readers: [MetricReader] = []
    }

    private let state: Mutex<State>
    private let requests: MetricFamily<Counter>
    /// The cached usage of each queue for metrics, refreshed after a change here, or after a while.
    private let usages: [SharedReading<WorkUsage>]

    init(_ present: Present, active: @escaping @Sendable () -> Int) {
        state = Mutex(State(present: present))
        let queues = present.queues
        usages = queues.map { queue in
            SharedReading(for: .seconds(10), by: present.host.clock) { try? await queue.usage() }
        }
        let metrics = present.host.metrics
        requests = metrics.counters(
            "corewire_outbox_requests",
            "Requests of the outbox, by result.",
            by: ["outcome"]
        )
        for outcome in ["accepted", "sent", "failed", "dropped", "refused"] { _ = requests.with(outcome) }
        let readers = [
            metrics.gauge("corewire_outbox_active", "Requests in progress in this process.") {
                [MetricReading(Double(active()))]
            },
            gauge("corewire_outbox_waiting", "Queued requests, with those in progress.") {
                Double($0.entries)
            },
            gauge("corewire_outbox_bytes", "Size of the queued requests.") { Double($0.size.bytes) },
            gauge("corewire_outbox_oldest_seconds", "Age of the oldest queued request.") {
                $0.oldest?.inSeconds ?? 0
            },
        ]
        state.withLock { $0.readers = readers }
    }

    private func gauge(_ name: String, _ help: String, _ read: @escaping @Sendable (WorkUsage) -> Double)
        -> MetricReader
    {
        present.host.metrics.gauge(name, help) { [usages] in
            // A queue that cannot be read counts as it was when it was read last.
            var known: [WorkUsage] = []
            for usage in usages { if let usage = await usage.value { known.append(usage) } }
            return known.isEmpty ? [] : [MetricReading(read(known.total))]
        }
    }

    private func count(_ outcome: String) {
        requests.with(outcome).add()
        for usage in usages { usage.forget() }
    }

    func rebind(to present: Present) { state.withLock { $0.present = present } }

    private var present: Present { state.withLock { $0.present } }

    // MARK: Results

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
            "a request has failed",
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

    // MARK: Status

    func refused(_ refusal: OutboxFailure, by queue: OutboxQueue) {
        requests.with("refused").add()
        let fault = Fault(refusal.reason, help: refusal.help, origin: refusal.origin)
        change { $0.fullness[queue.isLocal] = fault }
    }

    func noteWritten(to queue: OutboxQueue) async {
        noteServed(by: queue)
        await refresh(queue)
    }

    /// Reports that a queue has room again, once it has.
    func refresh(_ queue: OutboxQueue) async {
        let (present, isFull) = state.withLock { ($0.present, $0.condition.fullness[queue.isLocal] != nil) }
        guard isFull else { return }
        let limits = present.settings.queue
        guard let usage = try? await queue.usage(), usage.entries <= limits.maxRequests / 10 * 9,
            usage.size.bytes <= limits.maxSize.bytes / 10 * 9
        else { return }
        change { $0.fullness[queue.isLocal] = nil }
    }

    func record(_ failure: StoreFailure, of queue: OutboxQueue) {
        let fault = Fault(failure.reason, help: failure.help)
        switch failure.kind {
        case .full, .readOnly, .broken, .corrupt, .lost, .sealed:
            change { $0.stores[queue.isLocal, default: .init()].work = fault }
        case .busy:
            let now = present.host.clock.monotonic()
            change { $0.stores[queue.isLocal, default: .init()].noteBusy(fault, at: now) }
        case _ where failure.isAway: change { $0.stores[queue.isLocal, default: .init()].distance = fault }
        default: break
        }
    }

    /// Notes that a queue's store has done some work.
    func noteServed(by queue: OutboxQueue) { change { $0.stores[queue.isLocal] = nil } }

    /// Notes that a queue could be read.
    func noteReached(_ queue: OutboxQueue) { change { $0.stores[queue.isLocal]?.distance = nil } }

    /// Notes that a queue could be read, and has nothing to do.
    func noteIdle(_ queue: OutboxQueue) { change { $0.stores[queue.isLocal]?.busy = nil } }

    /// Reports whether the network service is missing.
    func record(noPipeline isMissing: Bool) {
        change { $0.pipeline = isMissing ? Fault("the network service is not running") : nil }
    }

    private func change(_ body: (inout OutboxCondition) -> Void) {
        present.host.report {
            state.withLock { state in
                let before = state.condition.worst?.reason
                body(&state.condition)
                let worst = state.condition.worst
                guard worst?.reason != before else { return nil }
                guard var fault = worst else { return .well }
                if fault.origin == nil, state.condition.isOfRetries {
                    let (places, settings) = (state.present.host.places, state.present.settings)
                    fault.origin = places.origin(of: settings.$retry, "background.retry")
                }
                return .degraded(fault)
            }
        }
    }
}

/// The status of the outbox; the most severe problem first.
struct OutboxCondition {
    struct Store {
        /// Why the store does not do its work.
        var work: Fault?
        /// Why the store cannot be reached.
        var distance: Fault?
        /// Since when others have been in the way, and the fault where that lasts.
        var busy: (since: Duration, fault: Fault?)?

        mutating func noteBusy(_ fault: Fault, at now: Duration) {
            let since = busy?.since ?? now
            busy = (since, now - since < OutboxCondition.busyForMoment ? nil : fault)
        }
    }

    /// The store of the usual queue, and that of local requests, by whether it is the latter.
    var stores: [Bool: Store] = [:]
    var pipeline: Fault?
    /// Why requests are refused, by the queue as above.
    var fullness: [Bool: Fault] = [:]
    private var lanes: [String: (since: Duration, failures: Int, reason: String)] = [:]

    /// The number of consecutive failures after which a problem is reported.
    static let longFailing = 5
    /// For how long a store may be busy before the status says so.
    static let busyForMoment = Duration.seconds(5)
    private static let mostLanes = 1_000

    mutating func lane(_ lane: String, failed reason: String, at now: Duration) {
        if let known = lanes[lane] {
            lanes[lane] = (known.since, known.failures + 1, reason)
        } else if lanes.count < Self.mostLanes {
            lanes[lane] = (now, 1, reason)
        }
    }

    /// Ends the row of failures of a lane: the next request is another one.
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

    /// Whether the most severe problem is that requests keep failing.
    var isOfRetries: Bool { (store ?? pipeline ?? full) == nil }

    private var store: Fault? {
        let stores = [stores[false], stores[true]].compactMap(\.self)
        return stores.compactMap(\.work).first ?? stores.compactMap(\.distance).first
            ?? stores.compactMap(\.busy?.fault).first
    }

    private var full: Fault? { fullness[false] ?? fullness[true] }

    var worst: Fault? {
        if let fault = store ?? pipeline ?? full { return fault }
        guard let failing else { return nil }
        return Fault(
            "the requests of the lane \(failing.lane.quoted) fail repeatedly: \(failing.reason)",
            help:
                "run 'corewire outbox list' to list requests, and 'corewire outbox remove' to remove one"
        )
    }
}
