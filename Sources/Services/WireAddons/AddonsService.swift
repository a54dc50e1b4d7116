import Synchronization
import WireAddonContract
import WireBase
import WireConfig
package import WireHTTP
package import WireService
import WireTelemetry

/// Runs the add-ons: the programs of the file and the code of the program around the runner, in HALO's order.
///
/// It starts before whatever takes part does, and goes on while environments change: add-ons hear of that.
package final class AddonsService: Service {
    package typealias Settings = AddonsSection

    private struct State {
        var host: ServiceHost
        /// In the order of the file.
        var programs: [ProgramSeat] = []
        /// Those that take over when a change has come about; nil where none is under way.
        var next: [ProgramSeat]?
        /// What was said of how it is; nil for well.
        var said: String?
        var isRunning = false
    }

    private let state: Mutex<State>
    private let programs: any Programs
    private let codes: [CodeSeat]
    let roster: AddonRoster
    private let settings: Mutex<AddonsSection>
    /// Programs that are to be lived with from now on.
    private let arrivals: AsyncStream<ProgramSeat>
    private let arriving: AsyncStream<ProgramSeat>.Continuation
    private let reader: MetricReader

    private init(_ settings: AddonsSection, _ host: ServiceHost, _ programs: any Programs) {
        self.programs = programs
        self.settings = Mutex(settings)
        let roster = AddonRoster(host)
        self.roster = roster
        state = Mutex(State(host: host))
        (arrivals, arriving) = AsyncStream.makeStream(of: ProgramSeat.self)
        let late = LateService()
        codes = (host.find(.broughtAddons)?.all ?? []).map { code in CodeSeat(code, host) { late.changed() } }
        reader = host.metrics.gauge(
            "corewire_addon_ready",
            "Whether an add-on takes part.",
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
        // Each add-on has its own; the longest that the file allows, and some more.
        traits.startDeadline = .seconds(320)
        return traits
    }

    package static func prepare(_ settings: AddonsSection, in host: ServiceHost) async throws -> AddonsService {
        guard let programs = host.find(.programs) else {
            throw MissingCapability("this program starts no other programs")
        }
        let brought = (host.find(.broughtAddons)?.all ?? []).map(\.name)
        if let item = settings.items.items.first(where: { brought.contains($0.name) }) {
            throw host.fault(
                "the program has an add-on \(item.name.quoted) of its own",
                at: item.namePlace,
                "addons.\(item.name)",
                help: "give one of them another name"
            )
        }
        return AddonsService(settings, host, programs)
    }

    /// Those that stay the same go on.
    package static func effect(of new: AddonsSection, after old: AddonsSection) -> SettingsEffect { .rebound }

    package static let operations = AddonRoutes.operations
    package var routes: [Route] { AddonRoutes(self).routes }

    var host: ServiceHost { state.withLock { $0.host } }

    // MARK: Life

    /// Sets all up at once; then those of the program start up, and everybody is told that the runner starts.
    package func start() async throws {
        let host = host
        let seats = settings.withLock { $0 }.items.items.map { seat($0, host) }
        state.withLock { $0.programs = seats }
        roster.become(codes as [any AddonSeat] + seats)
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
        // A change before this one has come to nothing.
        await stop(unwanted.filter { seat in !former.contains { $0 === seat } })
        state.withLock { $0.next = seats }
        // Those that run go on until the change has come about: nothing is decided without them.
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
        roster.become(codes as [any AddonSeat] + seats)
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

    private func stop(_ seats: [ProgramSeat]) async {
        await withDiscardingTaskGroup { group in for seat in seats { group.addTask { await seat.stop() } } }
        for seat in seats { seat.notebook.close() }
    }

    private func seat(_ item: Named<Addon>.Item, _ host: ServiceHost) -> ProgramSeat {
        ProgramSeat(item, host, programs) { [weak roster] in
            roster?.environment
        } changed: { [weak self] in
            self?.changed()
        }
    }

    /// How long is waited for those that are not required.
    private static let courtesy = Duration.seconds(1)

    private func setUp(_ seats: [ProgramSeat], _ codes: [CodeSeat]) async throws {
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
            // Said once, however often it is looked at.
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

/// Leads from what is made before the service to the service.
private final class LateService: Sendable {
    private struct Held { weak var service: AddonsService? }
    private let held = Mutex(Held())

    func become(_ service: AddonsService) { held.withLock { $0.service = service } }
    func changed() { held.withLock { $0.service }?.changed() }
}
