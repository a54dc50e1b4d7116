import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WirePushContract
import WireService
import WireTelemetry
import WireWorkContract

/// Brings what servers know of this device to what is wished: looks, asks for what is missing, and says why something waits.
///
/// Each server has one task that looks; whatever changes pokes them all. A source of tokens that hangs holds up those alone
/// that need it.
final class PushDesk: Sendable {
    private struct State {
        var standings: [String: Standing] = [:]
        var isOver = false
        /// Counts pokes; nothing is asked twice in one round.
        var round = 0
        /// The last round that is to ask everybody anew.
        var forced = 0
        var trouble: String?
        /// Those that were looked at, with whose registration it was.
        var started: Set<String> = []
        /// The last answers that did not come from the servers, by registrar.
        var strangeAnswers: [String: Fault] = [:]
        /// What is wrong with the JWTs of users, by registrar.
        var flaws: [String: String] = [:]
    }

    let settings: PushSection
    let host: PushHost
    let keeper: PushKeeper
    let tokens: TokenDesk
    let install: InstallIdentity
    private let state = Mutex(State())
    private let looked = Listeners<Void>()
    /// Wakes the task of each registrar.
    private let wakeups: [(name: String, wakeup: Wakeup)]

    init(_ settings: PushSection, _ host: PushHost) {
        (self.settings, self.host) = (settings, host)
        keeper = PushKeeper(host)
        tokens = TokenDesk(settings, host, keeper)
        install = InstallIdentity(host)
        wakeups = settings.registrars.items.map { ($0.name, Wakeup()) }
    }

    /// Those of the file, asked for each time: servers built in can move, and are nowhere before they have started.
    var registrars: [NamedRegistrar] { settings.registrars.items.map { registrar($0.name, $0.value) } }

    func registrar(_ name: String) -> NamedRegistrar? {
        settings.registrars.items.first { $0.name == name }.map { registrar($0.name, $0.value) }
    }

    private func registrar(_ name: String, _ value: Registrar) -> NamedRegistrar {
        NamedRegistrar(name, value.value, in: host)
    }

    func standing(_ name: String) -> Standing { state.withLock { $0.standings[name] } ?? Standing() }
    var isOver: Bool { state.withLock { $0.isOver } }

    func origin(of registrar: NamedRegistrar) -> ValueOrigin? {
        guard let item = settings.registrars.items.first(where: { $0.name == registrar.name }) else { return nil }
        return host.places.origin(of: item.place, registrar.path)
    }

    // MARK: Looking

    /// Looks again soon; forced, providers are asked for their tokens anew.
    func poke(forced: Bool = false) {
        state.withLock { state in
            state.round += 1
            if forced { state.forced = state.round }
        }
        for (_, wakeup) in wakeups { wakeup.wake() }
    }

    func finish() {
        state.withLock { $0.isOver = true }
        looked.finish()
        for (_, wakeup) in wakeups { wakeup.finish() }
    }

    /// Looks whenever it is poked, until cancelled.
    func run() async {
        poke()
        await withDiscardingTaskGroup { group in
            for (name, wakeup) in wakeups {
                group.addTask {
                    for await _ in wakeup {
                        guard !Task.isCancelled, !self.isOver, let registrar = self.registrar(name) else { return }
                        await self.look(at: registrar)
                    }
                }
            }
        }
    }

    private func look(at registrar: NamedRegistrar) async {
        let (number, forced) = state.withLock { ($0.round, $0.forced) }
        let round: TokenDesk.Round
        do throws(Fault) {
            round = TokenDesk.Round(try keeper.tokens(), number: number, forced: forced)
        } catch {
            return tellHealth(error)
        }
        let former = state.withLock { $0.standings[registrar.name] }
        let standing = await settle(registrar, round)
        remember(standing, of: registrar)
        tell(standing, of: registrar, after: former)
        tellHealth(nil)
        // What waits may go now.
        let isNews = former.map { standing.differs(from: $0) } ?? true
        if isNews { host.uses.outbox?.drain() }
    }

    private func settle(_ registrar: NamedRegistrar, _ round: TokenDesk.Round) async -> Standing {
        var standing = Standing()
        let owner: PushOwner
        do throws(Fault) {
            owner = try await self.owner(of: registrar)
        } catch {
            standing.waiting = .init(.signIn, error, isTrouble: error.origin != nil)
            return standing
        }
        let tag = owner.tag
        standing.tag = tag
        standing.epoch = round.kept.epoch(of: tag)
        if round.kept.isQuiet(tag) {
            let fault = Fault("everything of it was removed", help: "'corewire push register' begins anew")
            standing.waiting = .init(.removed, fault)
            return standing
        }
        do throws(Fault) {
            standing.registration = try keeper.registration(registrar.name, tag)
            if let fault = host.uses.presence?.missing(registrar.value.needs),
                !hold(&standing, of: registrar, because: fault)
            {
                return standing
            }
            let providers = registrar.value.tried(of: tokens.order(round.kept))
            do throws(Fault) {
                standing.token = try await tokens.choose(among: providers, in: round)
            } catch {
                let isTheApps = providers.contains { if case .word = settings.tokens[$0] { true } else { false } }
                standing.waiting = .init(.token, error, isTrouble: !isTheApps)
                // What is to be ended is known by the token it was begun with.
                guard standing.wish == .unregistered else { return standing }
            }
            let moment = await moment(for: registrar, standing, id: "")
            (standing.server, standing.facts) = (owner.wire.server, try digest(owner.wire.facts(moment)))
            try await endFormers(registrar, tag, standing)
            standing.registration = try keeper.registration(registrar.name, tag)
            return try await ask(registrar, tag, standing)
        } catch {
            standing.waiting = .init(.outbox, error, isTrouble: true)
            return standing
        }
    }

    // MARK: What was seen

    /// What is said to be under way is posted again by the first look: nothing changes where it is.
    func isFirstLook(_ registrar: NamedRegistrar, _ tag: String) -> Bool {
        state.withLock { $0.started.insert("\(registrar.name) \(tag)").inserted }
    }

    /// A request may be made from it before the look is over.
    func remember(_ standing: Standing, of registrar: NamedRegistrar) {
        state.withLock { $0.standings[registrar.name] = standing }
        looked.tell(())
    }

    /// Says each time that a server was looked at, and at first; ends with the service.
    func looks() -> AsyncStream<Void> { looked.listen(beginningWith: ()) }

    /// Keeps what answers instead of a server, until the server does.
    func note(strangeAnswer fault: Fault?, of registrar: NamedRegistrar) {
        state.withLock { $0.strangeAnswers[registrar.name] = fault }
    }

    /// Tells once what is wrong with the JWT of a user; nil where nothing is.
    func note(flaw: PushHappening.TokenFlaw?, of registrar: NamedRegistrar, because reason: String) {
        let former = state.withLock { state in
            defer { state.flaws[registrar.name] = flaw == nil ? nil : reason }
            return state.flaws[registrar.name]
        }
        if let flaw, former != reason { PushNews(host).unauthorized(flaw, registrar, because: reason) }
    }

    func strangeAnswer(of registrar: NamedRegistrar) -> Fault? {
        state.withLock { $0.strangeAnswers[registrar.name] }
    }

    /// Whether that is another trouble than before.
    func isNews(_ trouble: String?) -> Bool {
        state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
    }
}
