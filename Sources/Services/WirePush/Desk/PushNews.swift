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
            AltcraftNumbers(kind, .done),
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
            AltcraftNumbers(kind, .failed),
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
            AltcraftNumbers(kind, .triedAgain),
            ["what": .string(kind.rawValue), "attempts": .integer(attempts)]
        )
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
        let numbers: AltcraftNumbers? =
            switch waiting.kind {
            case .signIn: .noUserTag
            case .token: .noToken
            case .permission: .noPermission
            case .device, .outbox, .removed: nil
            }
        emit(
            "push.pending",
            registrar,
            numbers,
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
            .members(["removed": .integer(count), "altcraft": AltcraftNumbers.cleared.json])
        )
    }

    private func emit(
        _ name: String,
        _ registrar: PushRegistrar,
        _ numbers: AltcraftNumbers?,
        _ members: KeyValuePairs<String, JSONValue?>
    ) {
        var all: [(key: String, value: JSONValue)] = [("registrar", .string(registrar.name))]
        all += members.compactMap { key, value in value.map { (key, $0) } }
        if registrar.isAltcraft, let numbers { all.append(("altcraft", numbers.json)) }
        host.events.emit(name, generation: host.generation, .object(all))
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

extension AltcraftNumbers {
    var json: JSONValue {
        .members(["ios": ios.map(JSONValue.integer), "android": android.map(JSONValue.integer)])
    }
}
