import WireBase
import WireConfig
import WireDeviceContract
import WirePushContract
import WireService

/// Registration at servers that get the token with the device: the section `device` saves both.
extension RegistrationReconciler {
    func askDevice(
        _ naming: any DeviceTokenNaming,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ given: RegistrarStatus
    ) async throws(Fault) -> RegistrarStatus {
        guard let device = host.uses.device else { throw Fault("no 'device' section: this registrar needs one") }
        var standing = given
        let registration = standing.registration
        if let told = registration.told, registration.asked == nil, !device.device.has(told.token, naming) {
            // The token was taken off the device meanwhile, or the device was removed.
            standing.registration = try await keeper.edit(registrar.name, tag) { $0.told = nil }
        }
        guard let kind = standing.next(at: registrar) else {
            // A rejected save of the device rejects the token too.
            if registration.told != nil, case .refused(let fault) = device.standing {
                return try await refuse(fault, registrar, tag, standing, (.update, try target(standing)))
            }
            return under(device.standing, try await settled(standing, registrar, tag))
        }
        let target = try target(standing)
        // When the device is saved after all, the server has the token too.
        if case .refused = device.standing, standing.registration.refusal?.target == target { return standing }
        let isUnderWay = standing.registration.asked.map { $0.target == target && $0.kind == kind } ?? false
        if isFirstLook(registrar, tag) || !isUnderWay {
            standing.registration = try await give(device, naming, registrar, tag, standing, (kind, target))
        }
        return try await judge(device, registrar, tag, standing)
    }

    /// Adds the token to the device, or removes it.
    private func give(
        _ device: any DeviceKeeping,
        _ naming: any DeviceTokenNaming,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ standing: RegistrarStatus,
        _ errand: (kind: PushOperation.Kind, target: String)
    ) async throws(Fault) -> Registration {
        let former = try keeper.registration(registrar.name, tag).told?.token
        let token = standing.wish == .unregistered ? nil : standing.token
        // Stored first, so that a process that ends here repeats the change after its restart.
        let registration = try await keeper.edit(registrar.name, tag) { registration in
            registration.asked = .init(kind: errand.kind, target: errand.target, id: "device")
        }
        try await device.change { device in
            if let former { device.setToken(nil, of: naming.platform(of: former.provider)) }
            if let token { device.setToken(token.text, of: naming.platform(of: token.provider)) }
        }
        return registration
    }

    /// Derives the registration's state from that of the device at the server.
    private func judge(
        _ device: any DeviceKeeping,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ given: RegistrarStatus
    )
        async throws(Fault) -> RegistrarStatus
    {
        var standing = given
        guard let asked = standing.registration.asked else { return standing }
        let now = host.clock.wall()
        switch device.standing {
        case .pending, .untold: return under(device.standing, standing)
        case .refused(let fault):
            return try await refuse(fault, registrar, tag, standing, (asked.kind, asked.target))
        case .saved:
            let (token, server, facts) = (standing.token, standing.server, standing.facts)
            let isEnd = standing.wish == .unregistered
            standing.registration = try await keeper.edit(registrar.name, tag) { registration in
                let since = registration.told?.since ?? now
                registration.told =
                    isEnd
                    ? nil : token.map { .init(token: $0, server: server, facts: facts, since: since, at: now) }
                (registration.asked, registration.refusal) = (nil, nil)
            }
            PushTelemetry(host).done(asked.kind, registrar, token: token)
        }
        return standing
    }

    private func refuse(
        _ fault: Fault,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ given: RegistrarStatus,
        _ errand: (kind: PushOperation.Kind, target: String)
    ) async throws(Fault) -> RegistrarStatus {
        var standing = given
        guard given.registration.asked != nil || given.registration.refusal?.reason != fault.reason else {
            return given
        }
        let now = host.clock.wall()
        standing.registration = try await keeper.edit(registrar.name, tag) { registration in
            registration.asked = nil
            registration.refusal = .init(kind: errand.kind, reason: fault.reason, target: errand.target, at: now)
        }
        PushTelemetry(host).failed(errand.kind, registrar, because: fault.reason, status: nil)
        return standing
    }

    private func under(_ state: DeviceRegistrationState, _ given: RegistrarStatus) -> RegistrarStatus {
        var standing = given
        switch state {
        case .saved: break
        case .pending:
            standing.waiting = standing.waiting ?? .init(.device, Fault("the device is not saved at the server yet"))
        case .untold(let fault), .refused(let fault):
            standing.waiting = standing.waiting ?? .init(.device, fault, isTrouble: fault.origin != nil)
        }
        return standing
    }
}

extension KnownDevice {
    fileprivate func has(_ token: ProviderToken, _ naming: any DeviceTokenNaming) -> Bool {
        tokens.contains(DeviceToken(platform: naming.platform(of: token.provider), token: token.text))
    }
}
