package import WireBase
import WireConfig
import WireService

/// Tokens that somebody hands in, asks for anew, or has deleted.
extension PushService {
    /// Hands in a token; where the file says that it comes from elsewhere, it wins over all sources until it is taken back.
    package func setToken(_ token: Secret<String>, of provider: PushProvider) async throws(PushRefusal) {
        guard TokenDesk.isToken(token.reveal()) else {
            throw PushRefusal(
                .invalid,
                "a token has 1 to \(TokenDesk.mostBytes) visible ASCII characters, found \(token.reveal().utf8.count) bytes"
            )
        }
        let isTheApps = if case .word(.app)? = desk.settings.tokens[provider] { true } else { false }
        let given = ProviderToken(provider, token.reveal())
        try await kept { () async throws(Fault) in
            try await self.desk.keeper.editTokens { kept in
                if isTheApps { kept.hand(given) } else { kept.manual = given }
            }
        }
        desk.poke()
    }

    /// Makes the provider forget its token, here and where that can be; what has another source then is asked for anew.
    package func deleteToken(of provider: PushProvider) async throws(PushRefusal) {
        let wasManual = try await kept { () async throws(Fault) in
            let isManual = try self.desk.keeper.tokens().manual?.provider == provider
            if isManual { try await self.desk.keeper.editTokens { $0.manual = nil } }
            return isManual
        }
        if !wasManual {
            do throws(Fault) { try await desk.tokens.delete(provider) } catch {
                if let registrar = desk.registrars.first(where: \.isAltcraft) {
                    reject(.notDeletable, "deleteToken", at: registrar.name, because: error.reason)
                }
                throw PushRefusal(.notSupported, error)
            }
        }
        desk.poke(forced: true)
    }

    /// Asks every provider anew.
    package func refreshTokens() { desk.poke(forced: true) }

    /// Changes the order of providers; the file's own where nil.
    package func setProviders(_ providers: [PushProvider]?) async throws(PushRefusal) {
        if let providers, providers.isEmpty || Set(providers).count < providers.count {
            throw PushRefusal(.invalid, "expected one provider or more, each once")
        }
        try await kept { () async throws(Fault) in
            try await self.desk.keeper.editTokens { $0.providers = providers }
        }
        desk.poke()
    }

    /// The JWT of the user at an Altcraft platform, where the file says that the app has it; taken back where nil.
    package func setJWT(_ jwt: Secret<String>?, at name: String) async throws(PushRefusal) {
        let (registrar, account) = try altcraft(name)
        guard case .word(.app)? = account.jwt else {
            throw PushRefusal(
                .notSupported,
                "the JWT of \(name.quoted) does not come from the app",
                help: "set 'jwt' to 'app' for the app to hand it in",
                origin: desk.origin(of: registrar)
            )
        }
        if let jwt {
            guard let secrecy = desk.host.find(.secrecy) else {
                throw PushRefusal(.notNow, "nothing makes digests here")
            }
            do throws(Fault) {
                _ = try AltcraftAuthorization(jwt: jwt, with: secrecy)
            } catch {
                PushNews(desk.host).unauthorized(AltcraftAuthorization.flaw(of: jwt), registrar, because: error.reason)
                throw PushRefusal(.invalid, error)
            }
        }
        let text = jwt?.reveal()
        try await kept { () async throws(Fault) in try await self.desk.keeper.editTokens { $0.jwts[name] = text } }
        desk.poke()
    }

    // MARK: Removing

    /// What was removed.
    package struct Removed: Sendable {
        package var registrations: [String]
        package var tokens: Int
        package var jwts: Int
        /// Whether a changed order of providers was forgotten.
        package var hadProviders: Bool
    }

    /// Removes every trace of whoever uses the device now, or of everybody; it stays so until somebody registers anew.
    ///
    /// What waits in the outbox is not sent any more; servers are not told.
    package func clear(everybody: Bool) async throws(PushRefusal) -> Removed {
        var tags: Set<String> = []
        for registrar in desk.registrars {
            if let tag = try? await desk.owner(of: registrar).0 { tags.insert(tag) }
        }
        let chosen = tags
        let removed = try await kept { () async throws(Fault) in
            try await self.remove(everybody: everybody, chosen)
        }
        PushNews(desk.host).cleared(removed.registrations.count)
        desk.poke()
        return removed
    }

    /// Removes every trace of people; whoever is still known afterwards begins nothing until somebody registers them.
    func clearPeople() async throws(PushRefusal) -> Removed {
        let removed = try await kept { () async throws(Fault) in
            let kept = (try? self.desk.keeper.tokens()) ?? KeptTokens()
            var removed = Removed(registrations: [], tokens: 0, jwts: kept.jwts.count, hadProviders: false)
            let present = await self.present()
            // First of all nothing begins anew, and nothing that waits is sent.
            try await self.desk.keeper.editTokens { $0.clearPeople(leavingQuiet: present) }
            for (name, tag) in try self.desk.keeper.registrations() where KeptTokens.isPerson(tag) {
                if try await self.desk.keeper.remove(name, tag) { removed.registrations.append(name) }
            }
            return removed
        }
        PushNews(desk.host).cleared(removed.registrations.count)
        desk.poke()
        return removed
    }

    /// Those who are people, and known here without anybody having signed in anew.
    private func present() async -> [String] {
        var tags: Set<String> = []
        for registrar in desk.registrars {
            if let tag = try? await desk.owner(of: registrar).0, KeptTokens.isPerson(tag) { tags.insert(tag) }
        }
        return tags.sorted()
    }

    private func remove(everybody: Bool, _ tags: Set<String>) async throws(Fault) -> Removed {
        let kept = (try? desk.keeper.tokens()) ?? KeptTokens()
        var removed = Removed(registrations: [], tokens: 0, jwts: 0, hadProviders: false)
        let names = try desk.keeper.registrations().filter { everybody || tags.contains($0.tag) }
        // First of all nothing begins anew, and nothing that waits is sent.
        try await desk.keeper.editTokens { kept in
            if everybody {
                kept.clear(KeptTokens.everybody)
            } else {
                for tag in tags { kept.clear(tag) }
                kept.jwts = [:]
            }
        }
        removed.jwts = kept.jwts.count
        if everybody {
            removed.tokens = kept.handed.count + kept.made.count + (kept.manual == nil ? 0 : 1)
            removed.hadProviders = kept.providers != nil
        }
        for (name, tag) in names {
            if case .halo(let account)? = desk.registrar(name)?.value, let device = desk.host.find(.device),
                let told = try? desk.keeper.registration(name, tag).told
            {
                let platform = HaloWire(account).platform(of: told.token.provider)
                // A device that was forgotten before has no token any more.
                if device.device.tokens.contains(where: { $0.platform == platform }) {
                    try await device.change { $0.setToken(nil, of: platform) }
                }
            }
            if try await desk.keeper.remove(name, tag) { removed.registrations.append(name) }
        }
        return removed
    }
}
