import WireBase
import WireConfig
import WirePushContract
import WireService
import WireTelemetry

/// Emits the events of push servers, with the numbers that a platform's SDKs use.
struct PushTelemetry: Sendable {
    private let host: PushHost

    init(_ host: PushHost) { self.host = host }

    func done(
        _ kind: PushOperation.Kind,
        _ registrar: NamedRegistrar,
        token: ProviderToken?,
        status: Int? = nil,
        note: String? = nil
    ) {
        emit(Self.event(of: kind), registrar, .operation(kind, .done)) { data in
            (data.provider, data.status, data.answer) = (token?.provider.rawValue, status, note)
        }
        host.log.info(
            "push request accepted",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue)]
        )
    }

    func failed(_ kind: PushOperation.Kind, _ registrar: NamedRegistrar, because reason: String, status: Int?) {
        emit(.failed, registrar, .operation(kind, .failed)) { data in
            (data.what, data.reason, data.status) = (kind.rawValue, reason, status)
        }
        host.log.warning(
            "push request failed",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func triedAgain(_ kind: PushOperation.Kind, _ registrar: NamedRegistrar, attempts: Int) {
        emit(.retried, registrar, .operation(kind, .triedAgain)) { ($0.what, $0.attempts) = (kind.rawValue, attempts) }
    }

    /// A due request could not be built.
    func held(_ kind: PushOperation.Kind, _ registrar: NamedRegistrar, because reason: String) {
        emit(.held, registrar, .operation(kind, .held)) { ($0.what, $0.reason) = (kind.rawValue, reason) }
    }

    /// A response with a status of success did not come from the server.
    func strangeAnswer(to kind: PushOperation.Kind, _ registrar: NamedRegistrar, because reason: String, status: Int) {
        emit(.strangeAnswer, registrar, .strangeAnswer) { data in
            (data.what, data.reason, data.status) = (kind.rawValue, reason, status)
        }
        host.log.warning(
            "the response did not come from the push server",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func configured(_ registrar: NamedRegistrar) { emitNumbered(.configured, registrar, .configured) { _, _ in } }

    /// A call was rejected.
    func rejected(
        _ rejection: PushServerEvent.Rejection,
        _ what: String,
        _ registrar: NamedRegistrar,
        because reason: String?
    ) {
        emitNumbered(.rejected, registrar, .rejected(rejection)) { data, number in
            (data.what, data.reason) = (what, reason ?? number.meaning)
        }
    }

    /// The server does not accept the token of the user.
    func unauthorized(_ flaw: PushServerEvent.TokenFlaw, _ registrar: NamedRegistrar, because reason: String) {
        emitNumbered(.unauthorized, registrar, .unauthorized(flaw)) { data, _ in data.reason = reason }
    }

    /// A push lacks something that its server requires.
    func unusable(_ flaw: PushServerEvent.PushFlaw, _ push: String?, _ registrar: NamedRegistrar) {
        emitNumbered(.unusable, registrar, .unusable(flaw)) { data, number in
            (data.push, data.reason) = (push, number.meaning)
        }
    }

    func posted(_ push: String, _ registrar: NamedRegistrar) {
        emitNumbered(.posted, registrar, .posted) { data, _ in data.push = push }
    }

    func acquired(_ token: ProviderToken, for registrar: NamedRegistrar) {
        emit(.token, registrar, .token) { data in
            (data.provider, data.token) = (token.provider.rawValue, token.ending)
        }
    }

    func waits(_ waiting: RegistrarStatus.Waiting, _ registrar: NamedRegistrar) {
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
        _ happening: PushServerEvent,
        _ fill: (inout PushEventData) -> Void = { _ in }
    ) {
        var data = PushEventData(registrar.name)
        fill(&data)
        data.altcraft = registrar.number(of: happening)?.numbers
        host.emit(event, data)
    }

    /// Emits an event only where the platform's SDKs have a number for it.
    private func emitNumbered(
        _ event: PushEvents,
        _ registrar: NamedRegistrar,
        _ happening: PushServerEvent,
        _ fill: (inout PushEventData, PushNumber) -> Void
    ) {
        guard let number = registrar.number(of: happening) else { return }
        emit(event, registrar, happening) { fill(&$0, number) }
    }

    /// The event for the result of a request.
    static func event(of kind: PushOperation.Kind, _ outcome: PushOutcome) -> PushEvents {
        switch outcome {
        case .done: event(of: kind)
        case .failed: .failed
        case .held: .held
        case .triedAgain: .retried
        }
    }

    private static func event(of kind: PushOperation.Kind) -> PushEvents {
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
