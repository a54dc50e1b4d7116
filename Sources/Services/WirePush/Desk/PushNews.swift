import WireConfig
import WireService
import WireTelemetry

/// Tells what happens with push servers: events with names, and with the numbers of Altcraft's SDKs where it is theirs.
struct PushNews: Sendable {
    private let host: ServiceHost

    init(_ host: ServiceHost) { self.host = host }

    func done(
        _ kind: PushErrand.Kind,
        _ registrar: PushRegistrar,
        token: ProviderToken?,
        status: Int? = nil,
        note: String? = nil
    ) {
        emit(
            Self.name(kind),
            registrar,
            .of(kind, .done),
            [
                "provider": token.map { .string($0.provider.rawValue) }, "status": status.map(JSONValue.integer),
                "answer": note.map(JSONValue.string),
            ]
        )
        host.log.info(
            "a push server was told",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue)]
        )
    }

    func failed(_ kind: PushErrand.Kind, _ registrar: PushRegistrar, because reason: String, status: Int?) {
        emit(
            "push.failed",
            registrar,
            .of(kind, .failed),
            ["what": .string(kind.rawValue), "reason": .string(reason), "status": status.map(JSONValue.integer)]
        )
        host.log.warning(
            "a push server could not be told",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func triedAgain(_ kind: PushErrand.Kind, _ registrar: PushRegistrar, attempts: Int) {
        emit(
            "push.retried",
            registrar,
            .of(kind, .triedAgain),
            ["what": .string(kind.rawValue), "attempts": .integer(attempts)]
        )
    }

    /// The turn of a request has come, and there is nothing to make it of.
    func held(_ kind: PushErrand.Kind, _ registrar: PushRegistrar, because reason: String) {
        emit(
            "push.held",
            registrar,
            .of(kind, .held),
            ["what": .string(kind.rawValue), "reason": .string(reason)]
        )
    }

    /// A good status came with what is no answer of the server.
    func strangeAnswer(to kind: PushErrand.Kind, _ registrar: PushRegistrar, because reason: String, status: Int) {
        emit(
            "push.strangeAnswer",
            registrar,
            .strangeAnswer,
            ["what": .string(kind.rawValue), "reason": .string(reason), "status": .integer(status)]
        )
        host.log.warning(
            "what answers is not the push server",
            ["registrar": .text(registrar.name), "what": .text(kind.rawValue), "reason": .text(reason)]
        )
    }

    func configured(_ registrar: PushRegistrar) { emit("push.configured", registrar, .configured, [:]) }

    /// Something that is asked for is not taken.
    func rejected(_ event: AltcraftEvent, _ what: String, _ registrar: PushRegistrar, because reason: String) {
        emit("push.rejected", registrar, event, ["what": .string(what), "reason": .string(reason)])
    }

    /// The JWT of the user lets nothing in.
    func unauthorized(_ event: AltcraftEvent, _ registrar: PushRegistrar, because reason: String) {
        emit("push.unauthorized", registrar, event, ["reason": .string(reason)])
    }

    /// A push says less than its server needs.
    func unusable(_ event: AltcraftEvent, _ push: String?, _ registrar: PushRegistrar) {
        emit("push.unusable", registrar, event, ["push": push.map(JSONValue.string), "reason": .string(event.meaning)])
    }

    func posted(_ push: String, _ registrar: PushRegistrar) {
        emit("push.posted", registrar, .posted, ["push": .string(push)])
    }

    func took(_ token: ProviderToken, for registrar: PushRegistrar) {
        emit(
            "push.token",
            registrar,
            .providerSet,
            ["provider": .string(token.provider.rawValue), "token": .string(token.ending)]
        )
    }

    func waits(_ waiting: Standing.Waiting, _ registrar: PushRegistrar) {
        let event: AltcraftEvent? =
            switch waiting.kind {
            case .signIn: .noUserTag
            case .token: .noToken
            case .permission: .noPermission
            case .device, .outbox, .removed: nil
            }
        emit(
            "push.pending",
            registrar,
            event,
            ["for": .string(waiting.kind.rawValue), "reason": .string(waiting.fault.reason)]
        )
    }

    func received(_ push: String, _ registrar: PushRegistrar) {
        emit("push.received", registrar, .received, ["push": .string(push)])
    }

    func cleared(_ count: Int) {
        host.events.emit(
            "push.cleared",
            generation: host.generation,
            .members(["removed": .integer(count), "altcraft": AltcraftEvent.cleared.json])
        )
    }

    private func emit(
        _ name: String,
        _ registrar: PushRegistrar,
        _ event: AltcraftEvent?,
        _ members: KeyValuePairs<String, JSONValue?>
    ) {
        var all: [(key: String, value: JSONValue)] = [("registrar", .string(registrar.name))]
        all += members.compactMap { key, value in value.map { (key, $0) } }
        if registrar.isAltcraft, let event { all.append(("altcraft", event.json)) }
        host.events.emit(name, generation: host.generation, .object(all))
    }

    /// The event that tells what became of a request; nil where none does.
    static func name(_ kind: PushErrand.Kind, _ outcome: AltcraftEvent.Outcome) -> String? {
        switch outcome {
        case .done: name(kind)
        case .failed: "push.failed"
        case .held: "push.held"
        case .triedAgain: "push.retried"
        }
    }

    private static func name(_ kind: PushErrand.Kind) -> String {
        switch kind {
        case .register: "push.registered"
        case .update: "push.updated"
        case .unregister: "push.unregistered"
        case .suspend: "push.suspended"
        case .unsuspend: "push.unsuspended"
        case .delivery: "push.deliveryTold"
        case .open: "push.openTold"
        case .dismiss: "push.dismissTold"
        case .mobileEvent: "push.mobileEventTold"
        case .profile: "push.profileChanged"
        case .status: "push.statusAsked"
        }
    }
}

extension AltcraftEvent {
    var json: JSONValue {
        .members(["ios": ios.map(JSONValue.integer), "android": android.map(JSONValue.integer)])
    }
}
