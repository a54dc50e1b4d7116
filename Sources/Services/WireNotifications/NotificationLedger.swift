import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireStore
import WireTelemetry

/// Tells what becomes of notifications: events, metrics, and how the service is.
final class NotificationLedger: Sendable {
    private struct State {
        var host: NotificationsHost
        var readers: [MetricReader] = []
        /// What is wrong now; empty while nothing is.
        var troubles: [(part: Part, fault: Fault)] = []
    }

    /// What may be in trouble apart from the rest.
    enum Part: Sendable, Equatable {
        case store
        case stream(String)
    }

    private let state: Mutex<State>
    private let notifications: MetricFamily<Counter>
    private let handlers: MetricFamily<Counter>
    /// How many wait, as the store said it last.
    private let waiting: SharedReading<Int?>

    init(_ host: NotificationsHost, _ shelf: NotificationShelf) {
        state = Mutex(State(host: host))
        notifications = host.metrics.counters(
            "corewire_notifications",
            "Notifications, by what became of them.",
            by: ["outcome"]
        )
        handlers = host.metrics.counters(
            "corewire_notification_handlers",
            "Tries of handlers, by what they came to.",
            by: ["result"]
        )
        for outcome in [
            "received", "updated", "duplicate", "refused", "handled", "failed", "shown", "suppressed", "tapped",
        ] {
            _ = notifications.with(outcome)
        }
        for result in HandlerRecord.Result.allCases { _ = handlers.with(result.rawValue) }
        let waiting = SharedReading(for: .seconds(10), by: host.clock) {
            try? shelf.work.usage(ofQueue: shelf.queue).entries
        }
        self.waiting = waiting
        let reader = host.metrics.gauge("corewire_notifications_waiting", "Notifications that are not handled yet.") {
            waiting.value.map { [MetricReading(Double($0))] } ?? []
        }
        state.withLock { $0.readers = [reader] }
    }

    private var host: NotificationsHost { state.withLock { $0.host } }

    func rebind(to host: NotificationsHost) {
        let fault = state.withLock { state in
            state.host = host
            return state.troubles.first?.fault
        }
        // What is wrong stays wrong, and the new settings begin as if nothing were.
        if let fault { host.report(.degraded(fault)) }
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
            record.isFinal ? "a handler has failed for good" : "a handler has failed, and is tried again",
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

    /// An app that listened is let go.
    func dropped(_ handler: String, because reason: String) {
        host.log.notice("an app that listened is let go", ["handler": .text(handler), "reason": .text(reason)])
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

    func note(_ failure: StoreFailure) {
        guard failure.kind != .cancelled, failure.kind != .closed else { return }
        trouble(.store, Fault("notifications cannot be written down: \(failure.reason)", help: failure.help))
    }

    func noteGood() { settle(.store) }

    /// The service is degraded by what has been wrong for the longest.
    func trouble(_ part: Part, _ fault: Fault) {
        let first = state.withLock { state -> Fault? in
            if let index = state.troubles.firstIndex(where: { $0.part == part }) {
                guard state.troubles[index].fault.reason != fault.reason else { return nil }
                state.troubles[index].fault = fault
                return index == 0 ? fault : nil
            }
            state.troubles.append((part, fault))
            return state.troubles.count == 1 ? fault : nil
        }
        if let first { host.report(.degraded(first)) }
    }

    /// What was wrong with it is over.
    func settle(_ part: Part) {
        let (wasFirst, next) = state.withLock { state -> (Bool, Fault?) in
            guard let index = state.troubles.firstIndex(where: { $0.part == part }) else { return (false, nil) }
            state.troubles.remove(at: index)
            return (index == 0, state.troubles.first?.fault)
        }
        guard wasFirst else { return }
        host.report(next.map { .degraded($0) } ?? .well)
    }
}
