import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireMetricsContract
import WireNetworkContract
import WireService
import WireStore
import WireTelemetry
import WireWorkContract

/// Makes messages, queues them in the outbox, and reports their results.
final class MetricsReporter: Sendable {
    private struct State {
        var outcomes: [MetricsMessage.Kind: MetricsOutcome] = [:]
        /// The last results of rules, and those queued last.
        var results: [SecurityResult] = []
        var told: [SecurityResult]?
        var hasTrouble = false
        var isOver = false
    }

    let settings: MetricsSection
    let host: MetricsHost
    private let state = Mutex(State())
    /// Closed while data is cleared, so that no message is queued meanwhile.
    let barrier = WorkBarrier()
    private let messages: MetricFamily<Counter>

    init(_ settings: MetricsSection, _ host: MetricsHost) {
        (self.settings, self.host) = (settings, host)
        messages = host.metrics.counters(
            "corewire_metrics_messages",
            "The number of messages to the metrics service, by result.",
            by: ["type", "outcome"]
        )
    }

    var isOver: Bool { state.withLock(\.isOver) }
    var results: [SecurityResult] { state.withLock(\.results) }
    var outcomes: [MetricsOutcome] {
        let known = state.withLock(\.outcomes)
        return MetricsMessage.Kind.allCases.compactMap { known[$0] }
    }

    var sends: [MetricsMessage.Kind] {
        MetricsMessage.Kind.allCases.filter { kind in settings.types.contains { $0.rawValue == kind.rawValue } }
    }

    func finish() { state.withLock { $0.isOver = true } }

    // MARK: Making

    /// The messages that would be sent now; none of rules before they have run.
    func preview(_ kinds: [MetricsMessage.Kind]? = nil) async throws(Fault) -> [MetricsMessage] {
        let id = try await ClientID(host).find()
        return (kinds ?? sends).flatMap { messages($0, of: id) }
    }

    private func messages(_ kind: MetricsMessage.Kind, of client: String) -> [MetricsMessage] {
        guard kind == .security else { return [message(client)] }
        // The server rejects more results than this.
        let results = results
        return stride(from: 0, to: results.count, by: MetricsRules.mostResults).map { start in
            message(client, Array(results[start..<min(start + MetricsRules.mostResults, results.count)]))
        }
    }

    private func message(_ client: String, _ results: [SecurityResult] = []) -> MetricsMessage {
        let machine = host.find(.machine)?.facts()
        let app = MetricsMessage.App(
            id: host.app?.id.text ?? "app",
            sdkVersion: Release.version,
            version: host.app?.version
        )
        let device = MetricsMessage.Device(
            platform: "linux",
            platformVersion: machine?.systemVersion,
            device: machine?.model ?? machine?.type
        )
        return MetricsMessage(
            clientID: client,
            timestamp: host.clock.wall(),
            app: app,
            device: device,
            results: results
        )
    }

    // MARK: Sending

    /// Queues messages of these kinds; returns their ids in the outbox once they are on the disk.
    @discardableResult
    func send(_ kinds: [MetricsMessage.Kind]) async throws(Fault) -> [String] {
        guard barrier.enter() else { throw Fault("the data is being cleared") }
        defer { barrier.leave() }
        var ids: [String] = []
        for message in try await preview(kinds) { ids.append(try await post(message)) }
        return ids
    }

    /// Queues a message without a caller; failures degrade the service.
    func report(_ kind: MetricsMessage.Kind) async {
        do throws(Fault) {
            try await send([kind])
        } catch {
            tellUnlessEnding(error)
        }
    }

    /// Failures of a service that is stopping or clearing its data are not reported.
    private func tellUnlessEnding(_ fault: Fault) {
        if !Task.isCancelled, !isOver, barrier.isOpen { report(fault) }
    }

    /// Sends the results of rules each time they change.
    func follow() async {
        guard let source = host.uses.securityResults else { return }
        for await results in source.results() where !results.isEmpty {
            let isNew = state.withLock { state in
                state.results = results
                return state.told != results
            }
            guard isNew else { continue }
            do throws(Fault) {
                try await send([.security])
                state.withLock { $0.told = results }
            } catch {
                tellUnlessEnding(error)
            }
        }
    }

    private func post(_ message: MetricsMessage) async throws(Fault) -> String {
        let json = message.json
        if let objection = MetricsRules.objection(to: json) {
            let fault = Fault("the metrics service would reject the message: \(objection)", origin: origin)
            record(.failed, message.kind, fault.reason)
            throw fault
        }
        guard let outbox = host.uses.outbox else { throw Fault("no outbox: metrics cannot be sent") }
        let text = settings.url.text
        var request = OutboxRequest(.post, text, lane: MetricsSection.name, service: MetricsSection.name)
        request.fields["Content-Type"] = "application/json"
        request.body = json.bytes()
        request.note = .members(["kind": .string(message.kind.rawValue)])
        // The address, and whether the program sends the message itself, are known when it is due.
        (request.needsDelegate, request.idField, request.authorization) = (true, nil, .none)
        (request.isOfDevice, request.isLocal) = (true, true)
        do throws(OutboxFailure) {
            let receipt = try await outbox.post(request)
            record(.waiting, message.kind)
            return receipt.id
        } catch {
            record(.failed, message.kind, error.reason)
            throw Fault(error.reason, help: error.help, origin: error.origin)
        }
    }

    // MARK: What became of them

    /// Stores the result of a message, and emits its event.
    func record(_ word: MetricsOutcome.Word, _ kind: MetricsMessage.Kind, _ reason: String? = nil) {
        let outcome = MetricsOutcome(kind, word, at: host.clock.wall(), reason: reason)
        state.withLock { $0.outcomes[kind] = outcome }
        let event: MetricsEvents
        switch word {
        case .waiting: return
        case .sent: event = .sent
        case .published: event = .published
        case .failed: event = .failed
        }
        messages.with(kind.rawValue, word.rawValue).add()
        host.emit(event, MetricsEvent(kind, reason: reason))
    }

    /// The line of the file with the address.
    var origin: ValueOrigin? { host.places.origin(of: settings.$url, "metrics.url") }

    func report(_ fault: Fault) {
        var fault = fault
        fault.origin = fault.origin ?? origin
        host.report { [fault] in
            state.withLock { $0.hasTrouble = true }
            return .degraded(fault)
        }
    }

    func heal() {
        host.report {
            state.withLock { state in
                defer { state.hasTrouble = false }
                return state.hasTrouble ? .well : nil
            }
        }
    }
}
