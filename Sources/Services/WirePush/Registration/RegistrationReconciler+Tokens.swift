import WireBase
import WireConfig
import WirePushContract
import WireService
import WireTelemetry

/// Finds the token of a registration.
extension RegistrationReconciler {
    /// The token of the first provider in use that has one; throws why there is none.
    ///
    /// A subscription of Web Push belongs to one registration, the tokens of other providers to the device.
    func token(
        for registrar: NamedRegistrar,
        _ owner: PushOwner,
        _ registrarStatus: RegistrarStatus,
        _ round: PushTokenSources.Round
    ) async throws(RegistrarStatus.Waiting) -> ProviderToken {
        let request = WebPushChannels.Request(
            registrar: registrar.name,
            server: (try? digest(owner.wire.server)) ?? "",
            tag: owner.tag,
            sender: registrar.value.vapid?.text,
            isWanted: registrarStatus.goal != .unregistered
        )
        let order = registrar.value.tried(of: tokens.order(round.kept))
        let providers = webPush.server == nil && order != [.webPush] ? order.filter { $0 != .webPush } : order
        do throws(Fault) {
            guard !providers.isEmpty else {
                throw Fault(
                    "the server supports none of the providers in use",
                    help: "add another provider to 'push.providers'"
                )
            }
            return try await tokens.choose(among: providers, for: request, in: round)
        } catch {
            let isTheApps = providers.contains { if case .word = settings.tokens[$0] { true } else { false } }
            // The connection to the service reports its own trouble.
            let isComing = providers.contains(.webPush) ? await webPush.isWaiting(for: request) : false
            throw .init(.token, error, isTrouble: !isTheApps && !isComing)
        }
    }

    /// Ends the channels of Web Push that a registration does not need any more, once its server has the new state.
    func releaseChannels(
        of registrar: NamedRegistrar,
        _ tag: String,
        _ registrarStatus: RegistrarStatus,
        isWanted: Bool
    )
        async throws(Fault)
    {
        let (told, token) = (registrarStatus.registration.acknowledged?.token, registrarStatus.token)
        // A request on its way may have a channel that is neither the former nor the present one.
        guard isWanted ? registrarStatus.registration.asked == nil && token != nil && told == token : told == nil else {
            return
        }
        // Web Push is still asked for a token, unless a provider before it has one.
        let order = tokens.order(try await repository.tokens())
        let tried = registrar.value.tried(of: order).prefix { $0 != token?.provider }
        try await webPush.release(
            registrar.name,
            of: tag,
            except: isWanted ? token : nil,
            keepsCurrent: isWanted && (tried.contains(.webPush) || token?.provider == .webPush),
            isReplaced: isWanted
        )
    }

    /// Ends the channels of users who have signed out, so that the next user gets none of their pushes.
    func endChannelsOfOthers() async {
        await trying { () async throws(Fault) in
            guard let presence = self.host.uses.presence else { return }
            // A session that is locked, or withheld from this machine, has not ended.
            guard presence.user != nil || presence.absence.kind == .signedOut else { return }
            let host = self.host
            let present = try presence.user.map { user throws(Fault) in try PushOwner.tag(of: user, in: host) }
            try await self.webPush.end { StoredTokens.isPerson($0) && $0 != present }
        }
    }

    /// Does something, again after a pause where it fails.
    func trying(_ work: () async throws(Fault) -> Void) async {
        for attempt in 1...3 where !Task.isCancelled && !isOver {
            do throws(Fault) { return try await work() } catch {
                host.log.warning("Web Push channels cannot be ended", ["reason": .text(error.reason)])
            }
            if attempt < 3 { try? await host.clock.sleep(.seconds(5)) }
        }
    }
}
