import WireBackendContract
import WireBase
import WireConfig
import WireDeviceContract
import WireNotificationContract
import WirePushContract
import WireService

/// What is known when servers are told of this device: whose it is, where it goes, what is said.
extension PushDesk {
    /// Whose registration it would be, and how the server is asked; throws why that is not known.
    func owner(of registrar: NamedRegistrar) async throws(Fault) -> PushOwner {
        try await registrar.value.owner(registrar, at: self)
    }

    /// Takes it that nothing may be registered without a user, and ends what the server knows; false where nothing is to be
    /// done until one signs in.
    ///
    /// Subscriptions are suspended where they can be, so that the person is not counted as one who has unsubscribed.
    func hold(_ standing: inout Standing, of registrar: NamedRegistrar, because fault: Fault) -> Bool {
        standing.waiting = .init(.signIn, fault)
        guard let told = standing.registration.told, standing.registration.wish != .unregistered else { return false }
        standing.held = registrar.takes(.suspend) ? .suspended : .unregistered
        return !(registrar.takes(.suspend) && told.isSuspended)
    }

    func digest(_ text: String) throws(Fault) -> String {
        guard let secrecy = host.find(.secrecy) else { throw Fault("nothing makes digests here") }
        return try secrecy.tag(text)
    }

    /// What the server is to know, in short.
    func target(_ standing: Standing) throws(Fault) -> String {
        let token = standing.token.map { "\($0.provider.rawValue) \($0.text)" } ?? ""
        return try digest(
            [standing.wish.rawValue, token, standing.server, standing.facts].joined(separator: "\u{1e}")
        )
    }

    /// Why nobody is subscribed now; nil where that is allowed, and where nobody shows notifications at all.
    var permissionRefusal: Fault? {
        switch host.find(.notificationPermission)?.answer {
        case nil, .granted?: nil
        case .ask?:
            Fault("nobody has allowed notifications yet", help: "'corewire notifications permission granted'")
        case .denied?:
            Fault("notifications are not allowed", help: "'corewire notifications permission granted'")
        }
    }

    func moment(for registrar: NamedRegistrar, _ standing: Standing, id: String) async -> PushMoment {
        var device = PushDevice()
        let kept = host.uses.device?.device
        let alias: String? = if let kept { kept.alias } else { try? await DeviceAlias.find(in: host) }
        device.alias = alias ?? ""
        device.id = kept?.id
        let facts = host.find(.machine)?.facts() ?? MachineFacts()
        (device.platform, device.systemVersion) = (facts.platform, facts.systemVersion)
        (device.type, device.model) = (facts.type, facts.model)
        (device.language, device.minutesAheadOfUTC) = (facts.language, facts.minutesAheadOfUTC)
        (device.appID, device.appVersion) = (host.app?.id.text, host.app?.version)
        device.environment = host.facts.name
        var moment = PushMoment(device: device, time: host.clock.wall(), id: id)
        moment.token = standing.token
        moment.former = standing.registration.told.flatMap { $0.server == standing.server ? $0.token : nil }
        moment.user = host.uses.presence?.user?.subject
        return moment
    }
}
