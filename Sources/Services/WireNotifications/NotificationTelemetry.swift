import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireStore
import WireTelemetry

/// Reports on notifications: events, metrics and the health of the service.
final class NotificationTelemetry: Sendable {
    private struct State {
        var host: NotificationsHost
        var readers: [MetricReader] = []
        /// The present problems; empty while there are none.
        var troubles: [(part: Part, fault: Fault)] = []
        /// Since when other writers have been in the way of each write.
        var busySince: Duration?
        /// Whether no write can succeed until the process restarts.
        var isLost = false
    }

    /// The parts with separate problems.
    enum Part: Sendable, Equatable {
        case store
        /// The way to the store.
        case distance
        case stream(String)
    }

    private let state: Mutex<State>
    /// Wakes when the store fails.
    let ailments = Wakeup()
    /// For how long the store may be busy before the status says so.
    static let busyForMoment = Duration.seconds(5)
    private let notifications: MetricFamily<Counter>
    private let handlers: MetricFamily<Counter>
    /// The last number of queued notifications in the store.
    private let waiting: SharedReading<Int>

    init(_ host: NotificationsHost, _ repository: NotificationRepository) {
        state = Mutex(State(host: host))
        notifications = host.metrics.counters(
            "corewire_notifications",
            "The number of notifications by result.",
            by: ["outcome"]
        )
        handlers = host.metrics.counters(
            "corewire_notification_handlers",
            "The number of handler attempts by result.",
            by: ["result"]
        )
        for outcome in [
            "received", "updated", "duplicate", "refused", "handled", "failed", "shown", "suppressed", "tapped",
        ] {
            _ = notifications.with(outcome)
        }
        for result in HandlerRecord.Result.allCases { _ = handlers.with(result.rawValue) }
        let waiting = SharedReading(for: .seconds(10), by: host.clock) {
            try? await repository.work.usage(ofQueue: repository.queue).entries
        }
        self.waiting = waiting
        let reader = host.metrics.gauge("corewire_notifications_waiting", "The number of queued notifications.") {
            await waiting.value.map { [MetricReading(Double($0))] } ?? []
        }
        state.withLock { $0.readers = [reader] }
    }

    private var host: NotificationsHost { state.withLock { $0.host } }

    func rebind(to host: NotificationsHost) {
        host.report {
            state.withLock { state in
                state.host = host
                // Problems outlast a change of settings.
                return (state.troubles.first?.fault).map { .degraded($0) }
            }
        }
    }

    // MARK: What becomes of notifications

    func received(_ envelope: NotificationEnvelope, _ push: ReceivedPush) {
        count(envelope.update == nil ? "received" : "updated")
        var event = NotificationEvent(envelope.id)
        (event.way, event.registrar, event.isSilent) = (envelope.way, push.registrar, push.isSilent)
        if envelope.update != nil { event.isUpdate = true }
        emit(.received, event)
    }

    func duplicate() { count("duplicate") }
    func refused() { count("refused") }

    func tried(_ record: HandlerRecord, of id: String) {
        handlers.with(record.result.rawValue).add()
        guard record.result == .failed else { return }
        host.log.notice(
            record.isFinal ? "a handler has failed for good" : "a handler has failed and will be retried",
            ["id": .text(id), "handler": .text(record.name), "reason": .text(record.reason ?? "")]
        )
    }

    func handled(_ id: String, _ outcome: NotificationOutcome) {
        let hasFailed = outcome.result == .failed
        count(hasFailed ? "failed" : "handled")
        var event = NotificationEvent(id)
        (event.result, event.reason) = (outcome.result, outcome.reason)
        event.handlers = outcome.records.map(NotificationEvent.Handler.init)
        emit(hasFailed ? .failed : .handled, event)
    }

    func shown(_ notice: NotificationNotice) {
        count("shown")
        host.emit(ShownEvents.shown, notice)
    }

    func suppressed(_ id: String, because reason: String) {
        count("suppressed")
        var event = NotificationEvent(id)
        event.reason = reason
        emit(.suppressed, event)
    }

    func tapped(_ id: String, button: String?, refused: String?) {
        count("tapped")
        var event = NotificationEvent(id)
        (event.button, event.refused) = (button, refused)
        emit(.tapped, event)
    }

    /// Reports that a connected app was disconnected.
    func dropped(_ handler: String, because reason: String) {
        host.log.notice("an app was disconnected", ["handler": .text(handler), "reason": .text(reason)])
        var event = NotificationEvent()
        (event.handler, event.reason) = (handler, reason)
        emit(.appDropped, event)
    }

    func emit(_ event: NotificationEvents, _ payload: NotificationEvent) { host.emit(event, payload) }

    private func count(_ outcome: String) {
        notifications.with(outcome).add()
        waiting.forget()
    }

    // MARK: How the service is

    func record(_ failure: StoreFailure) {
        guard failure.kind != .cancelled, failure.kind != .closed else { return }
        let now = host.clock.monotonic()
        let isMomentary = state.withLock { state in
            state.isLost = state.isLost || failure.isFinal
            guard failure.kind == .busy else { return false }
            let since = state.busySince ?? now
            state.busySince = since
            return now - since < Self.busyForMoment
        }
        if !isMomentary {
            let fault = Fault("notifications cannot be stored: \(failure.reason)", help: failure.help)
            trouble(failure.isAway ? .distance : .store, fault)
        }
        ailments.wake()
    }

    /// Whether the store was away when it was last used.
    var isAway: Bool { state.withLock { state in state.troubles.contains { $0.part == .distance } } }

    /// Whether only a write shows that the store is well again.
    var needsWrite: Bool {
        state.withLock { state in
            !state.isLost && (state.busySince != nil || state.troubles.contains { $0.part == .store })
        }
    }

    /// Notes that the store has done some work.
    func noteGood() {
        state.withLock { ($0.busySince, $0.isLost) = (nil, false) }
        settle(.store)
        settle(.distance)
    }

    /// Notes that the store could be read.
    func noteReached() { settle(.distance) }

    /// Adds a problem; the service is degraded by the oldest one.
    func trouble(_ part: Part, _ fault: Fault) {
        host.report {
            state.withLock { state in
                if let index = state.troubles.firstIndex(where: { $0.part == part }) {
                    guard state.troubles[index].fault.reason != fault.reason else { return nil }
                    state.troubles[index].fault = fault
                    return index == 0 ? .degraded(fault) : nil
                }
                state.troubles.append((part, fault))
                return state.troubles.count == 1 ? .degraded(fault) : nil
            }
        }
    }

    /// Removes the problem of a part.
    func settle(_ part: Part) {
        host.report {
            state.withLock { state in
                guard let index = state.troubles.firstIndex(where: { $0.part == part }) else { return nil }
                state.troubles.remove(at: index)
                guard index == 0 else { return nil }
                return (state.troubles.first?.fault).map { .degraded($0) } ?? .well
            }
        }
    }
}
