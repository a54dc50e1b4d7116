import WireBase
import WireConfig
import WireService

/// Ends the registrations of former users of this device, so that it gets none of their pushes.
extension RegistrationReconciler {
    /// The tags of the other users that a server still has registered with this device.
    func formers(of registrar: NamedRegistrar, but tag: String) async throws(Fault) -> [String] {
        guard StoredTokens.isPerson(tag) else { return [] }
        var formers: [String] = []
        for listed in try await repository.registrations()
        where listed.registrar == registrar.name && listed.tag != tag && StoredTokens.isPerson(listed.tag) {
            if try listed.registration.get().acknowledged != nil { formers.append(listed.tag) }
        }
        return formers
    }

    /// Asks the server to end the registrations of former users before that of the present user begins.
    ///
    /// Uses the token of the present user, since that of a former user is gone. Where one registration replaces those
    /// of others, theirs end with that of the present user.
    func endFormers(_ registrar: NamedRegistrar, _ tag: String, _ registrarStatus: RegistrarStatus) async throws(Fault)
    {
        guard !registrar.value.endsOthers, StoredTokens.isPerson(tag) else { return }
        let kept = try await repository.tokens()
        for former in try await formers(of: registrar, but: tag) {
            let registration = try await repository.registration(registrar.name, former)
            guard registration.acknowledged?.server == registrarStatus.server else {
                // The registration belongs to another server, which cannot be asked any more.
                try await repository.edit(registrar.name, former) { ($0.acknowledged, $0.asked) = (nil, nil) }
                continue
            }
            let target = "ended by \(tag)"
            if let asked = registration.asked, asked.target == target, asked.kind == .unregister { continue }
            var operation = PushOperation(.unregister, registrar.name, tag: former, time: host.clock.wall())
            (operation.by, operation.target, operation.epoch) = (tag, target, kept.epoch(of: former))
            operation.revision = registration.revision + 1
            let (begun, id) = (operation, try await operation.id(at: install))
            // Posted before it is stored: a request that is only stored would never be sent. Posting it twice keeps
            // its id.
            try await PushQueue(host).post(operation, id: id)
            try await repository.edit(registrar.name, former) { registration in
                // The server may have responded already.
                guard registration.revision < begun.revision else { return }
                registration.revision = begun.revision
                registration.asked = .init(kind: .unregister, target: target, id: id)
                registration.refusal = nil
            }
            // The server may end the registration of the present user too, so it is sent again afterwards.
            try await repository.edit(registrar.name, tag) { registration in
                (registration.acknowledged, registration.asked) = (nil, nil)
                registration.revision += 1
            }
        }
    }
}
