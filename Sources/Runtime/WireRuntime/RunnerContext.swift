package import WireBase
import WireConfig
import WireHTTP
package import WireRunnerContract
package import WireService
package import WireTelemetry

/// The resources shared by all generations: store, clocks, log, and the runner's facilities for services.
package struct RunnerContext: Sendable {
    package let stores: Stores
    package let clock: TimeSource
    package let log: Log
    package let events: EventHub
    package let metrics: Metrics
    /// The folder of the services file.
    package let folder: String
    package let offered: [OfferedAbility]
    /// Facilities that depend on the current candidate of a service, requested on each use.
    package let lending: @Sendable (_ candidate: @escaping @Sendable () -> Candidate) -> [OfferedAbility]
    /// The runners that share a database with this one, as they are known now; nil where there is none.
    package let group: @Sendable () -> GroupStatus?

    package init(
        stores: Stores,
        clock: TimeSource,
        log: Log,
        events: EventHub,
        metrics: Metrics,
        folder: String,
        offering abilities: [OfferedAbility],
        lending: @escaping @Sendable (_ candidate: @escaping @Sendable () -> Candidate) -> [OfferedAbility] = { _ in []
        },
        group: @escaping @Sendable () -> GroupStatus? = { nil }
    ) {
        self.group = group
        self.lending = lending
        self.stores = stores
        self.clock = clock
        self.log = log
        self.events = events
        self.metrics = metrics
        self.folder = folder
        offered = abilities
    }

    func host<Uses>(
        for instance: ServiceInstance,
        candidate: Candidate,
        offered: [OfferedAbility],
        user: SignedInUser? = nil
    ) -> UsingHost<Uses> {
        let (clock, log, events) = (clock, log.of(instance.name), events)
        var offered = Abilities(self.offered + offered + lending { instance.candidate })
        let sources: any TokenSources = HostTokenSources(
            folder: folder,
            clock: clock,
            tokens: offered[.accessTokens],
            programs: offered[.programs]
        )
        offered.add([Ability.tokenSources.offered(by: sources)])
        return UsingHost(
            service: instance.name,
            generation: instance.generation,
            facts: candidate.facts,
            configuration: candidate.configuration,
            url: candidate.url,
            app: candidate.app,
            log: log,
            events: events,
            metrics: metrics,
            stores: stores,
            clock: clock,
            places: Places(candidate.document),
            folder: folder,
            offered: offered,
            user: user,
            registrations: instance.registrations,
            order: instance.reports
        ) { report in
            let state: ServiceState =
                switch report {
                case .well: .ready
                case .degraded(let fault): .degraded(fault)
                case .failed(let fault): .failed(fault)
                case .inert(let reason): .inert(reason)
                case .waiting(let reason): .waiting(reason)
                }
            guard instance.transition(state, at: clock.wall()) else { return }
            state.tell(of: instance, log, events)
        }
    }

    /// Logs the state of a service and emits it as an event.
    func publish(_ state: ServiceState, of instance: ServiceInstance) {
        state.tell(of: instance, log.of(instance.name), events)
    }
}

extension ServiceState {
    fileprivate func tell(of instance: ServiceInstance, _ log: Log, _ events: EventHub) {
        guard instance.logs(self) else { return }
        let place = fault?.origin.map { LogValue.text("\($0.path) (\($0.place))") }
        switch self {
        case .failed: log.error("failed", ["reason": reason.map(LogValue.text), "config": place])
        case .waiting: log.info(name, ["reason": reason.map(LogValue.text)])
        case .degraded, .inert: log.warning(name, ["reason": reason.map(LogValue.text), "config": place])
        default: log.info(name)
        }
        events.emit(ServiceEvents(self), instance.status, generation: instance.generation)
    }
}
