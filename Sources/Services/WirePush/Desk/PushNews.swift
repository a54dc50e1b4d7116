import WireConfig
import WireService
import WireTelemetry

/// Tells what happens with push servers: events with names, and with the numbers of Altcraft's SDKs where it is theirs.
struct PushNews: Sendable {
    private let host: PushHost

    init(_ host: PushHost) { self.host = host }

    func done(
        _ kind: PushErrand.Kind,
        _ registrar: PushRegistrar,
        token: ProviderToken?,
        status: Int? = nil,
        note: String? = nil
    ) {
        emit(Self.event(of: kind), registrar, .of(kind, .done)) { data in
            (data.provider, data.status, data.answer) = (token?.provider.rawValue, status, note)
        }
        host.log.info(
            "a push server was told",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue)]
        )
    }

    func failed(_ kind: PushErrand.Kind, _ registrar: PushRegistrar, because reason: String, status: Int?) {
        emit(.failed, registrar, .of(kind, .failed)) { data in
            (data.what, data.reason, data.status) = (kind.rawValue, reason, status)
        }
        host.log.warning(
            "a push server could not be told",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func triedAgain(_ kind: PushErrand.Kind, _ registrar: PushRegistrar, attempts: Int) {
        emit(.retried, registrar, .of(kind, .triedAgain)) { ($0.what, $0.attempts) = (kind.rawValue, attempts) }
    }

    /// The turn of a request has come, and there is nothing to make it of.
    func held(_ kind: PushErrand.Kind, _ registrar: PushRegistrar, because reason: String) {
        emit(.held, registrar, .of(kind, .held)) { ($0.what, $0.reason) = (kind.rawValue, reason) }
    }

    /// A good status came with what is no answer of the server.
    func strangeAnswer(to kind: PushErrand.Kind, _ registrar: PushRegistrar, because reason: String, status: Int) {
        emit(.strangeAnswer, registrar, .strangeAnswer) { data in
            (data.what, data.reason, data.status) = (kind.rawValue, reason, status)
        }
        host.log.warning(
            "what answers is not the push server",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func configured(_ registrar: PushRegistrar) { emit(.configured, registrar, .configured) }

    /// Something that is asked for is not taken.
    func rejected(_ event: AltcraftEvent, _ what: String, _ registrar: PushRegistrar, because reason: String) {
        emit(.rejected, registrar, event) { ($0.what, $0.reason) = (what, reason) }
    }

    /// The JWT of the user lets nothing in.
    func unauthorized(_ event: AltcraftEvent, _ registrar: PushRegistrar, because reason: String) {
        emit(.unauthorized, registrar, event) { $0.reason = reason }
    }

    /// A push says less than its server needs.
    func unusable(_ event: AltcraftEvent, _ push: String?, _ registrar: PushRegistrar) {
        emit(.unusable, registrar, event) { ($0.push, $0.reason) = (push, event.meaning) }
    }

    func posted(_ push: String, _ registrar: PushRegistrar) {
        emit(.posted, registrar, .posted) { $0.push = push }
    }

    func took(_ token: ProviderToken, for registrar: PushRegistrar) {
        emit(.token, registrar, .providerSet) { data in
            (data.provider, data.token) = (token.provider.rawValue, token.ending)
        }
    }

    func waits(_ waiting: Standing.Waiting, _ registrar: PushRegistrar) {
        let event: AltcraftEvent? =
            switch waiting.kind {
            case .signIn: .noUserTag
            case .token: .noToken
            case .permission: .noPermission
            case .device, .outbox, .removed: nil
            }
        emit(.pending, registrar, event) { data in
            (data.waitsFor, data.reason) = (waiting.kind.rawValue, waiting.fault.reason)
        }
    }

    func received(_ push: String, _ registrar: PushRegistrar) {
        emit(.received, registrar, .received) { $0.push = push }
    }

    func cleared(_ count: Int) {
        var data = PushEventData()
        (data.removed, data.altcraft) = (count, AltcraftEvent.cleared.numbers)
        host.emit(PushEvents.cleared, data)
    }

    private func emit(
        _ event: PushEvents,
        _ registrar: PushRegistrar,
        _ altcraft: AltcraftEvent?,
        _ fill: (inout PushEventData) -> Void = { _ in }
    ) {
        var data = PushEventData(registrar.name)
        fill(&data)
        if registrar.isAltcraft { data.altcraft = altcraft?.numbers }
        host.emit(event, data)
    }

    /// The event that tells what became of a request.
    static func event(of kind: PushErrand.Kind, _ outcome: AltcraftEvent.Outcome) -> PushEvents {
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

extension AltcraftEvent {
    fileprivate var numbers: PushEventData.Numbers { PushEventData.Numbers(ios: ios, android: android) }
}
