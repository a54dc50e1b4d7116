import CorewireCatalogue
package import WireAddonContract
import WireBackendContract
import WireBase
import WireConfig
import WireCrypto
import WireDBus
import WireDevice
package import WireDeviceContract
import WireFormatting
import WireFormattingContract
import WireFraming
package import WireHost
import WireLocalAPI
import WireLocale
import WireMessageBus
package import WireMetricsContract
import WireNetworkContract
package import WireNotificationContract
import WirePAM
import WireProbes
package import WirePushContract
import WireRunnerContract
package import WireRuntime
import WireSecurityContract
import WireService
import WireSQLite
import WireStore
package import WireTelemetry
import WireTransfer
package import WireWorkContract

/// Assembles all parts needed to run a services file; the only place where edges and runtime meet.
package final class Assembly: Sendable {
    package let runner: Runner
    package let folders: HostFolders
    package let metrics: Metrics
    /// The task code of the embedding program; outlives generations.
    package let work: EmbedderTaskHandlers
    /// The notification handlers of the embedding program.
    package let handlers: EmbedderNotificationHandlers
    /// The device hooks.
    package let deviceHooks: DeviceHooks
    package let pushTokenCode: PushTokenCode
    /// The metrics publisher of the embedding program.
    package let publisher = EmbedderMetricsPublisher()
    /// The connection between services and add-ons.
    package let addonHooks: AddonHooks
    private let store: SQLiteStore
    private let group: GroupStore?
    let stores: Stores
    let clearings: Clearings
    private let traffic: ClientPool
    private let first: FirstCandidate
    private let history: GenerationHistory
    private let log: Log
    private let folder: String
    private let drainLimit: Duration
    private let lock: HeldLock
    private let listenerFactory: HostListenerFactory
    private let readers: [MetricReader]

    /// Reads the file, takes the lock, and opens the stores; nothing runs yet.
    package init(_ options: RunOptions, log: Log, environment: Environment = .consumed()) async throws(StartFailure) {
        let secrecy = OpenSSLSecrecy()
        let source = FileCandidateSource(
            path: options.file,
            // Add-ons of the program need the section 'addons', even an empty one.
            overrides: options.overrides + (options.addons.isEmpty ? [] : ["addons={}"]),
            services: options.services,
            secrecy: secrecy,
            clock: .host
        )
        let file = try Self.candidate(source, options.environment)
        listenerFactory = HostListenerFactory(try Self.inherited(environment))
        let rules = CandidateRules(options, sockets: listenerFactory.inherited.count)
        try rules.check(file)
        let folders = try Self.folders(of: file, environment)
        let run = try Self.newRun()
        lock = try HeldLock(folders, run)
        let store = try Self.store(for: file, folders, log: log)
        let group = try await GroupStore.open(
            for: file,
            beside: store,
            folder: folders.state.path,
            environment,
            log: log
        )
        let stores = group?.stores(beside: store) ?? Stores(store)
        let openStore = file.configuration.openStore
        let history = GenerationHistory(in: store, of: file.app?.id.text ?? "app")
        let clock = TimeSource.host
        let first = try await rules.first(file, chosen: options.environment, from: source, history, log: log)
        let metrics = Metrics()
        // Starts with a number that no earlier process has reached, so that subscribers detect missed events.
        let events = EventHub(
            keeping: 4_096,
            first: UInt64(max(1, clock.wall())) * 1_000,
            apart: (name: RequestEvents.ended.rawValue, keeping: 200),
            clock: clock
        )
        let front = GenerationDispatcher(clock: clock, log: log, metrics: metrics, services: Shipped.services)
        let control = DeferredControl(events)
        // Uses the same trust settings as 'doctor' and 'validate-config --online'.
        var connections = TransferOptions()
        let authorities = TrustedAuthorities { environment[$0] }
        connections.authorities = authorities.file
        if let warning = authorities.warning { log.warning("authorities", ["reason": .text(warning)]) }
        let links = HostLinks()
        connections.routes = links
        // The proxies used where the file has none.
        connections.proxies = Proxies { environment[$0] }
        let (traffic, named) = (
            ClientPool(connections, clock: clock), NamedHosts(folder: Self.folder(of: options.file))
        )
        let (work, handlers, deviceHooks) = (EmbedderTaskHandlers(), EmbedderNotificationHandlers(), DeviceHooks())
        let (pushTokenCode, addonHooks) = (PushTokenCode(), AddonHooks())
        let clearings = Clearings()
        let context = RunnerContext(
            stores: stores,
            clock: clock,
            log: log,
            events: events,
            metrics: metrics,
            folder: Self.folder(of: options.file),
            offering: [
                Ability.requestDispatcher.offered(by: front),
                Ability.runnerControl.offered(by: control),
                Ability.listenerFactory.offered(by: listenerFactory),
                Ability<[FileFormat]>.fileFormats.offered(by: Shipped.loader.formats),
                Ability.accounts.offered(by: HostAccounts()),
                Ability.networkLinks.offered(by: links),
                Ability.accountChecking.offered(by: PAMAccount(clock)),
                Ability.secrecy.offered(by: secrecy),
                Ability.signatures.offered(by: OpenSSLSignatures()),
                Ability.webSocketFraming.offered(by: WslayFraming()),
                Ability.slowHashing.offered(by: OpenSSLSlowHashing()),
                Ability.privateFiles.offered(by: HostPrivateFiles()),
                Ability.runtimeFolder.offered(
                    by: RuntimeFolder(
                        path: folders.runtime.path,
                        letOthersPass: { try folders.runtime.letOthersPass($0) }
                    )
                ),
                Ability.programRun.offered(by: run),
                Ability.openStore.offered(by: openStore),
                Ability.fileWriting.offered(by: HostFiles()),
                Ability.runningDigests.offered(by: secrecy),
                Ability.webPushCrypto.offered(by: secrecy),
                Ability.dataFolder.offered(by: Self.dataFolder(of: file, folders)),
                Ability.broughtWork.offered(by: work),
                Ability.deviceHooks.offered(by: deviceHooks),
                Ability.broughtPublisher.offered(by: publisher),
                Ability.embeddedSecurity.offered(by: EmbeddedSecurity()),
                Ability.pushTokenCode.offered(by: pushTokenCode),
                Ability.addonHooks.offered(by: addonHooks),
                Ability.broughtAddons.offered(by: EmbedderAddons(options.addons)),
                Ability.notificationPermission.offered(by: NotificationPermission()),
                Ability.embedderHandlers.offered(by: handlers),
                Ability.clearings.offered(by: clearings),
                Ability.terminalNotices.offered(by: options.terminal),
                Ability<any MessageBuses>.messageBuses.offered(by: HostBuses { environment[$0] }),
                Ability.machine.offered(by: SystemInfo()),
                Ability.machineProbes.offered(by: HostProbes(environment: environment.variables, digests: secrecy)),
                Ability.hostConditions.offered(by: SystemLoad()),
                Ability.programs.offered(
                    by: ProgramRunner(
                        environment,
                        folder: Self.folder(of: options.file),
                        hold: store.hold.descriptor,
                        reapsOrphans: options.reapsOrphans
                    )
                ),
            ],
            lending: { candidate in
                [
                    Ability.fileIntegrity.offered(
                        by: FileIntegrityReader { FileIntegrity(of: candidate(), state: folders.state.path) }
                    ),
                    Ability.httpClient.offered(by: traffic.client { named.rules(of: candidate()) }),
                    Ability.declaredAlias.offered(
                        by: DeclaredAlias { candidate().configuration[DeviceSection.self]?.alias }
                    ),
                    Ability.declaredFormats.offered(
                        by: DeclaredFormats(SystemFormats(), now: clock.wall) {
                            candidate().configuration[FormattingSection.self]?.choices ?? FormatChoices()
                        }
                    ),
                ]
            },
            group: { group?.status }
        )
        runner = Runner(
            source: source,
            checks: rules.checks,
            context: context,
            history: history,
            dispatcher: front,
            drainLimit: options.drainLimit
        )
        control.resolve(runner)
        self.folders = folders
        self.metrics = metrics
        (self.store, self.group, self.stores) = (store, group, stores)
        self.traffic = traffic
        drainLimit = options.drainLimit
        (self.work, self.handlers, self.deviceHooks) = (work, handlers, deviceHooks)
        (self.pushTokenCode, self.addonHooks) = (pushTokenCode, addonHooks)
        self.clearings = clearings
        self.log = log
        folder = Self.folder(of: options.file)
        (self.first, self.history) = (first, history)
        readers = RunnerMetrics.register(runner, in: metrics, clock: clock)
    }

    /// Starts the first generation; stops everything again on a failure.
    package func start() async throws(StartFailure) {
        if let next = first.next {
            do throws(StoreFailure) {
                if try await next != history.nextStart() { try await history.save(next) }
            } catch {
                log.error("cannot store the decisions for the next start", ["reason": .text(error.reason)])
            }
        }
        let report = await runner.start(first.candidate, orReturnTo: first.former, setAside: first.setAside)
        guard report.outcome != .applied else { return }
        let guarded = report.services.first { $0.name == SecuritySection.name }?.fault
        if let fault = runner.demiseSoFar ?? guarded { throw StartFailure(.guarded, fault) }
        throw StartFailure(
            .service,
            report.reason ?? "nothing runs",
            help: report.services.compactMap(\.fault).compactMap(\.help).first,
            origin: report.services.compactMap(\.fault).compactMap(\.origin).first
        )
    }

    /// Runs background work; returns after ``stop()``.
    package func run() async {
        await runner.run()
    }

    /// Drains, stops and closes everything.
    package func stop() async {
        // Services store what they have done before the drain ends.
        group?.finish(within: drainLimit * 9 / 10)
        await runner.stop()
        await traffic.stop()
        await group?.close()
        await store.close()
    }

    /// Whether the first environment has real servers, and so contains real secrets.
    package var holdsSecrets: Bool { first.candidate.facts.backend == .remote }

    // MARK: Health

    /// Whether the store completes a transaction in time; writes nothing.
    package func storeGetsSomewhere(within limit: Duration) async -> Bool {
        let store = store
        let answer = try? await Deadline(limit: limit, clock: .host).run {
            // Removes a value written by earlier versions.
            try await store.remove("pulse", in: "corewire/runner", if: .always)
        }
        return answer != nil
    }

    /// The Unix socket of the local API; nil where there is none with a path.
    package var apiSocket: String? {
        guard let settings = runner.configuration?[LocalAPISection.self] else { return nil }
        if let socket = listenerFactory.inheritedSocket {
            guard case .unix(let path) = socket.place else { return nil }
            return path
        }
        return switch settings.socket {
        case .auto: folders.runtime.file("api.sock")
        case .path(let path): Files.path(path, beside: "\(folder)/x")
        case .off: nil
        }
    }

    /// The loopback address as written in the file; nil where there is none.
    package var apiAddress: String? {
        runner.configuration?[LocalAPISection.self]?.listen?.description
    }

    // MARK: Parts

    static func candidate(_ source: FileCandidateSource, _ environment: String?) throws(StartFailure) -> Candidate {
        do throws(CandidateRejection) {
            return try source.candidate(environment: environment)
        } catch {
            throw StartFailure(error.isUnreadable ? .unreadable : .invalid, error.reason, diagnostics: error.text)
        }
    }

    /// The candidate of a command that runs no services.
    static func candidate(of options: RunOptions) throws(StartFailure) -> Candidate {
        let source = FileCandidateSource(
            path: options.file,
            overrides: options.overrides,
            services: options.services,
            secrecy: OpenSSLSecrecy(),
            clock: .host
        )
        return try candidate(source, options.environment)
    }

    static func folders(of candidate: Candidate, _ environment: Environment) throws(StartFailure) -> HostFolders {
        let app = candidate.app?.id.text ?? "app"
        do throws(HostError) {
            let folders = try HostFolders(environment, group: candidate.app?.group?.text ?? app, app: app)
            try folders.state.prepare()
            try folders.runtime.prepare()
            return folders
        } catch {
            throw StartFailure(.state, "\(error)")
        }
    }

    static func store(
        for candidate: Candidate,
        _ folders: HostFolders,
        log: Log? = nil
    ) throws(StartFailure) -> SQLiteStore {
        let hadKey = FileFacts.of(folders.state.file("store.key")) != nil
        do throws(StoreFailure) {
            let keys = try StoreKeys(candidate.configuration, folder: folders.state.path)
            let path = candidate.configuration.storeFolder(otherwise: folders.state.path)
            let store = try SQLiteStore.open(folder: path, sealer: KeySealer(keys.present, former: keys.former))
            // The default location of the key does not apply where the file names another folder.
            if store.isNew, hadKey, path == folders.state.path {
                log?.warning(
                    "the store is new, but its key existed: the earlier data is lost",
                    ["folder": .text(path)]
                )
            }
            return store
        } catch {
            throw StartFailure(.state, error.reason, help: error.help)
        }
    }

    /// The data folder of an app within the state folder of its group.
    static func dataFolder(of candidate: Candidate, _ folders: HostFolders) -> DataFolder {
        DataFolder(path: folders.state.file("data/\(candidate.app?.id.text ?? "app")"))
    }

    private static func newRun() throws(StartFailure) -> ProgramRun {
        ProgramRun(id: Hexadecimal.text(of: try StartFailure.rethrowing(try Randomness.bytes(8))))
    }

    private static func inherited(_ environment: Environment) throws(StartFailure) -> [ActivatedSocket] {
        try StartFailure.rethrowing(try ActivatedSocket.taken(from: environment))
    }

    static func folder(of file: String) -> String {
        file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }
}

/// Holds the lock of the app as long as it exists.
private final class HeldLock: Sendable {
    private let lock: RunnerLock

    init(_ folders: HostFolders, _ run: ProgramRun) throws(StartFailure) {
        do throws(HostError) {
            lock = try RunnerLock(at: folders.runtime.file("runner.lock"), run: run.id)
        } catch {
            throw StartFailure(
                error.code == .lockHeld ? .taken : .state,
                error.code == .lockHeld ? "already running: \(error.reason)" : "\(error)",
                help: error.code == .lockHeld ? "run 'corewire status'" : nil
            )
        }
    }
}

extension StartFailure: WrappingError {
    /// The machine lacks what every run needs.
    package init(_ error: HostError) { self.init(.host, "\(error)") }
}
