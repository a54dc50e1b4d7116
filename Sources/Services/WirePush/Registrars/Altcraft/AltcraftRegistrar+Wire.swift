import WireBackendContract
import WireBase
import WireConfig
import WireHTTP
import WireNotificationContract
import WirePushContract
import WireSecrets
import WireService

/// The requests to the Altcraft platform, and its abilities.
extension AltcraftRegistrar {
    static let word = "altcraft"
    static let help = "The Altcraft platform."
    static let codes = Code.altcraftCodes

    func address(of name: String, in host: PushHost) -> String {
        host.builtIn(for: url)?.altcraft(name, admitting: roleToken?.text, webPush: webPushProvider?.text)
            ?? url.text
    }

    /// The profile that the platform finds.
    func owner(_ registrar: NamedRegistrar, at reconciler: RegistrationReconciler) async throws(Fault) -> PushOwner {
        let authorization = try await AltcraftKeys(self, registrar, reconciler).authorization()
        return PushOwner(tag: authorization.userTag, wire: AltcraftWire(self, authorization, at: registrar.address))
    }

    var operations: Set<PushOperation.Kind> { Set(PushOperation.Kind.allCases).subtracting([.dismiss]) }
    var credentials: [String] { roleToken.map { [$0.reveal().text] } ?? [] }

    func objection(to json: JSONValue?, for kind: PushOperation.Kind, telling token: ProviderToken?) -> String? {
        guard kind.isOfRegistration || kind == .profile else { return nil }
        return json?["error"]?.integer == nil ? "a body without 'error', which the platform always sends" : nil
    }

    var sender: PlainPush.Sender? { .altcraft }

    func tried(of order: [PushProvider]) -> [PushProvider] {
        (providers ?? order).filter(supported.contains)
    }

    var waitsForPermission: Bool { true }
    var endsOthers: Bool { true }
    /// The platform no longer knows the former token.
    var registersAfterRefusedUpdate: Bool { true }
    var subscriptions: (any PushSubscribing)? { self }
    var userTokens: (any UserTokenReceiving)? { self }

    static func number(of happening: PushServerEvent) -> PushNumber? {
        AltcraftEvent.of(happening).map {
            PushNumber(numbers: PushEventData.Numbers(ios: $0.ios, android: $0.android), meaning: $0.meaning)
        }
    }

    func flaws(of push: ReceivedPush) -> [PushServerEvent.PushFlaw] {
        (push.id == nil ? [.noID] : [])
            + (push.buttons.isEmpty && push.fields["_buttons"] != nil ? [.noButtons] : [])
    }
}

extension AltcraftRegistrar: PushSubscribing {
    func words(_ given: PushSubscription?) throws(PushFailure) -> JSONValue {
        var said = AltcraftParameters(self)
        if let given { try said.apply(given) }
        return said.json
    }

    func words(_ change: PushProfileChange) -> JSONValue {
        var parameters = AltcraftParameters()
        parameters.profileFields = change.fields.entries.map { ($0.name, $0.value) }
        parameters.skipTriggers = change.skipsTriggers
        return parameters.json
    }
}

extension AltcraftRegistrar: UserTokenReceiving {
    var isOfApp: Bool { if case .word(.app)? = jwt { true } else { false } }

    func flaw(of jwt: Secret<String>, with secrecy: any CryptoProvider) -> (
        flaw: PushServerEvent.TokenFlaw, fault: Fault
    )? {
        do throws(Fault) {
            _ = try AltcraftAuthorization(jwt: jwt, with: secrecy)
            return nil
        } catch {
            return (AltcraftAuthorization.flaw(of: jwt), error)
        }
    }
}
