import Synchronization
import WireBase
import WireConfig
import WireService
import WireStore
import WireTelemetry

/// Tells what becomes of notifications: events, metrics, and how the service is.
final class NotificationLedger: Sendable {
    private struct State {
        var host: ServiceHost
        var readers: [MetricReader] = []
        /// Why the store does not do what is asked; nil while it does.
        var trouble: String?
    }

    private let state: Mutex<State>
    private let notifications: MetricFamily<Counter>
    private let handlers: MetricFamily<Counter>
    /// How many wait, as the store said it last.
    private let waiting: SharedReading<Int?>

    init(_ host: ServiceHost, _ shelf: NotificationShelf) {
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
        for outcome in ["received", "duplicate", "refused", "handled", "failed", "shown", "suppressed", "tapped"] {
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

    private var host: ServiceHost { state.withLock { $0.host } }

    func rebind(to host: ServiceHost) { state.withLock { $0.host = host } }

    // MARK: What becomes of notifications

    func received(_ envelope: NotificationEnvelope, _ push: ReceivedPush) {
        count("received")
        emit(
            "received",
            [
                ("id", .string(envelope.id)), ("way", .string(envelope.way)),
                ("registrar", push.registrar.map(JSONValue.string)), ("silent", .boolean(push.isSilent)),
            ]
        )
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
        let name = outcome.result == .failed ? "failed" : "handled"
        count(name)
        emit(
            name,
            [
                ("id", .string(id)), ("result", .string(outcome.result.rawValue)),
                ("reason", outcome.reason.map(JSONValue.string)),
                (
                    "handlers",
                    .array(
                        outcome.records.map { record in
                            .members([
                                "name": .string(record.name), "result": .string(record.result.rawValue),
                                "attempts": .integer(record.attempts), "milliseconds": .integer(Int(record.took)),
                            ])
                        }
                    )
                ),
            ]
        )
    }

    func shown(_ view: JSONValue) {
        count("shown")
        emit("shown", view.members?.map { ($0.key, $0.value) } ?? [])
    }

    func suppressed(_ id: String, because reason: String) {
        count("suppressed")
        emit("suppressed", [("id", .string(id)), ("reason", .string(reason))])
    }

    func tapped(_ id: String, button: String?) {
        count("tapped")
        emit("tapped", [("id", .string(id)), ("button", button.map(JSONValue.string))])
    }

    /// An app that listened is let go.
    func dropped(_ handler: String, because reason: String) {
        host.log.notice("an app that listened is let go", ["handler": .text(handler), "reason": .text(reason)])
        emit("appDropped", [("handler", .string(handler)), ("reason", .string(reason))])
    }

    func emit(_ name: String, _ members: [(key: String, value: JSONValue?)]) {
        let host = host
        let data = JSONValue.object(members.compactMap { key, value in value.map { (key, $0) } })
        host.events.emit("notification.\(name)", generation: host.generation, data)
    }

    private func count(_ outcome: String) {
        notifications.with(outcome).add()
        waiting.forget()
    }

    // MARK: How the service is

    func note(_ failure: StoreFailure) {
        guard failure.kind != .cancelled, failure.kind != .closed else { return }
        let isNew = state.withLock { state in
            defer { state.trouble = failure.reason }
            return state.trouble != failure.reason
        }
        guard isNew else { return }
        host.report(.degraded(Fault("notifications cannot be written down: \(failure.reason)", help: failure.help)))
    }

    func noteGood() {
        let wasBad = state.withLock { state in
            defer { state.trouble = nil }
            return state.trouble != nil
        }
        if wasBad { host.report(.well) }
    }
}
