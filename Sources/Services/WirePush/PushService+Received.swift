package import WireBase
package import WireConfig
package import WireNotificationContract
package import WirePushContract
import WireService

/// Reads pushes, and reports them to servers.
extension PushService {
    /// Reads a push for handlers, with the registrar that sent it.
    package func read(_ payload: JSONValue) -> ReceivedPush {
        let plain = PlainPush(payload)
        var push = plain.push
        if let registrar = plain.sender.flatMap({ sender in reconciler.registrars.first { $0.value.sender == sender } })
        {
            push.registrar = registrar.name
            return push
        }
        guard plain.sender == nil else { return push }
        for registrar in reconciler.registrars {
            guard let name = registrar.value.pushID,
                let id = push.fields[name].flatMap({ $0.string ?? $0.integer.map(String.init) }), !id.isEmpty
            else { continue }
            (push.id, push.registrar) = (id, registrar.name)
            return push
        }
        return push
    }

    /// Emits the event of a shown push where the platform's SDKs have one.
    func shown(_ push: ReceivedPush) {
        guard let registrar = push.registrar.flatMap(reconciler.registrar), let id = push.id else { return }
        PushTelemetry(reconciler.host).posted(id, registrar)
    }

    /// Queues a report about a push and returns once it is on the disk; skips servers that do not want it.
    package func report(_ event: PushEvent, of push: ReceivedPush, at moment: Int64) async throws(Fault) {
        guard let name = push.registrar, let registrar = reconciler.registrar(name) else { return }
        let telemetry = PushTelemetry(reconciler.host)
        if event == .delivery {
            for flaw in registrar.value.flaws(of: push) { telemetry.unusable(flaw, push.id, registrar) }
        }
        guard let id = push.id else { return }
        let kept = try await reconciler.repository.tokens()
        if event == .delivery { telemetry.received(id, registrar) }
        guard registrar.takes(.init(event)) else { return }
        let tag = reconciler.registrarStatus(name).tag ?? PushOperation.anybody
        guard !kept.isQuiet(tag) else { return }
        var operation = PushOperation(.init(event), name, tag: tag, time: moment)
        (operation.push, operation.epoch) = (id, kept.epoch(of: tag))
        operation.provider = reconciler.registrarStatus(name).token?.provider
        // A repeated report is the same request.
        try await PushQueue(reconciler.host).post(operation, id: operation.id(at: reconciler.install))
    }
}
