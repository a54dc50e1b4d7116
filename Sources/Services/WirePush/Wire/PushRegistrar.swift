import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService

/// One registrar of the file: what its requests are made from, wherever its server is in this environment.
struct PushRegistrar: Sendable {
    let name: String
    let value: Registrar
    /// Everything before the paths of its requests.
    let address: String

    var path: String { "push.registrars.\(name)" }

    /// Whose the registrations are: what is kept of one user must not meet what is kept of another.
    enum Owner: Sendable {
        /// The device's, whoever uses it.
        case device
        /// The signed-in user's.
        case user
        /// That of the profile the platform finds.
        case altcraft(AltcraftAccount)
    }

    var owner: Owner {
        switch value {
        case .unifiedPush, .halo: .device
        case .healthCloud: .user
        case .rest(let account): account.authorization == .user ? .user : .device
        case .altcraft(let account): .altcraft(account)
        }
    }

    /// Providers of this registrar alone, or those of all that it knows.
    func providers(_ order: [PushProvider]) -> [PushProvider] {
        guard case .altcraft(let account) = value else { return order }
        return (account.providers ?? order).filter(account.platform.providers.contains)
    }

    /// Whether nobody is subscribed before notifications may be shown.
    var waitsForPermission: Bool { if case .altcraft = value { true } else { false } }

    var isAltcraft: Bool { if case .altcraft = value { true } else { false } }

    /// Whether it is told what became of pushes, and of this.
    func wants(_ event: PushEvent) -> Bool {
        switch value {
        case .unifiedPush: event == .open
        case .altcraft: event != .dismiss
        case .halo(let account): HaloWire(account).wants(event)
        case .healthCloud: false
        case .rest(let account):
            switch event {
            case .delivery: account.events.delivery != nil
            case .open: account.events.open != nil
            case .dismiss: account.events.dismiss != nil
            }
        }
    }

    /// Which of its pushes are its own.
    func knows(_ sender: PlainPush.Sender?) -> Bool {
        switch (value, sender) {
        case (.unifiedPush, .unifiedPush), (.altcraft, .altcraft), (.halo, .halo): true
        default: false
        }
    }

    /// What the registration depends on beside the token, and which server it is at; not for anybody's eyes.
    func facts(_ moment: PushMoment, _ altcraft: AltcraftAuthorization?) -> (server: String, facts: String) {
        switch value {
        case .unifiedPush(let account):
            let wire = UnifiedPushWire(account, at: address)
            return (wire.server, wire.facts(moment.device))
        case .healthCloud(let account):
            let wire = RestWire(account, at: address)
            return (wire.server, wire.facts(moment))
        case .rest(let account):
            let wire = RestWire(account, at: address)
            return (wire.server, wire.facts(moment))
        case .altcraft(let account):
            guard let altcraft else { return (address, "") }
            let wire = AltcraftWire(account, altcraft, at: address)
            return (wire.server, wire.facts(moment))
        case .halo(let account): return ("device", account.platform?.text ?? "")
        }
    }

    /// The request that does an errand; nil where this server is not told of such a thing.
    func call(
        _ errand: PushErrand,
        _ moment: PushMoment,
        _ parameters: [UInt8],
        _ altcraft: AltcraftAuthorization?
    ) throws(Fault) -> PushCall? {
        switch value {
        case .unifiedPush(let account):
            return try unifiedPush(UnifiedPushWire(account, at: address), errand, moment)
        case .healthCloud(let account): return rest(RestWire(account, at: address), errand, moment)
        case .rest(let account): return rest(RestWire(account, at: address), errand, moment)
        case .halo(let account):
            guard let event = errand.kind.event, let push = errand.push, let device = moment.device.id else {
                return nil
            }
            let provider = errand.provider ?? moment.token?.provider ?? .apns
            return HaloWire(account).activity(event, of: push, device: device, provider)
        case .altcraft(let account):
            guard let altcraft else { throw Fault("nobody knows whose profile it is") }
            return self.altcraft(AltcraftWire(account, altcraft, at: address), account, errand, moment, parameters)
        }
    }

    private func unifiedPush(_ wire: UnifiedPushWire, _ errand: PushErrand, _ moment: PushMoment) throws(Fault)
        -> PushCall?
    {
        switch errand.kind {
        case .register, .update:
            guard let token = moment.token else { return nil }
            return wire.register(token, former: moment.former, moment.device)
        case .unregister: return (moment.former ?? moment.token).map(wire.unregister)
        case .open: return errand.push.map(wire.opened)
        default: return nil
        }
    }

    private func rest(_ wire: RestWire, _ errand: PushErrand, _ moment: PushMoment) -> PushCall? {
        switch errand.kind {
        case .register, .update: return moment.token == nil ? nil : wire.register(moment)
        case .unregister:
            var moment = moment
            moment.token = moment.former ?? moment.token
            return wire.unregister(moment)
        case .delivery, .open, .dismiss:
            guard let event = errand.kind.event, let push = errand.push else { return nil }
            return wire.tell(event, of: push, moment)
        default: return nil
        }
    }

    private func altcraft(
        _ wire: AltcraftWire,
        _ account: AltcraftAccount,
        _ errand: PushErrand,
        _ moment: PushMoment,
        _ kept: [UInt8]
    ) -> PushCall? {
        let given = kept.isEmpty ? nil : try? JSONValue(parsing: kept, named: "parameters")
        let parameters = given.map { AltcraftParameters($0) } ?? AltcraftParameters(account)
        switch errand.kind {
        case .register: return moment.token.map { wire.subscribe($0, .subscribed, parameters, moment) }
        case .unregister:
            return (moment.former ?? moment.token).map { wire.subscribe($0, .unsubscribed, parameters, moment) }
        case .suspend: return (moment.former ?? moment.token).map { wire.subscribe($0, .suspended, parameters, moment) }
        case .unsuspend: return (moment.former ?? moment.token).map { wire.unsuspend($0, id: moment.id) }
        case .update:
            guard let former = moment.former, let token = moment.token else { return nil }
            return wire.update(former, token, id: moment.id)
        case .delivery, .open, .dismiss:
            guard let event = errand.kind.event, let push = errand.push else { return nil }
            return wire.tell(event, of: push, moment)
        case .profile: return wire.changeProfile(parameters, id: moment.id)
        case .mobileEvent: return MobileEvent(kept: kept).map { wire.tell($0, moment) }
        case .status: return nil
        }
    }
}
