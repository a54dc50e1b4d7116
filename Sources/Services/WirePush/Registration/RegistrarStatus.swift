import WireBase
import WireConfig
import WirePushContract
import WireService

/// The present state of one registrar.
struct RegistrarStatus: Sendable {
    /// What is missing before a request can be sent.
    struct Waiting: Error, Sendable {
        typealias Kind = PushRegistrarReport.Obstacle

        var kind: Kind
        var fault: Fault
        /// Whether it needs an action of the app or the user.
        var isTrouble = false

        init(_ kind: Kind, _ fault: Fault, isTrouble: Bool = false) {
            (self.kind, self.fault, self.isTrouble) = (kind, fault, isTrouble)
        }
    }

    /// The owner's tag; nil while unknown.
    var tag: String?
    var token: ProviderToken?
    var registration = Registration()
    var waiting: Waiting?
    /// The goal that applies while that of the user waits for a sign-in.
    var held: Registration.Goal?
    /// The facts that the server should have: its address, and their digest.
    var server = ""
    var facts = ""
    /// Requests from before the last removal are void.
    var epoch = ""

    /// The goal that applies now.
    var goal: Registration.Goal { held ?? registration.goal }

    typealias State = PushRegistrarReport.State

    var state: State {
        // Waiting work may change that.
        if let refusal = registration.refusal, registration.asked == nil {
            return refusal.isServers ? .refused : .failed
        }
        guard registration.asked == nil else { return .pending }
        switch registration.goal {
        case .unregistered: return registration.acknowledged == nil ? .unregistered : .pending
        case .suspended: return registration.acknowledged?.isSuspended == true ? .suspended : .pending
        case .registered:
            guard let told = registration.acknowledged, !told.isSuspended, waiting?.kind != .device
            else { return .pending }
            return .registered
        }
    }

    /// Whether a request can be built from it: right after a start or a sign-in, the state has not been checked yet.
    func knows(enoughFor kind: PushOperation.Kind, of tag: String) -> Bool {
        // Without its token a server would register another device, or none.
        self.tag == tag && (!kind.isOfRegistration || !server.isEmpty)
    }

    /// Whether something that requests wait for has changed.
    func differs(from former: RegistrarStatus) -> Bool {
        tag != former.tag || token != former.token || epoch != former.epoch || registration != former.registration
            || waiting?.kind != former.waiting?.kind || waiting?.fault.reason != former.waiting?.fault.reason
    }

    /// The next request that the server needs to be up to date; nil where it is.
    func next(at registrar: NamedRegistrar) -> PushOperation.Kind? {
        let told = registration.acknowledged.flatMap { $0.server == server ? $0 : nil }
        switch goal {
        case .unregistered: return told == nil ? nil : .unregister
        case .suspended:
            guard let told else { return .suspend }
            if told.token != token { return .update }
            return told.isSuspended ? nil : .suspend
        case .registered:
            guard let told else { return .register }
            if told.isSuspended, registrar.takes(.unsuspend) { return .unsuspend }
            if told.token != token { return .update }
            return told.facts == facts ? nil : .register
        }
    }
}
