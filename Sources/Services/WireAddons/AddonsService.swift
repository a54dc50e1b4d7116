import Synchronization
import WireAddonContract
import WireBase
import WireConfig
package import WireHTTP
package import WireService
import WireTelemetry

/// Runs the add-ons: programs of the file and code of the embedding program, in HALO's order.
///
/// It starts before all services with hooks, and continues through environment switches, of which add-ons are
/// informed.
package final class AddonsService: Service {
    package typealias Settings = AddonsSection

    private struct State {
        var host: ServiceHost
        /// Whether the service has been stopped: its add-ons end, and their states are not reported any more.
        var isStopped = false
        /// In the order of the file.
        var programs: [ProcessAddon] = []
        /// The programs of a change in progress; nil for none.
        var next: [ProcessAddon]?
        /// The last reported problem; nil for none.
        var said: String?
        var isRunning = false
    }

    private let state: Mutex<State>
    private let programs: any Programs
    private let codes: [InProcessAddon]
    let registry: AddonRegistry
    private let settings: Mutex<AddonsSection>
    /// Programs whose life is to be managed from now on.
    private let arrivals: AsyncStream<ProcessAddon>
    private let arriving: AsyncStream<ProcessAddon>.Continuation
    private let reader: MetricReader

    private init(_ settings: AddonsSection, _ host: ServiceHost, _ programs: any Programs) {
        self.programs = programs
        self.settings = Mutex(settings)
        let registry = AddonRegistry(host)
        self.registry = registry
        state = Mutex(State(host: host))
        (arrivals, arriving) = AsyncStream.makeStream(of: ProcessAddon.self)
        let late = DeferredService()
        codes = (host.find(.broughtAddons)?.all ?? []).map { code in InProcessAddon(code, host) { late.changed() } }
        reader = host.metrics.gauge(
            "corewire_addon_ready",
            "Whether an add-on is ready (1 or 0).",
            by: ["addon"]
        ) { [weak registry] in
            (registry?.connections ?? []).map { connection in
                MetricReading(connection.currentReport.state == .ready ? 1 : 0, labels: [connection.name])
            }
        }
        late.become(self)
    }

    package static var traits: ServiceTraits {
        var traits = ServiceTraits()
        (traits.spansEnvironments, traits.goesFirst) = (true, true)
        // Each add-on has a timeout of its own; this is the longest in the file, and some more.
        traits.startDeadline = .seconds(320)
        return traits
    }

    package static func prepare(_ settings: AddonsSection, in host: ServiceHost) async throws -> AddonsService {
        guard let programs = host.find(.programs) else {
            throw MissingCapability("this program cannot run other programs")
        }
        let brought = (host.find(.broughtAddons)?.all ?? []).map(\.name)
        if let item = settings.items.items.first(where: { brought.contains($0.name) }) {
            throw host.fault(
                "the program also has an add-on \(item.name.quoted)",
                at: item.namePlace,
                "addons.\(item.name)",
                help: "rename one of them"
            )
        }
        return AddonsService(settings, host, programs)
    }

    /// Unchanged add-ons continue to run.
    package static func effect(of new: AddonsSection, after old: AddonsSection) -> SettingsEffect { .rebound }

    package static let operations = AddonRoutes.operations
    package var routes: [Route] { AddonRoutes(self).routes }

    var host: ServiceHost { state.withLock { $0.host } }

    // MARK: Life

    /// Sets up all add-ons at once, then those of the program, and informs them of the start.
    package func start() async throws {
        let host = host
        let connections = settings.withLock { $0 }.items.items.map { connection($0, host) }
        state.withLock { $0.programs = connections }
        registry.update(codes as [any AddonConnection] + connections)
        try await setUp(connections, codes)
        registry.notify(.starting)
        report()
    }

    package func run() async throws {
        state.withLock { $0.isRunning = true }
        await withDiscardingTaskGroup { group in
            for code in codes { group.addTask { await code.live() } }
            for connection in state.withLock({ $0.programs }) { group.addTask { await connection.live() } }
            group.addTask { await untilCancelled() }
            for await connection in arrivals { group.addTask { await connection.live() } }
        }
    }

    package func rebind(to settings: AddonsSection, in host: ServiceHost) async throws {
        let (former, unwanted) = state.withLock { state in
            defer { (state.host, state.next) = (host, nil) }
            return (state.programs, state.next ?? [])
        }
        let connections = settings.items.items.map { item in
            let wanted = AddonSettings(item.name, item.value)
            return former.first { $0.settings == wanted && $0.host.hasSameApp(as: host) } ?? connection(item, host)
        }
        self.settings.withLock { $0 = settings }
        // An earlier change was not completed.
        await stop(unwanted.filter { connection in !former.contains { $0 === connection } })
        state.withLock { $0.next = connections }
        // The running add-ons continue until the change is complete: no decision is made without them.
        try await setUp(connections.filter { connection in !former.contains { $0 === connection } }, [])
    }

    package func didActivate() async {
        let (former, connections, isRunning) = state.withLock { state in
            defer {
                state.programs = state.next ?? state.programs
                state.next = nil
            }
            return (state.programs, state.next ?? state.programs, state.isRunning)
        }
        registry.update(codes as [any AddonConnection] + connections)
        if isRunning {
            for connection in connections where !former.contains(where: { $0 === connection }) {
                arriving.yield(connection)
            }
        }
        await stop(former.filter { connection in !connections.contains { $0 === connection } })
        report()
    }

    package func stop() async {
        let connections = state.withLock { state in
            defer { (state.next, state.isStopped) = (nil, true) }
            let next = state.next ?? []
            return state.programs + next.filter { connection in !state.programs.contains { $0 === connection } }
        }
        arriving.finish()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.stop(connections) }
            for code in codes { group.addTask { await code.stop() } }
        }
        for code in codes { code.addonLog.close() }
        registry.end()
    }

    private func stop(_ connections: [ProcessAddon]) async {
        await withDiscardingTaskGroup { group in
            for connection in connections { group.addTask { await connection.stop() } }
        }
        for connection in connections { connection.addonLog.close() }
    }

    private func connection(_ item: Named<Addon>.Item, _ host: ServiceHost) -> ProcessAddon {
        ProcessAddon(item, host, programs) { [weak registry] in
            registry?.environment
        } changed: { [weak self] in
            self?.changed()
        }
    }

    /// The maximum wait for add-ons that are not required.
    private static let courtesy = Duration.seconds(1)

    private func setUp(_ connections: [ProcessAddon], _ codes: [InProcessAddon]) async throws {
        for connection in connections { connection.launch() }
        let fault = await withTaskGroup(of: (isRequired: Bool, fault: Fault?).self) { group in
            for connection in connections {
                let limit = connection.settings.isRequired ? connection.settings.startTimeout : Self.courtesy
                group.addTask { (connection.settings.isRequired, await connection.settle(within: limit)) }
            }
            for code in codes {
                group.addTask {
                    do {
                        try await code.setUp()
                        return (code.isRequired, nil)
                    } catch {
                        return (code.isRequired, code.fail(error))
                    }
                }
            }
            var first: Fault?
            for await end in group where end.isRequired { first = first ?? end.fault }
            return first
        }
        if let fault { throw fault }
        for code in codes where code.fault == nil {
            do {
                try await code.startUp()
            } catch {
                let fault = code.fail(error)
                if code.isRequired { throw fault }
            }
        }
    }

    // MARK: State

    fileprivate func changed() {
        registry.refresh()
        report()
    }

    private func report() {
        state.withLock(\.host).report {
            let connections = state.withLock { $0.programs }
            let fault = codes.firstFound(\.fault) ?? connections.firstFound(\.fault)
            return state.withLock { state in
                // A problem is reported once.
                guard !state.isStopped, state.said != fault?.reason else { return nil }
                state.said = fault?.reason
                return fault.map(ServiceReport.degraded) ?? .well
            }
        }
    }
}

extension ServiceHost {
    fileprivate func hasSameApp(as other: ServiceHost) -> Bool {
        app?.id == other.app?.id && app?.version == other.app?.version && app?.displayName == other.app?.displayName
    }
}

/// Leads from parts made before the service to the service.
private final class DeferredService: Sendable {
    private struct Held { weak var service: AddonsService? }
    private let held = Mutex(Held())

    func become(_ service: AddonsService) { held.withLock { $0.service = service } }
    func changed() { held.withLock { $0.service }?.changed() }
}
