import WireBase
import WireConfig
import WireService

/// Whoever used this device before is not reached by it any more: pushes for one are nobody else's to see.
extension PushDesk {
    /// The others, of those who are people, whom a server still knows with this device.
    func formers(of registrar: NamedRegistrar, but tag: String) throws(Fault) -> [String] {
        guard KeptTokens.isPerson(tag) else { return [] }
        var formers: [String] = []
        for (name, other) in try keeper.registrations()
        where name == registrar.name && other != tag && KeptTokens.isPerson(other) {
            if try keeper.registration(name, other).told != nil { formers.append(other) }
        }
        return formers
    }

    /// Asks the server to end the registrations of former users, before that of the present one begins.
    ///
    /// With the token of the present user, since that of a former one is gone. Where one registration ends
    /// those of others, they end with that of the present one.
    func endFormers(_ registrar: NamedRegistrar, _ tag: String, _ standing: Standing) async throws(Fault) {
        guard !registrar.value.endsOthers, KeptTokens.isPerson(tag) else { return }
        let kept = try keeper.tokens()
        for former in try formers(of: registrar, but: tag) {
            let registration = try keeper.registration(registrar.name, former)
            guard registration.told?.server == standing.server else {
                // Of another server nothing is known any more that could be asked.
                try await keeper.edit(registrar.name, former) { ($0.told, $0.asked) = (nil, nil) }
                continue
            }
            let target = "ended by \(tag)"
            if let asked = registration.asked, asked.target == target, asked.kind == .unregister { continue }
            var errand = PushErrand(.unregister, registrar.name, tag: former, time: host.clock.wall())
            (errand.by, errand.target, errand.epoch) = (tag, target, kept.epoch(of: former))
            errand.revision = registration.revision + 1
            let (begun, id) = (errand, try await errand.id(at: install))
            // Posted before it is noted: what was noted alone would never be sent. Posting it again keeps its id.
            try await PushPost(host).post(errand, id: id)
            try await keeper.edit(registrar.name, former) { registration in
                // The server may have answered already.
                guard registration.revision < begun.revision else { return }
                registration.revision = begun.revision
                registration.asked = .init(kind: .unregister, target: target, id: id)
                registration.refusal = nil
            }
            // Whatever the server knows of the present user, or is about to, may end with it: that is told after it.
            try await keeper.edit(registrar.name, tag) { registration in
                (registration.told, registration.asked) = (nil, nil)
                registration.revision += 1
            }
        }
    }
}
