import WireBase
import WireConfig
import WirePushContract
import WireService

/// Queues requests to servers whose registration is out of date.
extension RegistrationReconciler {
    /// Queues a request unless the server is up to date, or a request is queued or was rejected.
    func ask(_ registrar: NamedRegistrar, _ tag: String, _ given: RegistrarStatus) async throws(Fault)
        -> RegistrarStatus
    {
        if let naming = registrar.value.deviceTokens { return try await askDevice(naming, registrar, tag, given) }
        var standing = given
        var next = standing.next(at: registrar)
        // A new registration makes the server end those of other users.
        if next == nil, standing.wish == .registered, registrar.value.endsOthers,
            try !formers(of: registrar, but: tag).isEmpty
        {
            next = .register
        }
        let target = try target(standing)
        let isFirst = isFirstLook(registrar, tag)
        if let refusal = standing.registration.refusal, refusal.target == target {
            // A rejected request is tried again once after each start, since the file or the server may have changed.
            // A request with a body of its caller is repeated only by the caller; the settings of the file are still
            // sent.
            guard isFirst, !refusal.hasWords || next != nil else { return standing }
            next = next ?? refusal.kind
        }
        if next == nil, let asked = standing.registration.asked, asked.isWished {
            if isFirst {
                standing.registration = try await post(asked.kind, registrar, tag, standing, target: asked.target)
            }
            return awaiting(standing, registrar)
        }
        guard let kind = next else { return try await settled(standing, registrar, tag) }
        if kind == .register, registrar.value.waitsForPermission, let reason = permissionRefusal {
            standing.waiting = .init(.permission, reason)
        }
        if !isFirst, let asked = standing.registration.asked, asked.target == target, asked.kind == kind {
            return awaiting(standing, registrar)
        }
        remember(standing, of: registrar)
        standing.registration = try await post(kind, registrar, tag, standing, target: target)
        return awaiting(standing, registrar)
    }

    /// Clears the earlier request and rejection: nothing is to be sent.
    func settled(_ given: RegistrarStatus, _ registrar: NamedRegistrar, _ tag: String) async throws(Fault)
        -> RegistrarStatus
    {
        var standing = given
        if standing.registration.asked != nil || standing.registration.refusal != nil {
            standing.registration = try await keeper.edit(registrar.name, tag) {
                ($0.asked, $0.refusal) = (nil, nil)
            }
        }
        return standing
    }

    private func awaiting(_ standing: RegistrarStatus, _ registrar: NamedRegistrar) -> RegistrarStatus {
        var standing = standing
        let trouble = strangeAnswer(of: registrar)
        let fault = trouble ?? Fault("the request is queued: run 'corewire outbox list' to see why")
        standing.waiting = standing.waiting ?? .init(.outbox, fault, isTrouble: trouble != nil)
        return standing
    }

    private func post(
        _ kind: PushOperation.Kind,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ standing: RegistrarStatus,
        target: String
    ) async throws(Fault) -> Registration {
        let seen = standing.registration
        let isSame = seen.asked.map { $0.target == target && $0.kind == kind } ?? false
        let revision = isSame ? seen.revision : seen.revision + 1
        var errand = PushOperation(kind, registrar.name, tag: tag, time: host.clock.wall())
        (errand.target, errand.revision, errand.epoch) = (target, revision, standing.epoch)
        // A queued request keeps its id, also one of a former version.
        let made = if let asked = seen.asked, isSame { asked.id } else { try await errand.id(at: install) }
        let id = try await PushQueue(host).post(errand, id: made)
        return try await keeper.edit(registrar.name, tag) { registration in
            // The server may have responded already.
            guard registration.revision < revision else { return }
            registration.revision = revision
            registration.asked = .init(kind: kind, target: target, id: id)
        }
    }
}
