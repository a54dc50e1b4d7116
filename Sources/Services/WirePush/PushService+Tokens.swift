package import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
package import WirePushContract
import WireService

/// Setting, refreshing and deleting tokens.
extension PushService {
    /// Sets a token; where the file has another source, the set token takes precedence until it is deleted.
    package func setToken(_ token: Secret<String>, of provider: PushProvider) async throws(PushFailure) {
        guard PushTokenSources.isToken(token.reveal()) else {
            throw PushFailure(
                .invalid,
                "invalid token of \(token.reveal().utf8.count) bytes: expected 1 to \(PushTokenSources.mostBytes) visible ASCII characters"
            )
        }
        guard provider != .webPush else {
            throw PushFailure(
                .notSupported,
                "the runner makes the subscriptions of Web Push itself",
                help: "run 'corewire push token remove webPush' to replace them"
            )
        }
        let isTheApps = if case .word(.app)? = reconciler.settings.tokens[provider] { true } else { false }
        let given = ProviderToken(provider, token.reveal())
        try await kept { () async throws(Fault) in
            try await self.reconciler.repository.editTokens { kept in
                if isTheApps { kept.hand(given) } else { kept.manual = given }
            }
        }
        reconciler.poke()
    }

    /// Deletes a provider's token, here and at the provider where possible; another source is then asked again.
    package func deleteToken(of provider: PushProvider) async throws(PushFailure) {
        let wasManual = try await kept { () async throws(Fault) in
            let isManual = try await self.reconciler.repository.tokens().manual?.provider == provider
            if isManual { try await self.reconciler.repository.editTokens { $0.manual = nil } }
            return isManual
        }
        if !wasManual {
            do throws(Fault) { try await reconciler.tokens.delete(provider) } catch {
                if let registrar = reconciler.registrars.first(where: { $0.number(of: .rejected(.notDeletable)) != nil }
                ) {
                    reject(.notDeletable, "deleteToken", at: registrar.name, because: error.reason)
                }
                throw PushFailure(.notSupported, error)
            }
        }
        reconciler.poke(forced: true)
    }

    /// The Web Push subscription that a server gets.
    package func subscription(at name: String) async throws(PushFailure) -> WebPushSubscription {
        let registrar = try registrar(name)
        guard registrar.value.takesWebPush else { throw notSupported(registrar, "takes no Web Push subscription") }
        let status = reconciler.registrarStatus(name)
        guard let subscription = status.token?.subscription else {
            let isOther = status.token != nil
            throw PushFailure(
                .notNow,
                isOther
                    ? "\(name.quoted) gets a token of \(status.token?.provider.rawValue ?? "another provider")"
                    : status.waiting?.fault.reason ?? "there is no subscription yet",
                help: isOther ? "put 'webPush' first in 'push.providers'" : status.waiting?.fault.help,
                origin: status.waiting?.fault.origin
            )
        }
        return subscription
    }

    /// Asks every provider for its token again.
    package func refreshTokens() { reconciler.poke(forced: true) }

    /// Changes the order of providers; nil restores that of the file.
    package func setProviders(_ providers: [PushProvider]?) async throws(PushFailure) {
        if let providers, providers.isEmpty || Set(providers).count < providers.count {
            throw PushFailure(.invalid, "expected one or more providers without duplicates")
        }
        try await kept { () async throws(Fault) in
            try await self.reconciler.repository.editTokens { $0.providers = providers }
        }
        reconciler.poke()
    }

    /// Sets the JWT of the user at a platform whose `jwt` is 'app'; nil removes it.
    package func setJWT(_ jwt: Secret<String>?, at name: String) async throws(PushFailure) {
        let registrar = try registrar(name)
        guard let tokens = registrar.value.userTokens else { throw notSupported(registrar) }
        guard tokens.isOfApp else {
            throw PushFailure(
                .notSupported,
                "the JWT of \(name.quoted) does not come from the app",
                help: "write 'jwt: app' to let the app set it",
                origin: reconciler.origin(of: registrar)
            )
        }
        if let jwt {
            guard let secrecy = reconciler.host.find(.secrecy) else {
                throw PushFailure(.notNow, "no digests available in this runner")
            }
            if let (flaw, fault) = tokens.flaw(of: jwt, with: secrecy) {
                PushTelemetry(reconciler.host).unauthorized(flaw, registrar, because: fault.reason)
                throw PushFailure(.invalid, fault)
            }
        }
        let text = jwt?.reveal()
        try await kept { () async throws(Fault) in
            try await self.reconciler.repository.editTokens { $0.jwts[name] = text }
        }
        reconciler.poke()
    }

