import Synchronization
import WireBase
import WireConfig
import WireDeviceContract
import WirePushContract
import WireService
import WireTelemetry
import WireWorkContract

/// Keeps the registrations at servers up to date: checks them, queues requests, and reports why one waits.
///
/// Each server has a task of its own that checks; a change wakes all of them. A token source that hangs delays only
/// the servers that need it.
final class RegistrationReconciler: Sendable {
    private struct State {
        var registrarStatuses: [String: RegistrarStatus] = [:]
        var isOver = false
        /// Counts wakes; each token source is asked at most once a round.
        var round = 0
        /// The last round that asks all providers again.
        var forced = 0
        var trouble: String?
        /// The registrars and tags that have been checked.
        var started: Set<String> = []
        /// The last responses that did not come from the servers, by registrar.
        var strangeAnswers: [String: Fault] = [:]
        /// The flaws of users' JWTs, by registrar.
        var flaws: [String: String] = [:]
    }

    let settings: PushSection
    let host: PushHost
    let repository: PushRepository
    let tokens: PushTokenSources
    let webPush: WebPushChannels
    let install: InstallIdentity
    private let state = Mutex(State())
    private let looked = Subscribers<Void>()
    /// The wakeup of each registrar's task.
    private let wakeups: [(name: String, wakeup: Wakeup)]

    init(_ settings: PushSection, _ host: PushHost) {
        (self.settings, self.host) = (settings, host)
        repository = PushRepository(host)
        webPush = WebPushChannels(settings, host, repository)
        tokens = PushTokenSources(settings, host, repository, webPush)
        install = InstallIdentity(host)
        wakeups = settings.registrars.items.map { ($0.name, Wakeup()) }
    }

    /// The registrars of the file, looked up at each use: embedded servers get their address when they start.
    var registrars: [NamedRegistrar] { settings.registrars.items.map { registrar($0.name, $0.value) } }

    func registrar(_ name: String) -> NamedRegistrar? {
        settings.registrars.items.first { $0.name == name }.map { registrar($0.name, $0.value) }
    }

    private func registrar(_ name: String, _ value: Registrar) -> NamedRegistrar {
        NamedRegistrar(name, value.value, in: host)
    }

    func registrarStatus(_ name: String) -> RegistrarStatus {
        state.withLock { $0.registrarStatuses[name] } ?? RegistrarStatus()
    }
    var isOver: Bool { state.withLock { $0.isOver } }

    func origin(of registrar: NamedRegistrar) -> ValueOrigin? {
        guard let item = settings.registrars.items.first(where: { $0.name == registrar.name }) else { return nil }
        return host.places.origin(of: item.place, registrar.path)
    }

    // MARK: Looking

    /// Wakes all tasks; with `forced`, providers are asked for their tokens again.
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

    /// Checks registrations whenever it is woken, until cancelled.
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
        let round: PushTokenSources.Round
        do throws(Fault) {
            round = PushTokenSources.Round(try await repository.tokens(), number: number, forced: forced)
        } catch {
            return tellHealth(error)
        }
        let former = state.withLock { $0.registrarStatuses[registrar.name] }
        let registrarStatus = await settle(registrar, round)
        remember(registrarStatus, of: registrar)
        report(registrarStatus, of: registrar, after: former)
        tellHealth(nil)
        // Waiting requests may be possible now.
        let isChange = former.map { registrarStatus.differs(from: $0) } ?? true
        if isChange { host.uses.outbox?.drain() }
    }

    private func settle(_ registrar: NamedRegistrar, _ round: PushTokenSources.Round) async -> RegistrarStatus {
        var registrarStatus = RegistrarStatus()
        let owner: PushOwner
        do throws(Fault) {
            owner = try await self.owner(of: registrar)
        } catch {
            registrarStatus.waiting = .init(.signIn, error, isTrouble: error.origin != nil)
            await endChannelsOfOthers()
            return registrarStatus
        }
        let tag = owner.tag
        registrarStatus.tag = tag
        registrarStatus.epoch = round.kept.epoch(of: tag)
        if round.kept.isQuiet(tag) {
            let fault = Fault("all push data was removed", help: "run 'corewire push register' to register again")
            registrarStatus.waiting = .init(.removed, fault)
            return registrarStatus
        }
        do throws(Fault) {
            registrarStatus.registration = try await repository.registration(registrar.name, tag)
            if let fault = host.uses.presence?.missing(registrar.value.needs),
                !hold(&registrarStatus, of: registrar, because: fault)
            {
                try await releaseChannels(of: registrar, tag, registrarStatus, isWanted: false)
                return registrarStatus
            }
            do throws(RegistrarStatus.Waiting) {
                registrarStatus.token = try await token(for: registrar, owner, registrarStatus, round)
            } catch {
                registrarStatus.waiting = error
                // The end of a registration uses the token it began with.
                guard registrarStatus.goal == .unregistered else { return registrarStatus }
            }
            let moment = try await moment(for: registrar, registrarStatus, id: "")
            (registrarStatus.server, registrarStatus.facts) = (owner.wire.server, try digest(owner.wire.facts(moment)))
            try await endFormers(registrar, tag, registrarStatus)
            registrarStatus.registration = try await repository.registration(registrar.name, tag)
            let isWanted = registrarStatus.goal != .unregistered
            try await releaseChannels(of: registrar, tag, registrarStatus, isWanted: isWanted)
            return try await ask(registrar, tag, registrarStatus)
        } catch {
            registrarStatus.waiting = .init(.outbox, error, isTrouble: true)
            return registrarStatus
        }
    }

    // MARK: What was seen

    /// The first check posts a queued request again, which changes nothing where it is still queued.
    func isFirstLook(_ registrar: NamedRegistrar, _ tag: String) -> Bool {
        state.withLock { $0.started.insert("\(registrar.name) \(tag)").inserted }
    }

    /// A request may be built from it before the check is over.
    func remember(_ registrarStatus: RegistrarStatus, of registrar: NamedRegistrar) {
        state.withLock { $0.registrarStatuses[registrar.name] = registrarStatus }
        looked.notify(())
    }

    /// Yields at first and after each check of a server; ends with the service.
    func looks() -> AsyncStream<Void> { looked.listen(beginningWith: ()) }

    /// Stores a response that came from something else than the server, until the server responds.
    func record(strangeAnswer fault: Fault?, of registrar: NamedRegistrar) {
        state.withLock { $0.strangeAnswers[registrar.name] = fault }
    }

    /// Reports once what is wrong with the JWT of a user; nil where it is valid.
    func record(flaw: PushServerEvent.TokenFlaw?, of registrar: NamedRegistrar, because reason: String) {
        let former = state.withLock { state in
            defer { state.flaws[registrar.name] = flaw == nil ? nil : reason }
            return state.flaws[registrar.name]
        }
        if let flaw, former != reason { PushTelemetry(host).unauthorized(flaw, registrar, because: reason) }
    }

    func strangeAnswer(of registrar: NamedRegistrar) -> Fault? {
        state.withLock { $0.strangeAnswers[registrar.name] }
    }

    /// Whether this problem differs from the last one.
    func isChange(_ trouble: String?) -> Bool {
        state.withLock { state in
            defer { state.trouble = trouble }
            return state.trouble != trouble
        }
    }
}
