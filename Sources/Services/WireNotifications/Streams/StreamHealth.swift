import Synchronization
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WireService
import WireTelemetry

/// Reports the health of event streams: service state, events and metrics.
///
/// A rejected stream degrades the service at once, another failure at the third attempt in a row without an event. It
/// recovers with an event, or after a stable connection.
final class StreamHealth: Sendable {
    private struct Status {
        /// The number of its readers: one that is replaced may end after the next one has begun.
        var readers = 0
        var isConnected = false
        /// When the present state began, in milliseconds since 1970.
        var since: Int64?
        var connections = 0
        var messages = 0
        var lastMessage: Int64?
        /// Why the last connection has ended.
        var reason: String?
        var failures = 0
        var fault: Fault?
        /// The skipped types of events.
        var passed: Set<String> = []

        mutating func turn(connected: Bool, _ clock: TimeSource) {
            if isConnected != connected || since == nil { since = clock.wall() }
            isConnected = connected
        }
    }

    private let state = Mutex<[String: Status]>([:])
    /// Held while a fault or its end is told, so that what is told last is the present state.
    private let telling = Mutex(())
    private let telemetry: NotificationTelemetry
    private let readers = Mutex<[MetricReader]>([])
    private let connections: MetricFamily<Counter>
    private let messages: MetricFamily<Counter>
    private let clock: TimeSource

    private static let patience = 3
    /// How long a connection must last to count as stable without an event.
    static let settling = Duration.seconds(10)
    private static let mostTypes = 32

    init(_ telemetry: NotificationTelemetry, _ metrics: Metrics, _ clock: TimeSource) {
        (self.telemetry, self.clock) = (telemetry, clock)
        connections = metrics.counters(
            "corewire_notification_stream_connections",
            "The number of connections to servers of streams; all but the first are reconnects.",
            by: ["stream"]
        )
        messages = metrics.counters(
            "corewire_notification_stream_messages",
            "The number of messages of a stream that were stored, repeated ones included.",
            by: ["stream"]
        )
        let connected = metrics.gauge(
            "corewire_notification_stream_connected",
            "Whether the stream is connected (1 or 0).",
            by: ["stream"]
        ) { [weak self] in self?.readings { $0.isConnected ? 1 : 0 } ?? [] }
        let last = metrics.gauge(
            "corewire_notification_stream_last_message_timestamp_seconds",
            "When the last message of a stream was stored, in seconds since 1970.",
            by: ["stream"]
        ) { [weak self] in self?.readings { $0.lastMessage.map { Double($0) / 1_000 } } ?? [] }
        readers.withLock { $0 = [connected, last] }
    }

    private func readings(_ value: (Status) -> Double?) -> [MetricReading] {
        state.withLock { state in
            state.sorted { $0.key < $1.key }.compactMap { name, status in
                value(status).map { MetricReading($0, labels: [name]) }
            }
        }
    }

    /// The streams in the order of their names.
    var report: [NotificationStreamReport] {
        state.withLock { state in
            state.sorted { $0.key < $1.key }.map { name, status in
                var report = NotificationStreamReport(name, isConnected: status.isConnected)
                (report.since, report.connections) = (status.since, status.connections)
                (report.messages, report.lastMessage) = (status.messages, status.lastMessage)
                report.reason = status.fault?.reason ?? (status.isConnected ? nil : status.reason)
                return report
            }
        }
    }

    /// Adds a stream.
    func begin(_ name: String) {
        state.withLock { state in
            state[name, default: Status()].readers += 1
            state[name]?.turn(connected: false, clock)
        }
    }

    func opened(_ name: String) {
        connections.with(name).add()
        state.withLock { state in
            state[name, default: Status()].turn(connected: true, clock)
            state[name]?.connections += 1
        }
    }

    /// Notes that a message is on the disk.
    func stored(_ name: String) {
        messages.with(name).add()
        state.withLock { state in
            state[name]?.messages += 1
            state[name]?.lastMessage = clock.wall()
        }
    }

    func recordData(_ name: String) { recover(name) }

    /// Notes that a connection is stable, if there is one.
    func settled(_ name: String) -> Bool {
        guard state.withLock({ $0[name]?.isConnected ?? false }) else { return false }
        recover(name)
        return true
    }

    private func recover(_ name: String) {
        telling.withLock { _ in
            let hadFault = state.withLock { state in
                guard let status = state[name], status.failures > 0 || status.fault != nil else { return false }
                state[name]?.failures = 0
                state[name]?.fault = nil
                return status.fault != nil
            }
            guard hadFault else { return }
            telemetry.settle(.stream(name))
            telemetry.emit(.streamRecovered, NotificationEvent(ofStream: name))
        }
    }

    /// Notes that a connection has ended or failed.
    func ended(_ name: String, _ end: StreamEnd, at place: ValueOrigin?) {
        let fault = Fault("the stream \(name.quoted) is not read: \(end.reason)", origin: end.origin ?? place)
        tell(fault, of: name, because: end.reason) { status in
            status.turn(connected: false, clock)
            status.reason = end.reason
            if end.kind != .refused, end.wasGood {
                status.failures = 0
                return false
            }
            status.failures += 1
            return end.kind == .refused || status.failures >= Self.patience
        }
    }

    /// Notes that what a connected stream brings cannot be stored.
    func hindered(_ name: String, by failure: NotificationFailure, at place: ValueOrigin?) {
        let reason = "the messages of the stream \(name.quoted) cannot be stored: \(failure.reason)"
        let fault = Fault(reason, help: failure.help, origin: failure.origin ?? place)
        tell(fault, of: name, because: failure.reason) { _ in true }
    }

    /// Stores and tells a fault where a change of the status makes it one, unless it is known.
    private func tell(
        _ fault: Fault,
        of name: String,
        because reason: String,
        where change: (inout Status) -> Bool
    ) {
        telling.withLock { _ in
            let isNew = state.withLock { state in
                guard change(&state[name, default: Status()]) else { return false }
                defer { state[name]?.fault = fault }
                return state[name]?.fault?.reason != fault.reason
            }
            guard isNew else { return }
            telemetry.trouble(.stream(name), fault)
            var event = NotificationEvent(ofStream: name)
            (event.reason, event.origin) = (reason, fault.origin)
            telemetry.emit(.streamFailed, event)
        }
    }

    /// Removes a stream without other readers: it is not in the file any more, no user is signed in, or the service
    /// ends, which has no health.
    func left(_ name: String, atEndOfService: Bool) {
        telling.withLock { _ in
            let hadFault = state.withLock { state in
                state[name]?.readers -= 1
                guard state[name]?.readers == 0 else { return false }
                return state.removeValue(forKey: name)?.fault != nil
            }
            if hadFault, !atEndOfService { telemetry.settle(.stream(name)) }
        }
    }

    /// Notes a skipped type; true for its first event.
    func isFirst(_ type: String, of name: String) -> Bool {
        state.withLock { state in
            guard state[name, default: Status()].passed.count < Self.mostTypes else { return false }
            return state[name, default: Status()].passed.insert(type).inserted
        }
    }
}
