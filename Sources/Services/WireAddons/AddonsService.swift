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
    let roster: AddonRegistry
    private let settings: Mutex<AddonsSection>
    /// Programs whose life is to be managed from now on.
    private let arrivals: AsyncStream<ProcessAddon>
    private let arriving: AsyncStream<ProcessAddon>.Continuation
    private let reader: MetricReader

    private init(_ settings: AddonsSection, _ host: ServiceHost, _ programs: any Programs) {
        self.programs = programs
        self.settings = Mutex(settings)
        let roster = AddonRegistry(host)
        self.roster = roster
        state = Mutex(State(host: host))
        (arrivals, arriving) = AsyncStream.makeStream(of: ProcessAddon.self)
        let late = DeferredService()
        codes = (host.find(.broughtAddons)?.all ?? []).map { code in InProcessAddon(code, host) { late.changed() } }
        reader = host.metrics.gauge(
            "corewire_addon_ready",
            "Whether an add-on is ready (1 or 0).",
            by: ["addon"]
        ) { [weak roster] in
            (roster?.seats ?? []).map { seat in
                MetricReading(seat.standing.state == .ready ? 1 : 0, labels: [seat.name])
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
            throw MissingCapability("no programs can be run in this program")
        }
        let brought = (host.find(.broughtAddons)?.all ?? []).map(\.name)
        if let item = settings.items.items.first(where: { brought.contains($0.name) }) {
            throw host.fault(
                "the program has an add-on \(item.name.quoted) too",
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
        let seats = settings.withLock { $0 }.items.items.map { seat($0, host) }
        state.withLock { $0.programs = seats }
        roster.become(codes as [any AddonConnection] + seats)
        try await setUp(seats, codes)
        roster.tell(.starting)
        report()
    }

    package func run() async throws {
        state.withLock { $0.isRunning = true }
        await withDiscardingTaskGroup { group in
            for code in codes { group.addTask { await code.live() } }
            for seat in state.withLock({ $0.programs }) { group.addTask { await seat.live() } }
            group.addTask { await untilCancelled() }
            for await seat in arrivals { group.addTask { await seat.live() } }
        }
    }

    package func rebind(to settings: AddonsSection, in host: ServiceHost) async throws {
        let (former, unwanted) = state.withLock { state in
            defer { (state.host, state.next) = (host, nil) }
            return (state.programs, state.next ?? [])
        }
        let seats = settings.items.items.map { item in
            let wanted = AddonSettings(item.name, item.value)
            return former.first { $0.settings == wanted && $0.host.hasSameApp(as: host) } ?? seat(item, host)
        }
        self.settings.withLock { $0 = settings }
        // An earlier change was not completed.
        await stop(unwanted.filter { seat in !former.contains { $0 === seat } })
        state.withLock { $0.next = seats }
        // The running add-ons continue until the change is complete: no decision is made without them.
        try await setUp(seats.filter { seat in !former.contains { $0 === seat } }, [])
    }

    package func settle() async {
        let (former, seats, isRunning) = state.withLock { state in
            defer {
                state.programs = state.next ?? state.programs
                state.next = nil
            }
            return (state.programs, state.next ?? state.programs, state.isRunning)
        }
        roster.become(codes as [any AddonConnection] + seats)
        if isRunning {
            for seat in seats where !former.contains(where: { $0 === seat }) { arriving.yield(seat) }
        }
        await stop(former.filter { seat in !seats.contains { $0 === seat } })
        report()
    }

    package func stop() async {
        let seats = state.withLock { state in
            defer { state.next = nil }
            let next = state.next ?? []
            return state.programs + next.filter { seat in !state.programs.contains { $0 === seat } }
        }
        arriving.finish()
        await withDiscardingTaskGroup { group in
            group.addTask { await self.stop(seats) }
            for code in codes { group.addTask { await code.stop() } }
        }
        for code in codes { code.notebook.close() }
        roster.end()
    }

    private func stop(_ seats: [ProcessAddon]) async {
        await withDiscardingTaskGroup { group in for seat in seats { group.addTask { await seat.stop() } } }
        for seat in seats { seat.notebook.close() }
    }

    private func seat(_ item: Named<Addon>.Item, _ host: ServiceHost) -> ProcessAddon {
        ProcessAddon(item, host, programs) { [weak roster] in
            roster?.environment
        } changed: { [weak self] in
            self?.changed()
        }
    }

    /// The maximum wait for add-ons that are not required.
    private static let courtesy = Duration.seconds(1)

    private func setUp(_ seats: [ProcessAddon], _ codes: [InProcessAddon]) async throws {
        for seat in seats { seat.launch() }
        let fault = await withTaskGroup(of: (isRequired: Bool, fault: Fault?).self) { group in
            for seat in seats {
                let limit = seat.settings.isRequired ? seat.settings.startTimeout : Self.courtesy
                group.addTask { (seat.settings.isRequired, await seat.settle(within: limit)) }
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

    // MARK: How it is

    fileprivate func changed() {
        roster.refresh()
        report()
    }

    private func report() {
        let seats = state.withLock { $0.programs }
        let fault = codes.firstFound(\.fault) ?? seats.firstFound(\.fault)
        let host = state.withLock { state -> ServiceHost? in
            // A problem is reported once.
            guard state.said != fault?.reason else { return nil }
            state.said = fault?.reason
            return state.host
        }
        host?.report(fault.map(ServiceReport.degraded) ?? .well)
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