    // MARK: Removing

    /// Removes the push data of the present user, or of all users; nothing is registered again automatically.
    ///
    /// Queued requests are not sent any more, and servers are not informed.
    package func clear(everybody: Bool) async throws(PushFailure) -> PushRemoved {
        try await clear(everybody: everybody, with: Eraser(reconciler.host.stores))
    }

    func clear(everybody: Bool, with eraser: Eraser) async throws(PushFailure) -> PushRemoved {
        var tags: Set<String> = []
        for registrar in reconciler.registrars {
            if let tag = try? await reconciler.owner(of: registrar).tag { tags.insert(tag) }
        }
        let chosen = tags
        let removed = try await kept { () async throws(Fault) in
            try await self.remove(everybody: everybody, chosen, with: eraser)
        }
        if !eraser.isDryRun { hasCleared(removed) }
        return removed
    }

    private func hasCleared(_ removed: PushRemoved) {
        PushTelemetry(reconciler.host).cleared(removed.registrations.count)
        reconciler.poke()
    }

    /// Removes the push data of users; those still known are not registered again automatically.
    func clearUsers(with eraser: Eraser) async throws(PushFailure) -> PushRemoved {
        let removed = try await kept { () async throws(Fault) in
            var removed = PushRemoved()
            removed.jwts = try await self.clearableTokens(with: eraser).jwts.count
            if !eraser.isDryRun {
                let present = await self.present()
                // From here on nothing is registered again, and no queued request is sent.
                try await self.reconciler.repository.editTokens { $0.clearUsers(leavingQuiet: present) }
                try await self.reconciler.webPush.end { StoredTokens.isPerson($0) }
            }
            for listed in try await self.reconciler.repository.registrations()
            where StoredTokens.isPerson(listed.tag) {
                if try await self.reconciler.repository.remove(listed.registrar, listed.tag, with: eraser) {
                    removed.registrations.append(listed.registrar)
                }
            }
            return removed
        }
        if !eraser.isDryRun { hasCleared(removed) }
        return removed
    }

    /// The tags of the users who are still signed in.
    private func present() async -> [String] {
        var tags: Set<String> = []
        for registrar in reconciler.registrars {
            if let tag = try? await reconciler.owner(of: registrar).tag, StoredTokens.isPerson(tag) { tags.insert(tag) }
        }
        return tags.sorted()
    }

    private func remove(everybody: Bool, _ tags: Set<String>, with eraser: Eraser) async throws(Fault) -> PushRemoved {
        let kept = try await clearableTokens(with: eraser)
        var removed = PushRemoved()
        let chosen = try await reconciler.repository.registrations().filter { everybody || tags.contains($0.tag) }
        if !eraser.isDryRun {
            try await forgetTokens(everybody: everybody, tags)
            try await reconciler.webPush.end { everybody || tags.contains($0) }
        }
        removed.jwts = kept.jwts.count
        if everybody {
            removed.tokens = kept.handed.count + kept.made.count + (kept.manual == nil ? 0 : 1)
            removed.hadProviders = kept.providers != nil
        }
        for listed in chosen {
            let name = listed.registrar
            // A record that cannot be read names no token, and is removed too.
            if !eraser.isDryRun, let naming = reconciler.registrar(name)?.value.deviceTokens,
                let device = reconciler.host.uses.device,
                case .success(let registration) = listed.registration, let told = registration.acknowledged
            {
                let platform = naming.platform(of: told.token.provider)
                // A device that was removed before has no token any more.
                if device.device.tokens.contains(where: { $0.platform == platform }) {
                    try await device.change { $0.setToken(nil, of: platform) }
                }
            }
            if try await reconciler.repository.remove(name, listed.tag, with: eraser) {
                removed.registrations.append(name)
            }
        }
        return removed
    }

    private func clearableTokens(with eraser: Eraser) async throws(Fault) -> StoredTokens {
        try await reconciler.repository.clearableTokens(with: eraser, at: reconciler.host.clock.wall())
    }

    /// From here on nothing is registered again, and no queued request is sent.
    private func forgetTokens(everybody: Bool, _ tags: Set<String>) async throws(Fault) {
        try await reconciler.repository.editTokens { kept in
            if everybody {
                kept.clear(StoredTokens.everybody)
            } else {
                for tag in tags { kept.clear(tag) }
                kept.jwts = [:]
            }
        }
    }
}
