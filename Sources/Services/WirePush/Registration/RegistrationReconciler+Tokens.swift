import WireBase
import WireConfig
import WirePushContract
import WireService

/// Finds the token of a registration.
extension RegistrationReconciler {
    /// The token of the first provider in use that has one; throws why there is none.
    ///
    /// A subscription of Web Push belongs to one registration, the tokens of other providers to the device.
    func token(
        for registrar: NamedRegistrar,
        _ tag: String,
        _ registrarStatus: RegistrarStatus,
        _ round: PushTokenSources.Round
    ) async throws(RegistrarStatus.Waiting) -> ProviderToken {
        let request = WebPushChannels.Request(
            registrar: registrar.name,
            tag: tag,
            sender: registrar.value.vapid?.text,
            isWanted: registrarStatus.goal != .unregistered
        )
        let order = registrar.value.tried(of: tokens.order(round.kept))
        let providers = webPush.server == nil && order != [.webPush] ? order.filter { $0 != .webPush } : order
        do throws(Fault) {
            guard !providers.isEmpty else {
                throw Fault(
                    "the server takes no Web Push subscription",
                    help: "add another provider to 'push.providers'"
                )
            }
            return try await tokens.choose(among: providers, for: request, in: round)
        } catch {
            let isTheApps = providers.contains { if case .word = settings.tokens[$0] { true } else { false } }
            // The connection to the service reports its own trouble.
            let isComing = providers.contains(.webPush) && webPush.isWaiting(for: request)
            throw .init(.token, error, isTrouble: !isTheApps && !isComing)
        }
    }

    /// Ends the channels of Web Push that a registration does not need any more.
    func releaseChannels(of registrar: NamedRegistrar, _ tag: String, _ registrarStatus: RegistrarStatus)
        async throws(Fault)
    {
        let token = registrarStatus.token
        let isWanted = registrarStatus.goal != .unregistered && (token?.provider ?? .webPush) == .webPush
        let kept = [registrarStatus.registration.acknowledged?.token, isWanted ? token : nil]
        try await webPush.release(registrar.name, of: tag, except: kept, isWanted: isWanted)
    }
}
