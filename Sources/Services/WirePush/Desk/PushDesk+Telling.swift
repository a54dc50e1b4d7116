import WireBase
import WireConfig
import WirePushContract
import WireService

/// Telling how servers stand.
extension PushDesk {
    /// Tells what is new since the last look.
    func tell(_ standing: Standing, of registrar: NamedRegistrar, after former: Standing?) {
        let news = PushNews(host)
        if let token = standing.token, token != former?.token { news.took(token, for: registrar) }
        guard let waiting = standing.waiting, waiting.fault.reason != former?.waiting?.fault.reason else { return }
        news.waits(waiting, registrar)
    }

    /// Says what is wrong with those that must be told, or that nothing is.
    func tellHealth(_ fault: Fault?) {
        var fault = fault
        for registrar in registrars where fault == nil && registrar.value.required {
            let standing = standing(registrar.name)
            if let refusal = standing.registration.refusal {
                let state = refusal.isServers ? "has refused" : "could not be told"
                let before = standing.registration.told == nil ? "" : ", and knows this device as it was told before"
                fault = Fault(
                    "\(registrar.name) \(state) '\(refusal.kind.rawValue)'\(before): \(refusal.reason)",
                    help: "'corewire push register \(registrar.name)' tries it again",
                    origin: origin(of: registrar)
                )
            } else if let waiting = standing.waiting, waiting.isTrouble {
                fault = Fault(
                    "\(registrar.name) does not know this device: \(waiting.fault.reason)",
                    help: waiting.fault.help,
                    origin: waiting.fault.origin ?? origin(of: registrar)
                )
            }
        }
        let waits = fault == nil ? reasonToWait : nil
        guard isNews(fault?.reason ?? waits) else { return }
        host.report(fault.map { .degraded($0) } ?? waits.map { .waiting($0) } ?? .well)
    }

    /// What every server waits for a user for.
    private var reasonToWait: String? {
        let waiting = registrars.map { standing($0.name).waiting }
        guard waiting.allSatisfy({ $0?.kind == .signIn }) else { return nil }
        return waiting.firstFound { $0?.fault.reason }
    }
}
