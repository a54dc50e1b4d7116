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
        var registrarStatus = given
        var next = registrarStatus.next(at: registrar)
        // A new registration makes the server end those of other users.
        if next == nil, registrarStatus.goal == .registered, registrar.value.endsOthers,
            try await !formers(of: registrar, but: tag).isEmpty
        {
            next = .register
        }
        let target = try target(registrarStatus)
        let isFirst = isFirstLook(registrar, tag)
        if let refusal = registrarStatus.registration.refusal, refusal.target == target {
            // A rejected request is tried again once after each start, since the file or the server may have changed.
            // A request with a body of its caller is repeated only by the caller; the settings of the file are still
            // sent.
            guard isFirst, !refusal.hasWords || next != nil else { return registrarStatus }
            next = next ?? refusal.kind
        }
        if next == nil, let asked = registrarStatus.registration.asked, asked.isRequested {
            if isFirst {
                registrarStatus.registration = try await post(
                    asked.kind,
                    registrar,
                    tag,
                    registrarStatus,
                    target: asked.target
                )
            }
            return awaiting(registrarStatus, registrar)
        }
        guard let kind = next else { return try await settled(registrarStatus, registrar, tag) }
        if kind == .register, registrar.value.waitsForPermission, let reason = permissionRefusal {
            registrarStatus.waiting = .init(.permission, reason)
        }
        if !isFirst, let asked = registrarStatus.registration.asked, asked.target == target {
            // A registration that is built now tells the former token too.
            let isUpdate = asked.kind == .register && kind == .update && registrar.value.registersForUpdates
            if asked.kind == kind || isUpdate { return awaiting(registrarStatus, registrar) }
        }
        remember(registrarStatus, of: registrar)
        registrarStatus.registration = try await post(kind, registrar, tag, registrarStatus, target: target)
        return awaiting(registrarStatus, registrar)
    }

    /// Clears the earlier request and rejection: nothing is to be sent.
    func settled(_ given: RegistrarStatus, _ registrar: NamedRegistrar, _ tag: String) async throws(Fault)
        -> RegistrarStatus
    {
        var registrarStatus = given
        if registrarStatus.registration.asked != nil || registrarStatus.registration.refusal != nil {
            registrarStatus.registration = try await repository.edit(registrar.name, tag) {
                ($0.asked, $0.refusal) = (nil, nil)
            }
        }
        return registrarStatus
    }

    private func awaiting(_ registrarStatus: RegistrarStatus, _ registrar: NamedRegistrar) -> RegistrarStatus {
        var registrarStatus = registrarStatus
        let trouble = strangeAnswer(of: registrar)
        let fault = trouble ?? Fault("the request is queued: run 'corewire outbox list' to see why")
        registrarStatus.waiting = registrarStatus.waiting ?? .init(.outbox, fault, isTrouble: trouble != nil)
        return registrarStatus
    }

    private func post(
        _ kind: PushOperation.Kind,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ registrarStatus: RegistrarStatus,
        target: String
    ) async throws(Fault) -> Registration {
        let seen = registrarStatus.registration
        let isSame = seen.asked.map { $0.target == target && $0.kind == kind } ?? false
        let revision = isSame ? seen.revision : seen.revision + 1
        var operation = PushOperation(kind, registrar.name, tag: tag, time: host.clock.wall())
        (operation.target, operation.revision, operation.epoch) = (target, revision, registrarStatus.epoch)
        // A queued request keeps its id, also one of a former version.
        let made = if let asked = seen.asked, isSame { asked.id } else { try await operation.id(at: install) }
        let id = try await PushQueue(host).post(operation, id: made)
        return try await repository.edit(registrar.name, tag) { registration in
            // The server may have responded already.
            guard registration.revision < revision else { return }
            registration.revision = revision
            registration.asked = .init(kind: kind, target: target, id: id)
        }
    }
}
