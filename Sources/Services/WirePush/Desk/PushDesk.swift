import Synchronization
import WireBase
import WireConfig
import WireSecrets
import WireService
import WireTelemetry

/// Brings what servers know of this device to what is wished: looks at everything, asks for what is missing, and says why
/// something waits.
///
/// One task at a time looks; whatever changes pokes it.
final class PushDesk: Sendable {
    private struct State {
        var standings: [String: Standing] = [:]
        var isOver = false
        var wishesForced = false
        var trouble: String?
        /// Those that were looked at, with whose registration it was.
        var started: Set<String> = []
    }

    let settings: PushSection
    let host: ServiceHost
    let keeper: PushKeeper
    let tokens: TokenDesk
    private let state = Mutex(State())
    private let pokes: AsyncStream<Void>
    private let poking: AsyncStream<Void>.Continuation

    init(_ settings: PushSection, _ host: ServiceHost) {
        (self.settings, self.host) = (settings, host)
        keeper = PushKeeper(host)
        tokens = TokenDesk(settings, host, keeper)
        (pokes, poking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Those of the file, asked for each time: servers built in can move, and are nowhere before they have started.
    var registrars: [PushRegistrar] {
        settings.registrars.items.map { item in
            PushRegistrar(name: item.name, value: item.value, address: item.value.address(in: host))
        }
    }

    func registrar(_ name: String) -> PushRegistrar? { registrars.first { $0.name == name } }
    func standing(_ name: String) -> Standing { state.withLock { $0.standings[name] } ?? Standing() }
    var isOver: Bool { state.withLock { $0.isOver } }

    func origin(of registrar: PushRegistrar, _ key: String? = nil) -> ValueOrigin? {
        guard let item = settings.registrars.items.first(where: { $0.name == registrar.name }) else { return nil }
        return host.places.origin(of: item.place, registrar.path)
    }

    // MARK: Looking

    /// Looks again soon; forced, providers are asked for their tokens anew.
    func poke(forced: Bool = false) {
        if forced { state.withLock { $0.wishesForced = true } }
        poking.yield()
    }

    func finish() {
        state.withLock { $0.isOver = true }
        poking.finish()
    }

    /// Looks whenever it is poked, until cancelled.
    func run() async {
        await resume()
        poke()
        for await _ in pokes {
            guard !Task.isCancelled, !isOver else { return }
            await look()
        }
    }

    /// What was refused is tried once more by every start: whoever has changed something starts it anew.
    private func resume() async {
        for (name, tag) in (try? keeper.registrations()) ?? [] where registrar(name) != nil {
            _ = try? await keeper.edit(name, tag) { $0.refusal = nil }
        }
    }

    /// Looks at everything once.
    func look() async {
        let isForced = state.withLock { state in
            defer { state.wishesForced = false }
            return state.wishesForced
        }
        let kept: KeptTokens
        do throws(Fault) {
            kept = try keeper.tokens()
        } catch {
            return tellHealth(error)
        }
        var round = TokenDesk.Round(kept, isForced: isForced)
        for registrar in registrars {
            let former = state.withLock { $0.standings[registrar.name] }
            let standing = await settle(registrar, &round)
            remember(standing, of: registrar)
            tell(standing, of: registrar, after: former)
        }
        tellHealth(nil)
        host.find(.outbox)?.drain()
    }

    private func settle(_ registrar: PushRegistrar, _ round: inout TokenDesk.Round) async -> Standing {
        var standing = Standing()
        do throws(Fault) {
            (standing.tag, standing.altcraft) = try await owner(of: registrar)
        } catch {
            standing.waiting = .init(.signIn, error, isTrouble: error.origin != nil)
            return standing
        }
        guard let tag = standing.tag else { return standing }
        standing.epoch = round.kept.epoch(of: tag)
        if round.kept.isQuiet(tag) {
            let fault = Fault("everything of it was removed", help: "'corewire push register' begins anew")
            standing.waiting = .init(.removed, fault)
            return standing
        }
        do throws(Fault) {
            standing.registration = try keeper.registration(registrar.name, tag)
            let providers = registrar.providers(tokens.order(round.kept))
            do throws(Fault) {
                standing.token = try await tokens.choose(among: providers, in: &round)
            } catch {
                let isTheApps = providers.contains { if case .word = settings.tokens[$0] { true } else { false } }
                standing.waiting = .init(.token, error, isTrouble: !isTheApps)
                // What is to be ended is known by the token it was begun with.
                guard standing.registration.wish == .unregistered else { return standing }
            }
            let moment = await moment(for: registrar, standing, id: "")
            let known = registrar.facts(moment, standing.altcraft)
            (standing.server, standing.facts) = (known.server, try digest(known.facts))
            try await endFormers(registrar, tag, standing)
            standing.registration = try keeper.registration(registrar.name, tag)
            return try await ask(registrar, tag, standing)
        } catch {
            standing.waiting = .init(.outbox, error, isTrouble: true)
            return standing
        }
    }

    /// Asks the server for what it does not know yet, unless that is under way or was refused.
    private func ask(_ registrar: PushRegistrar, _ tag: String, _ given: Standing) async throws(Fault) -> Standing {
        var standing = given
        var next = standing.next(isAltcraft: registrar.isAltcraft)
        // Registered anew, so that those of others end: there the request of one does that.
        if next == nil, standing.registration.wish == .registered, registrar.isAltcraft,
            try !formers(of: registrar, but: tag).isEmpty
        {
            next = .register
        }
        guard let kind = next else {
            if standing.registration.asked != nil || standing.registration.refusal != nil {
                standing.registration = try await keeper.edit(registrar.name, tag) {
                    ($0.asked, $0.refusal) = (nil, nil)
                }
            }
            return standing
        }
        if case .halo(let account) = registrar.value {
            return try await give(HaloWire(account), registrar, tag, standing)
        }
        if kind == .register, registrar.waitsForPermission, let reason = permissionRefusal {
            standing.waiting = .init(.permission, reason)
        }
        let target = try target(standing)
        if standing.registration.refusal?.target == target { return standing }
        let isFirst = isFirstLook(registrar, tag)
        if !isFirst, let asked = standing.registration.asked, asked.target == target, asked.kind == kind {
            return awaiting(standing)
        }
        remember(standing, of: registrar)
        standing.registration = try await post(kind, registrar, tag, standing, target: target)
        return awaiting(standing)
    }

    private func awaiting(_ standing: Standing) -> Standing {
        var standing = standing
        standing.waiting =
            standing.waiting
            ?? .init(.outbox, Fault("it waits in the outbox: 'corewire outbox list' tells for what"))
        return standing
    }

    /// What is said to be under way is posted again by the first look: nothing changes where it is.
    private func isFirstLook(_ registrar: PushRegistrar, _ tag: String) -> Bool {
        state.withLock { $0.started.insert("\(registrar.name) \(tag)").inserted }
    }

    /// A request may be made from it before the look at everything is over.
    private func remember(_ standing: Standing, of registrar: PushRegistrar) {
        state.withLock { $0.standings[registrar.name] = standing }
    }

    private func post(
        _ kind: PushErrand.Kind,
        _ registrar: PushRegistrar,
        _ tag: String,
        _ standing: Standing,
        target: String
    ) async throws(Fault) -> Registration {
        let seen = standing.registration
        let isSame = seen.asked.map { $0.target == target && $0.kind == kind } ?? false
        let revision = isSame ? seen.revision : seen.revision + 1
        var errand = PushErrand(kind, registrar.name, tag: tag, time: host.clock.wall())
        (errand.target, errand.revision, errand.epoch) = (target, revision, standing.epoch)
        let id = try await PushPost(host).post(errand, id: errand.registrationID)
        return try await keeper.edit(registrar.name, tag) { registration in
            // The server may have answered already.
            guard registration.revision < revision else { return }
            registration.revision = revision
            registration.asked = .init(kind: kind, target: target, id: id)
            registration.refusal = nil
        }
    }

    /// HALO learns of the token with the device.
    private func give(_ wire: HaloWire, _ registrar: PushRegistrar, _ tag: String, _ given: Standing)
        async throws(Fault) -> Standing
    {
        var standing = given
        guard let device = host.find(.device) else { throw Fault("nothing here keeps the device") }
        let (token, former) = (standing.token, standing.registration.told?.token)
        let isEnd = standing.registration.wish == .unregistered
        try await device.change { device in
            if let former { device.setToken(nil, of: wire.platform(of: former.provider)) }
            if !isEnd, let token { device.setToken(token.text, of: wire.platform(of: token.provider)) }
        }
        let (now, server, facts) = (host.clock.wall(), standing.server, standing.facts)
        standing.registration = try await keeper.edit(registrar.name, tag) { registration in
            let since = registration.told?.since ?? now
            registration.told =
                isEnd
                ? nil : token.map { .init(token: $0, server: server, facts: facts, since: since, at: now) }
            (registration.asked, registration.refusal) = (nil, nil)
        }
        let kind: PushErrand.Kind = isEnd ? .unregister : former == nil ? .register : .update
        PushNews(host).done(kind, registrar, token: token)
        return standing
    }

    // MARK: What is known

    /// Whose registration it would be, and what lets requests in; throws why nobody knows.
    func owner(of registrar: PushRegistrar) async throws(Fault) -> (String, AltcraftAuthorization?) {
        switch registrar.owner {
        case .device: return ("device", nil)
        case .user:
            guard let presence = host.find(.userPresence) else { throw Fault("nothing signs anybody in") }
            guard let user = presence.user else {
                throw Fault("nobody is signed in", help: presence.guidance)
            }
            return ("u" + (try tag(user.subject)), nil)
        case .altcraft(let account):
            let authorization = try await AltcraftKeys(self).authorization(of: account, registrar)
            return (authorization.userTag, authorization)
        }
    }

    private func tag(_ text: String) throws(Fault) -> String {
        guard let secrecy = host.find(.secrecy) else { throw Fault("nothing makes digests here") }
        return try AltcraftAuthorization.tag(text, secrecy)
    }

    func digest(_ text: String) throws(Fault) -> String { try tag(text) }

    /// What the server is to know, in short.
    func target(_ standing: Standing) throws(Fault) -> String {
        let token = standing.token.map { "\($0.provider.rawValue) \($0.text)" } ?? ""
        return try digest(
            [standing.registration.wish.rawValue, token, standing.server, standing.facts].joined(separator: "\u{1e}")
        )
    }

    /// Why nobody is subscribed now; nil where that is allowed, and where nobody shows notifications at all.
    var permissionRefusal: Fault? {
        switch host.find(.notificationPermission)?.answer {
        case nil, .granted?: nil
        case .ask?:
            Fault("nobody has allowed notifications yet", help: "'corewire notifications permission granted'")
        case .denied?:
            Fault("notifications are not allowed", help: "'corewire notifications permission granted'")
        }
    }

    func moment(for registrar: PushRegistrar, _ standing: Standing, id: String) async -> PushMoment {
        var device = PushDevice()
        let kept = host.find(.device)?.device
        let alias: String? = if let kept { kept.alias } else { try? await DeviceAlias.find(in: host) }
        device.alias = alias ?? ""
        device.id = kept?.id
        let facts = host.find(.machine)?.facts() ?? MachineFacts()
        (device.platform, device.systemVersion) = (facts.platform, facts.systemVersion)
        (device.type, device.model) = (facts.type, facts.model)
        (device.language, device.minutesAheadOfUTC) = (facts.language, facts.minutesAheadOfUTC)
        (device.appID, device.appVersion) = (host.app?.id.text, host.app?.version)
        device.environment = host.facts.name
        var moment = PushMoment(device: device, time: host.clock.wall(), id: id)
        moment.token = standing.token
        moment.former = standing.registration.told.flatMap { $0.server == standing.server ? $0.token : nil }
        moment.user = host.find(.userPresence)?.user?.subject
        return moment
    }

    // MARK: Telling

    private func tell(_ standing: Standing, of registrar: PushRegistrar, after former: Standing?) {
        let news = PushNews(host)
        if let token = standing.token, token != former?.token { news.took(token, for: registrar) }
        guard let waiting = standing.waiting, waiting.fault.reason != former?.waiting?.fault.reason else { return }
        news.waits(waiting, registrar)
    }

    /// Says what is wrong with those that must be told, or that nothing is.
    func tellHealth(_ fault: Fault?) {
        var fault = fault
        for registrar in registrars where fault == nil && registrar.value.isRequired {
            let standing = standing(registrar.name)
            if let refusal = standing.registration.refusal {
                fault = Fault(
                    "\(registrar.name) does not know this device: \(refusal.reason)",
                    help: "'corewire push register \(registrar.name)' tries it again",
                    origin: origin(of: registrar)
                )
            } else if let waiting = standing.waiting, waiting.isTrouble {
                fault = Fault(
                    "\(registrar.name) does not know this device: \(waiting.fault.reason)",
                    help: waiting.fault.help,
                    origin: waiting.fault.origin ?? origin(of: registrar)
                )
            }
        }
        let told = fault
        let isNews = state.withLock { state in
            defer { state.trouble = told?.reason }
            return state.trouble != told?.reason
        }
        guard isNews else { return }
        host.report(told.map { .degraded($0) } ?? .well)
    }
}

extension Registrar {
    /// Where its server is; servers that are built in stand for those of the file.
    fileprivate func address(in host: ServiceHost) -> String {
        let embedded = host.facts.backend == .embedded ? host.find(.embeddedPushing) : nil
        switch self {
        case .unifiedPush(let account):
            return embedded?.unifiedPush(admitting: account.variantID.text, secret: account.variantSecret)
                ?? account.url.text
        case .altcraft(let account):
            return embedded?.altcraft(admitting: account.roleToken) ?? account.url.text
        case .healthCloud(let account):
            embedded?.healthCloud(at: account.path.text, header: account.apiKeyHeader.text, key: account.apiKey)
            return account.path.text
        case .rest(let account): return account.url.text
        case .halo: return ""
        }
    }
}
