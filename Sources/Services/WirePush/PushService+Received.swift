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
        if let registrar = plain.sender.flatMap({ sender in desk.registrars.first { $0.value.sender == sender } }) {
            push.registrar = registrar.name
            return push
        }
        guard plain.sender == nil else { return push }
        for registrar in desk.registrars {
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
        guard let registrar = push.registrar.flatMap(desk.registrar), let id = push.id else { return }
        PushTelemetry(desk.host).posted(id, registrar)
    }

    /// Queues a report about a push and returns once it is on the disk; skips servers that do not want it.
    package func tell(_ event: PushEvent, of push: ReceivedPush, at moment: Int64) async throws(Fault) {
        guard let name = push.registrar, let registrar = desk.registrar(name) else { return }
        let news = PushTelemetry(desk.host)
        if event == .delivery {
            for flaw in registrar.value.flaws(of: push) { news.unusable(flaw, push.id, registrar) }
        }
        guard let id = push.id else { return }
        let kept = try desk.keeper.tokens()
        if event == .delivery { news.received(id, registrar) }
        guard registrar.takes(.init(event)) else { return }
        let tag = desk.standing(name).tag ?? PushOperation.anybody
        guard !kept.isQuiet(tag) else { return }
        var errand = PushOperation(.init(event), name, tag: tag, time: moment)
        (errand.push, errand.epoch) = (id, kept.epoch(of: tag))
        errand.provider = desk.standing(name).token?.provider
        // A repeated report is the same request.
        try await PushQueue(desk.host).post(errand, id: errand.id(at: desk.install))
    }
}
