import WireBase
import WireConfig
import WirePushContract
import WireService

/// Reports the state of servers.
extension RegistrationReconciler {
    /// Reports what has changed since the last check.
    func report(_ registrarStatus: RegistrarStatus, of registrar: NamedRegistrar, after former: RegistrarStatus?) {
        let telemetry = PushTelemetry(host)
        if let token = registrarStatus.token, token != former?.token { telemetry.acquired(token, for: registrar) }
        guard let waiting = registrarStatus.waiting, waiting.fault.reason != former?.waiting?.fault.reason else {
            return
        }
        telemetry.waits(waiting, registrar)
    }

    /// Sets the health of the service: the failures of required servers, or none.
    func tellHealth(_ fault: Fault?) { host.report { health(fault) } }

    /// The health of the service, where it differs from the last one.
    private func health(_ fault: Fault?) -> ServiceReport? {
        var fault = fault
        for registrar in registrars where fault == nil && registrar.value.required {
            let registrarStatus = registrarStatus(registrar.name)
            if let refusal = registrarStatus.registration.refusal {
                let state = refusal.isServers ? "rejected" : "did not get"
                let before =
                    registrarStatus.registration.acknowledged == nil
                    ? "" : ", and keeps the former registration of this device"
                fault = Fault(
                    "\(registrar.name) \(state) '\(refusal.kind.rawValue)'\(before): \(refusal.reason)",
                    help: "run 'corewire push register \(registrar.name)' to try again",
                    origin: origin(of: registrar)
                )
            } else if let waiting = registrarStatus.waiting, waiting.isTrouble {
                fault = Fault(
                    "\(registrar.name) has not registered this device: \(waiting.fault.reason)",
                    help: waiting.fault.help,
                    origin: waiting.fault.origin ?? origin(of: registrar)
                )
            }
        }
        let waits = fault == nil ? reasonToWait : nil
        guard isChange(fault?.reason ?? waits) else { return nil }
        return fault.map { .degraded($0) } ?? waits.map { .waiting($0) } ?? .well
    }

    /// Why every server waits for a user.
    private var reasonToWait: String? {
        let waiting = registrars.map { registrarStatus($0.name).waiting }
        guard waiting.allSatisfy({ $0?.kind == .signIn }) else { return nil }
        return waiting.firstFound { $0?.fault.reason }
    }
}
