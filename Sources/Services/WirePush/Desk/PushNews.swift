import WireBase
import WireConfig
import WirePushContract
import WireService
import WireTelemetry

/// Tells what happens with push servers: events with names, and with the numbers that the SDKs of a platform have.
struct PushNews: Sendable {
    private let host: PushHost

    init(_ host: PushHost) { self.host = host }

    func done(
        _ kind: PushErrand.Kind,
        _ registrar: NamedRegistrar,
        token: ProviderToken?,
        status: Int? = nil,
        note: String? = nil
    ) {
        emit(Self.event(of: kind), registrar, .errand(kind, .done)) { data in
            (data.provider, data.status, data.answer) = (token?.provider.rawValue, status, note)
        }
        host.log.info(
            "a push server was told",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue)]
        )
    }

    func failed(_ kind: PushErrand.Kind, _ registrar: NamedRegistrar, because reason: String, status: Int?) {
        emit(.failed, registrar, .errand(kind, .failed)) { data in
            (data.what, data.reason, data.status) = (kind.rawValue, reason, status)
        }
        host.log.warning(
            "a push server could not be told",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func triedAgain(_ kind: PushErrand.Kind, _ registrar: NamedRegistrar, attempts: Int) {
        emit(.retried, registrar, .errand(kind, .triedAgain)) { ($0.what, $0.attempts) = (kind.rawValue, attempts) }
    }

    /// The turn of a request has come, and there is nothing to make it of.
    func held(_ kind: PushErrand.Kind, _ registrar: NamedRegistrar, because reason: String) {
        emit(.held, registrar, .errand(kind, .held)) { ($0.what, $0.reason) = (kind.rawValue, reason) }
    }

    /// A good status came with what is no answer of the server.
    func strangeAnswer(to kind: PushErrand.Kind, _ registrar: NamedRegistrar, because reason: String, status: Int) {
        emit(.strangeAnswer, registrar, .strangeAnswer) { data in
            (data.what, data.reason, data.status) = (kind.rawValue, reason, status)
        }
        host.log.warning(
            "what answers is not the push server",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func configured(_ registrar: NamedRegistrar) { emitNumbered(.configured, registrar, .configured) { _, _ in } }

    /// Something that is asked for is not taken.
    func rejected(
        _ rejection: PushHappening.Rejection,
        _ what: String,
        _ registrar: NamedRegistrar,
        because reason: String?
    ) {
        emitNumbered(.rejected, registrar, .rejected(rejection)) { data, number in
            (data.what, data.reason) = (what, reason ?? number.meaning)
        }
    }

    /// The token of the user lets nothing in.
    func unauthorized(_ flaw: PushHappening.TokenFlaw, _ registrar: NamedRegistrar, because reason: String) {
        emitNumbered(.unauthorized, registrar, .unauthorized(flaw)) { data, _ in data.reason = reason }
    }

    /// A push says less than its server needs.
    func unusable(_ flaw: PushHappening.PushFlaw, _ push: String?, _ registrar: NamedRegistrar) {
        emitNumbered(.unusable, registrar, .unusable(flaw)) { data, number in
            (data.push, data.reason) = (push, number.meaning)
        }
    }

    func posted(_ push: String, _ registrar: NamedRegistrar) {
        emitNumbered(.posted, registrar, .posted) { data, _ in data.push = push }
    }

    func took(_ token: ProviderToken, for registrar: NamedRegistrar) {
        emit(.token, registrar, .token) { data in
            (data.provider, data.token) = (token.provider.rawValue, token.ending)
        }
    }

    func waits(_ waiting: Standing.Waiting, _ registrar: NamedRegistrar) {
        emit(.pending, registrar, .waits(waiting.kind)) { data in
            (data.waitsFor, data.reason) = (waiting.kind.rawValue, waiting.fault.reason)
        }
    }

    func received(_ push: String, _ registrar: NamedRegistrar) {
        emit(.received, registrar, .received) { $0.push = push }
    }

    func cleared(_ count: Int) {
        var data = PushEventData()
        let number = Registrar.kinds.firstFound { $0.number(of: .cleared) }
        (data.removed, data.altcraft) = (count, number?.numbers)
        host.emit(PushEvents.cleared, data)
    }

    private func emit(
        _ event: PushEvents,
        _ registrar: NamedRegistrar,
        _ happening: PushHappening,
        _ fill: (inout PushEventData) -> Void = { _ in }
    ) {
        var data = PushEventData(registrar.name)
        fill(&data)
        data.altcraft = registrar.number(of: happening)?.numbers
        host.emit(event, data)
    }

    /// What is told only where the SDKs of the platform have a number for it.
    private func emitNumbered(
        _ event: PushEvents,
        _ registrar: NamedRegistrar,
        _ happening: PushHappening,
        _ fill: (inout PushEventData, PushNumber) -> Void
    ) {
        guard let number = registrar.number(of: happening) else { return }
        emit(event, registrar, happening) { fill(&$0, number) }
    }

    /// The event that tells what became of a request.
    static func event(of kind: PushErrand.Kind, _ outcome: PushOutcome) -> PushEvents {
        switch outcome {
        case .done: event(of: kind)
        case .failed: .failed
        case .held: .held
        case .triedAgain: .retried
        }
    }

    private static func event(of kind: PushErrand.Kind) -> PushEvents {
        switch kind {
        case .register: .registered
        case .update: .updated
        case .unregister: .unregistered
        case .suspend: .suspended
        case .unsuspend: .unsuspended
        case .delivery: .deliveryTold
        case .open: .openTold
        case .dismiss: .dismissTold
        case .mobileEvent: .mobileEventTold
        case .profile: .profileChanged
        case .status: .statusAsked
        }
    }
}
