import Synchronization
import WireAuthContract
import WireBackendContract
package import WireBackends
import WireBase
import WireConfig
package import WireHTTP
import WireSecrets
package import WireService
import WireStore
import WireTelemetry

/// The service for `backends`: runs the embedded servers of an embedded environment.
///
/// The service accepts every environment and starts nothing in those that are not embedded. When its settings change,
/// sessions continue and unchanged addresses stay open.
package final class BackendsService: Service {
    package typealias Settings = BackendsSection

    /// The state that outlives a generation, and the environment it belongs to.
    private struct Kept {
        let scope: String
        let halo: HaloServer
        let inbox: Inbox
        let ntfy: NtfyTopics
        let autopush: AutopushMailboxes
        let mqtt: Broker
        let metrics: ReceivedMetrics
        let versions: AppVersionRegistry
        let models: ModelStore
        /// Fires when clients with open connections must be disconnected.
        let ending = OneShot()
    }

    private struct State {
        var issuer: Issuer?
        var push: EmbeddedPushServers?
        var kept: Kept?
        /// The MQTT brokers of other environments, whose connections can still be ending.
        var formerBrokers: [String: Broker] = [:]
        /// Whether the active environment is embedded.
        var isServing = false
    }

    private let state = Mutex(State())
    private let prepared: (settings: BackendsSection, host: ServiceHost)
    private let faultInjector: FaultInjector
    private let storedFaults: StoredFaults
    private let embeddedListeners: EmbeddedListeners
    private let mqttListener: MQTTListener
    private let base = BaseAddress()
    /// Raised once there are push servers.
    private let served = ChangeSignal()
    private let opened: AsyncStream<any Listener>
    private let announce: AsyncStream<any Listener>.Continuation

    package static var traits: ServiceTraits { .embeddedServers }

    private init(_ settings: BackendsSection, _ host: ServiceHost) throws {
        prepared = (settings, host)
        let (opened, announce) = AsyncStream.makeStream(of: (any Listener).self)
        (self.opened, self.announce) = (opened, announce)
        let faultInjector = FaultInjector(settings.faultInjector, host.clock)
        self.faultInjector = faultInjector
        storedFaults = StoredFaults(host.stores.device.values, app: host.app?.id.text ?? "app")
        guard let secrecy = host.find(.secrecy) else {
            throw MissingCapability("this program provides no secrets to its services")
        }
        let (looks, clock) = (try PageStyle(secrecy), host.clock)
        embeddedListeners = EmbeddedListeners(
            makingRouters: { EmbeddedRouter(looks, faultInjector, clock) },
            opened: { announce.yield($0) }
        )
        mqttListener = MQTTListener { announce.yield($0) }
    }

    package static func prepare(_ settings: BackendsSection, in host: ServiceHost) async throws -> BackendsService {
        let service = try BackendsService(settings, host)
        if host.facts.backend == .embedded {
            let issuer = try service.makeIssuer(settings, host)
            let push = try await EmbeddedPushServers(settings.push, issuer, host)
            service.state.withLock { ($0.issuer, $0.push, $0.isServing) = (issuer, push, true) }
        }
        return service
    }

    package static func effect(of new: BackendsSection, after old: BackendsSection) -> SettingsEffect { .rebound }

    package var abilities: [OfferedAbility] {
        let state = state.withLock { $0 }
        guard state.isServing, let issuer = state.issuer, let push = state.push else { return [] }
        return [
            ServiceAbility.embeddedIssuer.offered(by: issuer),
            ServiceAbility<any EmbeddedServers>.embeddedServers.offered(by: base),
            ServiceAbility<any EmbeddedPushing>.embeddedPushing.offered(by: push),
        ]
    }

    package static let operations = BackendRoutes.operations
    package var routes: [Route] {
        let host = prepared.host
        return BackendRoutes(
            present: { [self] in
                let state = state.withLock { $0 }
                guard state.isServing, let issuer = state.issuer, let push = state.push, let kept = state.kept,
                    let base = embeddedListeners.address()
                else { return nil }
                return BackendRoutes.Present(
                    issuer: issuer,
                    push: push,
                    metrics: kept.metrics,
                    versions: kept.versions,
                    base: base,
                    addresses: embeddedListeners.addresses
                        + [mqttListener.address.map { (MQTTServer.tcpName, $0) }].compactMap { $0 }
                )
            },
            faultInjector: faultInjector,
            storedFaults: storedFaults,
            host: host
        ).routes
    }

    // MARK: Lifecycle

    package func start() async throws {
        guard case (let issuer?, let push?) = state.withLock({ ($0.issuer, $0.push) }) else {
            prepared.host.report(.inert(BackendsSection.reasonToRest))
            return
        }
        try await open(issuer, push, prepared.settings, prepared.host)
    }

    package func run() async throws {
        let clock = prepared.host.clock
        await withDiscardingTaskGroup { group in
            group.addTask { await self.keepKeysYoung(clock) }
            group.addTask { await self.sendWhenDue(clock) }
            for await listener in opened { group.addTask { await listener.run() } }
            group.cancelAll()
        }
    }

    /// Sends scheduled pushes at their time, once a push server is there.
    private func sendWhenDue(_ clock: TimeSource) async {
        while !Task.isCancelled {
            let count = served.count
            if let push = state.withLock({ $0.push }) { return await push.run(clock) }
            await served.wait(after: count)
        }
    }

    private func keepKeysYoung(_ clock: TimeSource) async {
        while (try? await clock.sleep(.seconds(3_600))) != nil {
            guard let issuer = state.withLock({ $0.isServing ? $0.issuer : nil }) else { continue }
            do {
                try await issuer.rotateKeys(always: false)
            } catch {
                prepared.host.log.warning("the signing key was not rotated", ["reason": .text("\(error)")])
            }
        }
    }

    package func rebind(to settings: BackendsSection, in host: ServiceHost) async throws {
        guard host.facts.backend == .embedded else {
            // Services of the earlier generation use the servers until they have ended.
            state.withLock { $0.isServing = false }
            embeddedListeners.leave()
            mqttListener.leave()
            host.report(.inert(BackendsSection.reasonToRest))
            return
        }
        let issuer: Issuer
        if let known = state.withLock({ $0.issuer }) {
            issuer = known
            known.update(present(settings, host, keeping: known.present, known.machine))
        } else {
            issuer = try makeIssuer(settings, host)
            state.withLock { $0.issuer = issuer }
        }
        let push: EmbeddedPushServers
        if let known = state.withLock({ $0.push }) {
            push = known
            try await push.update(settings.push, in: host)
        } else {
            push = try await EmbeddedPushServers(settings.push, issuer, host)
            state.withLock { $0.push = push }
            served.signal()
        }
        faultInjector.update(settings.faultInjector)
        state.withLock { $0.isServing = true }
        try await open(issuer, push, settings, host)
        host.report(.well)
    }

    package func predecessorsDidStop() async {
        let left = state.withLock { state -> Kept? in
            guard !state.isServing, let kept = state.kept.take() else { return nil }
            state.formerBrokers[kept.scope] = kept.mqtt
            return kept
        }
        left?.ending.fire()
        if !state.withLock(\.isServing) { prepared.host.find(.embeddedSecurity)?.update(at: nil) }
        await embeddedListeners.closeLeft()
        await mqttListener.closeLeft()
    }

    package func stop() async {
        state.withLock { $0.kept }?.ending.fire()
        prepared.host.find(.embeddedSecurity)?.update(at: nil)
        embeddedListeners.leave()
        mqttListener.leave()
        await embeddedListeners.closeLeft()
        await mqttListener.closeLeft()
        announce.finish()
    }

    // MARK: Parts

    private func makeIssuer(_ settings: BackendsSection, _ host: ServiceHost) throws -> Issuer {
        guard let secrecy = host.find(.secrecy), let signatures = host.find(.signatures) else {
            throw MissingCapability("this program provides no signatures to its services")
        }
        let machine = SystemServices(secrecy: secrecy, signatures: signatures, clock: host.clock)
        let present = present(settings, host, keeping: nil, machine)
        return try Issuer(present, machine: machine, log: host.log)
    }

    private func present(
        _ settings: BackendsSection,
        _ host: ServiceHost,
        keeping old: Issuer.Present?,
        _ machine: SystemServices
    ) -> Issuer.Present {
        let records = IssuerRecords(
            host.stores.device.values,
            clock: host.clock,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        let isSame = old?.environment == host.environmentScope
        let listen = settings.issuer.listen ?? settings.listen
        return Issuer.Present(
            settings: IssuerSettings(settings.issuer),
            records: records,
            keys: old.flatMap { isSame ? $0.keys : nil } ?? CurrentKeyRing(machine),
            environment: host.environmentScope,
            address: old?.address ?? "http://\(listen.description)"
        )
    }

    /// Returns the state of this environment, with content as the files of its folder declare it.
    private func kept(
        _ issuer: Issuer,
        _ push: EmbeddedPushServers,
        _ settings: BackendsSection,
        _ host: ServiceHost
    ) async throws -> Kept {
        let seeds = try Self.seeds(settings, host, issuer.machine)
        let (scope, former) = (host.environmentScope, state.withLock { $0.kept })
        let known = former?.scope == scope ? former : nil
        if known == nil { await state.withLock { $0.formerBrokers.removeValue(forKey: scope) }?.close() }
        let kept = known ?? Self.kept(issuer, push, host)
        try await kept.halo.content.update(seeds)
        try await kept.versions.update(settings.security.versions)
        state.withLock { state in
            state.kept = kept
            if known == nil, let former { state.formerBrokers[former.scope] = former.mqtt }
        }
        if known == nil { former?.ending.fire() }
        return kept
    }

    private static func kept(_ issuer: Issuer, _ push: EmbeddedPushServers, _ host: ServiceHost) -> Kept {
        let records = SecurityRecords(
            host.stores.device.values,
            app: host.app?.id.text ?? "app",
            environment: host.environmentScope
        )
        return Kept(
            scope: host.environmentScope,
            halo: HaloServer(issuer, push, host),
            inbox: Inbox(host, issuer.machine),
            ntfy: NtfyTopics(host, issuer.machine),
            autopush: AutopushMailboxes(host, issuer.machine),
            mqtt: Broker(host, issuer.machine),
            metrics: ReceivedMetrics(records, host.clock),
            versions: AppVersionRegistry(records, issuer.machine, host.app),
            models: ModelStore(Self.graphQLRecords(host), issuer.machine)
        )
    }

    /// Reads the folder of content; throws at the first problem, which keeps the service from starting.
    private static func seeds(_ settings: BackendsSection, _ host: ServiceHost, _ machine: SystemServices) throws
        -> ContentSeeds
    {
        let content = settings.content
        guard let path = try folder(content.directory, content.$directory, "content", host) else { return .none }
        let formats = host.find(.fileFormats) ?? [.json]
        let (seeds, problems) = try ContentSeeds.read(path, formats) { try machine.digest($0) }
        guard let problem = problems.first else { return seeds }
        let place = problem.place.map { "\($0.file.name):\($0.start.line):\($0.start.column): " } ?? ""
        throw host.fault(
            "the content cannot be used: \(place)\(problem.message)",
            at: content.$directory,
            "backends.content.directory",
            help: "run 'corewire validate-config --local' to see all problems"
        )
    }

    private static func graphQLRecords(_ host: ServiceHost) -> BackendRecords<GraphQLTables> {
        BackendRecords(host.stores.device.values, app: host.app?.id.text ?? "app", environment: host.environmentScope)
    }

    /// Creates the GraphQL server with the objects of its data file; returns nil where the file names no schema.
    private func graphQL(_ issuer: Issuer, _ kept: Kept, _ settings: BackendsSection, _ host: ServiceHost)
        async throws -> GraphQLServer?
    {
        let graphQL = settings.graphql
        guard let schema = graphQL.schema else { return nil }
        let (seeds, problems) = try GraphQLSeeds.read(
            schema: Files.path(schema.path, below: host.folder),
            data: graphQL.data.map { Files.path($0.path, below: host.folder) },
            host.find(.fileFormats) ?? [.json]
        ) { try issuer.machine.digest($0) }
        guard let seeds else {
            let problem = problems.first
            let place = problem?.place.map { "\($0.file.name):\($0.start.line):\($0.start.column): " } ?? ""
            throw host.fault(
                "the GraphQL server cannot be used: \(place)\(problem?.message ?? "no schema")",
                at: graphQL.$schema,
                "backends.graphql.schema",
                help: "run 'corewire validate-config --local' to see all problems"
            )
        }
        try await kept.models.update(seeds.schema.models, seeds.objects)
        let part = GraphQLPart(
            seeds: seeds,
            store: kept.models,
            memory: AnswerMemory(records: Self.graphQLRecords(host), machine: issuer.machine),
            log: host.log
        )
        return GraphQLServer(
            part: part,
            issuer: issuer,
            framing: host.find(.webSocketFraming),
            ending: kept.ending,
            clock: host.clock,
            log: host.log
        )
    }

    /// Returns the path of a declared folder; throws unless it is a readable folder.
    private static func folder(_ folder: InputFolder?, _ place: Place, _ server: String, _ host: ServiceHost) throws
        -> String?
    {
        guard let folder else { return nil }
        let path = Files.path(folder.path, below: host.folder)
        if Files.isFolder(path), Files.isReadable(path) { return path }
        let flaw =
            !Files.exists(path) ? "does not exist" : Files.isFolder(path) ? "cannot be read" : "is not a folder"
        throw host.fault(
            "the folder \(folder.path.quoted) \(flaw)",
            at: place,
            "backends.\(server).directory",
            help: "create the folder, or set another one"
        )
    }

    /// Returns the embedded servers; a new server is a folder and an entry here.
    private func virtualHosts(
        _ issuer: Issuer,
        _ push: EmbeddedPushServers,
        _ kept: Kept,
        _ graphQL: GraphQLServer?,
        _ settings: BackendsSection,
        _ host: ServiceHost
    ) throws -> [VirtualHost] {
        let (halo, inbox) = (kept.halo, kept.inbox)
        let security = SecurityServer(
            metrics: kept.metrics,
            versions: kept.versions,
            clock: host.clock,
            log: host.log,
            changed: { host.emit(BackendVersionEvents.version, BackendVersionChange()) }
        )
        return [
            // First, since the file may declare its paths anywhere below the base URL.
            VirtualHost(push.registrars, "healthCloud"),
            VirtualHost(push, "push", at: settings.push.listen, settings.push.$listen),
            // Before HALO, which answers all other paths below '/api'.
            VirtualHost(security, "security", at: settings.security.listen, settings.security.$listen),
            VirtualHost(issuer, "issuer", at: settings.issuer.listen, settings.issuer.$listen),
            VirtualHost(halo, "content", at: settings.content.listen, settings.content.$listen),
            VirtualHost(InboxServer(inbox: inbox, log: host.log), "inbox"),
            VirtualHost(
                NtfyServer(topics: kept.ntfy, clock: host.clock, ending: kept.ending, log: host.log),
                "ntfy"
            ),
            VirtualHost(
                AutopushServer(
                    mailboxes: kept.autopush,
                    framing: host.find(.webSocketFraming),
                    clock: host.clock,
                    ending: kept.ending,
                    log: host.log
                ),
                "autopush"
            ),
            VirtualHost(mqtt(kept, host), "mqttSocket"),
            VirtualHost(EchoServer(secrecy: issuer.machine.secrecy), "echo"),
            VirtualHost(
                FileServer(
                    folder: try Self.folder(settings.files.directory, settings.files.$directory, "files", host)
                ),
                "files",
                at: settings.files.listen,
                settings.files.$listen
            ),
        ]
            + [graphQL].compactMap {
                $0.map { VirtualHost($0, "graphql", at: settings.graphql.listen, settings.graphql.$listen) }
            }
    }

    private func mqtt(_ kept: Kept, _ host: ServiceHost) -> MQTTServer {
        MQTTServer(
            broker: kept.mqtt,
            address: { [weak mqttListener] in mqttListener?.address },
            framing: host.find(.webSocketFraming),
            faultInjector: faultInjector,
            clock: host.clock,
            ending: kept.ending,
            log: host.log
        )
    }

    /// Starts the stored faults; if the store cannot be read, the servers run without them.
    private func beginStoredFaults(_ host: ServiceHost) async {
        do throws(StoreFailure) {
            for (number, order) in try await storedFaults.orders() {
                if let fault = faultInjector.fault(order, number: number) { faultInjector.begin(fault) }
            }
        } catch {
            host.log.warning("stored faults cannot be read and were not started", ["reason": .text(error.reason)])
        }
    }

    /// Opens the declared addresses that are not open yet, then closes those no longer declared.
    private func open(
        _ issuer: Issuer,
        _ push: EmbeddedPushServers,
        _ settings: BackendsSection,
        _ host: ServiceHost
    ) async throws {
        let before = embeddedListeners.address()
        if before == nil, faultInjector.faults.isEmpty { await beginStoredFaults(host) }
        let kept = try await kept(issuer, push, settings, host)
        let graphQL = try await graphQL(issuer, kept, settings, host)
        let virtualHosts = try virtualHosts(issuer, push, kept, graphQL, settings, host)
        try await embeddedListeners.settle(virtualHosts, at: settings.listen, settings.$listen, host)
        try await mqttListener.settle(mqtt(kept, host), at: settings.mqtt.listen, settings.mqtt.$listen, host)
        guard let address = embeddedListeners.address(), let url = try? WebURL(parsing: address) else {
            throw Fault("the embedded servers have no address")
        }
        base.become(url, host.places.origin(of: settings.$listen, "backends.listen"))
        var present = issuer.present
        present.address = embeddedListeners.address(of: "issuer") ?? address
        issuer.update(present)
        kept.autopush.update(at: url.origin)
        push.update(at: embeddedListeners.address(of: "push") ?? address, autopush: kept.autopush)
        host.find(.embeddedSecurity)?.update(at: embeddedListeners.address(of: "security") ?? address)
        host.emit(BackendEvents.listening, BackendAddress(address))
        guard before != address else { return }
        // The loopback address always works; the other addresses may include all interfaces of the host.
        let facts: KeyValuePairs<String, LogValue?> = [
            "address": .text(address), "host": .text(settings.listen.host),
            "users": .integer(issuer.present.settings.users.count),
        ]
        let isPrivate = ([settings.listen, settings.mqtt.listen] + virtualHosts.compactMap(\.listen)).allSatisfy(
            \.isLoopback
        )
        guard isPrivate else {
            let warning = "embedded servers listen on a network address; use them in trusted networks only"
            return host.log.warning(warning, facts)
        }
        host.log.info("embedded servers listen on this machine only", facts)
    }
}

extension BackendsSection {
    var faultInjector: FaultInjector.Settings {
        FaultInjector.Settings(latency: latency, failureRate: failureRate, seed: seed)
    }
}
