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
        var registrarStatus = given
        let registration = registrarStatus.registration
        if let told = registration.acknowledged, registration.asked == nil, !device.device.has(told.token, naming) {
            // The token was taken off the device meanwhile, or the device was removed.
            registrarStatus.registration = try await repository.edit(registrar.name, tag) { $0.acknowledged = nil }
        }
        guard let kind = registrarStatus.next(at: registrar) else {
            // A rejected save of the device rejects the token too.
            if registration.acknowledged != nil, case .refused(let fault) = device.registrationState {
                return try await refuse(fault, registrar, tag, registrarStatus, (.update, try target(registrarStatus)))
            }
            return under(device.registrationState, try await settled(registrarStatus, registrar, tag))
        }
        let target = try target(registrarStatus)
        // When the device is saved after all, the server has the token too.
        if case .refused = device.registrationState, registrarStatus.registration.refusal?.target == target {
            return registrarStatus
        }
        let isUnderWay = registrarStatus.registration.asked.map { $0.target == target && $0.kind == kind } ?? false
        if isFirstLook(registrar, tag) || !isUnderWay {
            registrarStatus.registration = try await give(
                device,
                naming,
                registrar,
                tag,
                registrarStatus,
                (kind, target)
            )
        }
        return try await judge(device, registrar, tag, registrarStatus)
    }

    /// Adds the token to the device, or removes it.
    private func give(
        _ device: any DeviceRegistering,
        _ naming: any DeviceTokenNaming,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ registrarStatus: RegistrarStatus,
        _ operation: (kind: PushOperation.Kind, target: String)
    ) async throws(Fault) -> Registration {
        let former = try await repository.registration(registrar.name, tag).acknowledged?.token
        let token = registrarStatus.goal == .unregistered ? nil : registrarStatus.token
        // Stored first, so that a process that ends here repeats the change after its restart.
        let registration = try await repository.edit(registrar.name, tag) { registration in
            registration.asked = .init(kind: operation.kind, target: operation.target, id: "device")
        }
        try await device.change { device in
            if let former { device.setToken(nil, of: naming.platform(of: former.provider)) }
            if let token { device.setToken(token.text, of: naming.platform(of: token.provider)) }
        }
        return registration
    }

    /// Derives the registration's state from that of the device at the server.
    private func judge(
        _ device: any DeviceRegistering,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ given: RegistrarStatus
    )
        async throws(Fault) -> RegistrarStatus
    {
        var registrarStatus = given
        guard let asked = registrarStatus.registration.asked else { return registrarStatus }
        let now = host.clock.wall()
        switch device.registrationState {
        case .pending, .untold: return under(device.registrationState, registrarStatus)
        case .refused(let fault):
            return try await refuse(fault, registrar, tag, registrarStatus, (asked.kind, asked.target))
        case .saved:
            let (token, server, facts) = (registrarStatus.token, registrarStatus.server, registrarStatus.facts)
            let isEnd = registrarStatus.goal == .unregistered
            registrarStatus.registration = try await repository.edit(registrar.name, tag) { registration in
                let since = registration.acknowledged?.since ?? now
                registration.acknowledged =
                    isEnd
                    ? nil : token.map { .init(token: $0, server: server, facts: facts, since: since, at: now) }
                (registration.asked, registration.refusal) = (nil, nil)
            }
            PushTelemetry(host).done(asked.kind, registrar, token: token)
        }
        return registrarStatus
    }

    private func refuse(
        _ fault: Fault,
        _ registrar: NamedRegistrar,
        _ tag: String,
        _ given: RegistrarStatus,
        _ operation: (kind: PushOperation.Kind, target: String)
    ) async throws(Fault) -> RegistrarStatus {
        var registrarStatus = given
        guard given.registration.asked != nil || given.registration.refusal?.reason != fault.reason else {
            return given
        }
        let now = host.clock.wall()
        registrarStatus.registration = try await repository.edit(registrar.name, tag) { registration in
            registration.asked = nil
            registration.refusal = .init(kind: operation.kind, reason: fault.reason, target: operation.target, at: now)
        }
        PushTelemetry(host).failed(operation.kind, registrar, because: fault.reason, status: nil)
        return registrarStatus
    }

    private func under(_ state: DeviceRegistrationState, _ given: RegistrarStatus) -> RegistrarStatus {
        var registrarStatus = given
        switch state {
        case .saved: break
        case .pending:
            registrarStatus.waiting =
                registrarStatus.waiting ?? .init(.device, Fault("the device is not saved at the server yet"))
        case .untold(let fault), .refused(let fault):
            registrarStatus.waiting = registrarStatus.waiting ?? .init(.device, fault, isTrouble: fault.origin != nil)
        }
        return registrarStatus
    }
}

extension KnownDevice {
    fileprivate func has(_ token: ProviderToken, _ naming: any DeviceTokenNaming) -> Bool {
        tokens.contains(DeviceToken(platform: naming.platform(of: token.provider), token: token.text))
    }
}
