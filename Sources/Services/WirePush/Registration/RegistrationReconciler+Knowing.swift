import WireBackendContract
import WireBase
import WireConfig
import WireDeviceContract
import WireNotificationContract
import WirePushContract
import WireService
import WireStore

/// Finds what a registration depends on: its owner, the server, its facts.
extension RegistrationReconciler {
    /// The owner of a registration and the wire in their name; throws what is missing for it.
    func owner(of registrar: NamedRegistrar) async throws(Fault) -> PushOwner {
        try await registrar.value.owner(registrar, at: self)
    }

    /// Ends the registration where none is allowed without a user; false where nothing is to be done until a user
    /// signs in.
    ///
    /// Subscriptions are suspended where the server supports that, so that the user does not count as unsubscribed.
    func hold(_ registrarStatus: inout RegistrarStatus, of registrar: NamedRegistrar, because fault: Fault) -> Bool {
        registrarStatus.waiting = .init(.signIn, fault)
        guard let told = registrarStatus.registration.acknowledged, registrarStatus.registration.goal != .unregistered
        else { return false }
        registrarStatus.held = registrar.takes(.suspend) ? .suspended : .unregistered
        return !(registrar.takes(.suspend) && told.isSuspended)
    }

    func digest(_ text: String) throws(Fault) -> String {
        guard let secrecy = host.find(.secrecy) else { throw Fault("no digests available in this runner") }
        return try secrecy.tag(text)
    }

    /// The server and a digest of the facts it should have.
    func target(_ registrarStatus: RegistrarStatus) throws(Fault) -> String {
        let token = registrarStatus.token.map { "\($0.provider.rawValue) \($0.text)" } ?? ""
        return try digest(
            [registrarStatus.goal.rawValue, token, registrarStatus.server, registrarStatus.facts].joined(
                separator: "\u{1e}"
            )
        )
    }

    /// Why no subscription is allowed now; nil where one is allowed, and where the runner shows no notifications.
    var permissionRefusal: Fault? {
        switch host.find(.notificationPermission)?.answer {
        case nil, .granted?: nil
        case .ask?:
            Fault("notifications are not permitted yet", help: "run 'corewire notifications permission granted'")
        case .denied?:
            Fault("notifications are not permitted", help: "run 'corewire notifications permission granted'")
        }
    }

    func moment(for registrar: NamedRegistrar, _ registrarStatus: RegistrarStatus, id: String) async throws(Fault)
        -> PushRequestValues
    {
        var device = PushDevice()
        let kept = host.uses.device?.device
        if let kept {
            device.alias = kept.alias
        } else {
            device.alias = try await Fault.wrapping { () async throws(StoreFailure) in
                try await DeviceAlias.find(in: host)
            }
        }
        device.id = kept?.id
        let facts = host.find(.machine)?.facts() ?? MachineFacts()
        (device.platform, device.systemVersion) = (facts.platform, facts.systemVersion)
        (device.type, device.model) = (facts.type, facts.model)
        (device.language, device.minutesAheadOfUTC) = (facts.language, facts.minutesAheadOfUTC)
        (device.appID, device.appVersion) = (host.app?.id.text, host.app?.version)
        device.environment = host.facts.name
        var moment = PushRequestValues(device: device, time: host.clock.wall(), id: id)
        moment.token = registrarStatus.token
        moment.former = registrarStatus.registration.acknowledged.flatMap {
            $0.server == registrarStatus.server ? $0.token : nil
        }
        moment.user = host.uses.presence?.user?.subject
        return moment
    }
}
