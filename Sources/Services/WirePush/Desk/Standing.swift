import WireBase
import WireConfig
import WirePushContract
import WireService

/// How one registrar stands at this moment.
struct Standing: Sendable {
    /// What it waits for before anything is sent.
    struct Waiting: Sendable {
        typealias Kind = PushRegistrarReport.Obstacle

        var kind: Kind
        var fault: Fault
        /// Whether somebody must do something about it before it can go on.
        var isTrouble = false

        init(_ kind: Kind, _ fault: Fault, isTrouble: Bool = false) {
            (self.kind, self.fault, self.isTrouble) = (kind, fault, isTrouble)
        }
    }

    /// Whose it is; nil while nobody knows.
    var tag: String?
    var token: ProviderToken?
    var registration = Registration()
    var waiting: Waiting?
    /// What is wanted of the server meanwhile, where what the person wants waits for a user.
    var held: Registration.Wish?
    /// What the server is to know: which it is, and a digest of the facts.
    var server = ""
    var facts = ""
    /// What was removed since makes void what was asked before.
    var epoch = ""

    /// What is wanted of the server now.
    var wish: Registration.Wish { held ?? registration.wish }

    typealias State = PushRegistrarReport.State

    var state: State {
        // What waits may change that.
        if let refusal = registration.refusal, registration.asked == nil {
            return refusal.isServers ? .refused : .failed
        }
        guard registration.asked == nil else { return .pending }
        switch registration.wish {
        case .unregistered: return registration.told == nil ? .unregistered : .pending
        case .suspended: return registration.told?.isSuspended == true ? .suspended : .pending
        case .registered:
            guard let told = registration.told, !told.isSuspended, waiting?.kind != .device
            else { return .pending }
            return .registered
        }
    }

    /// Whether a request can be made from it: whoever has just started, or signed in, has not been looked at yet.
    func knows(enoughFor kind: PushErrand.Kind, of tag: String) -> Bool {
        // Without its token a server would be told of another device, or of none.
        self.tag == tag && (!kind.isOfRegistration || !server.isEmpty)
    }

    /// Whether something is otherwise that requests wait for.
    func differs(from former: Standing) -> Bool {
        tag != former.tag || token != former.token || epoch != former.epoch || registration != former.registration
            || waiting?.kind != former.waiting?.kind || waiting?.fault.reason != former.waiting?.fault.reason
    }

    /// What is to be asked of the server next so that it knows what is wished; nil where it does.
    func next(at registrar: NamedRegistrar) -> PushErrand.Kind? {
        let told = registration.told.flatMap { $0.server == server ? $0 : nil }
        switch wish {
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
