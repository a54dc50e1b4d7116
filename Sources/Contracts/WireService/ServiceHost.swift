import Synchronization
package import WireBase
package import WireConfig
package import WireHTTP
package import WireTelemetry

/// The environment of a service that uses no other services.
package typealias ServiceHost = UsingHost<NoUses>

/// The environment of a service: settings of the run, facilities of the runner, and other services.
///
/// A class, because it is passed on with each request, and a copy of a structure of this size is not cheap.
package final class UsingHost<Uses: ServiceUses>: Sendable {
    /// The name of the service.
    package let service: String
    /// The generation for which the service is prepared.
    package let generation: Int
    package let facts: EnvironmentFacts
    /// The base URL, for an environment that the file does not declare.
    private let url: String?
    package let app: AppSection?
    package let log: Log
    package let events: any EventOutlet
    package let metrics: Metrics
    package let stores: Stores
    package let clock: TimeSource
    package let places: Places
    /// The folder of the services file, the base of relative paths.
    package let folder: String
    /// The signed-in user, for a service that needs one; nil where it may run without one and no user is signed in.
    package let user: SignedInUser?
    /// Receives the states that the running service reports.
    private let receive: @Sendable (ServiceReport) -> Void
    private let order: ReportOrder
    /// What the service registers with others, removed once it has stopped.
    package let registrations: Registrations
    /// The abilities of other services.
    package let uses: Uses
    private let offered: Abilities

    package init(
        service: String,
        generation: Int,
        facts: EnvironmentFacts,
        configuration: Configuration,
        url: String? = nil,
        app: AppSection?,
        log: Log,
        events: any EventOutlet,
        metrics: Metrics,
        stores: Stores,
        clock: TimeSource,
        places: Places,
        folder: String,
        offered: Abilities,
        user: SignedInUser? = nil,
        registrations: Registrations = Registrations(),
        order: ReportOrder = ReportOrder(),
        report: @escaping @Sendable (ServiceReport) -> Void
    ) {
        self.service = service
        self.generation = generation
        self.facts = facts
        self.url = url
        self.app = app
        self.log = log
        self.events = events
        self.metrics = metrics
        self.stores = stores
        self.clock = clock
        self.places = places
        self.folder = folder
        self.offered = offered
        self.user = user
        self.registrations = registrations
        self.order = order
        receive = report
        var others = OtherServices(configuration, offering: offered)
        uses = Uses(&others)
    }

    /// Emits an event of the service's generation.
    package func emit<Event: APIEvent>(_ event: Event, _ payload: Event.Payload, confined: ConfinedMembers? = nil) {
        events.emit(event, payload, generation: generation, confined: confined)
    }

    /// Finds a facility of the runner; nil where the program does not have it.
    package func find<Value>(_ ability: Ability<Value>) -> Value? {
        offered[ability]
    }

    /// Reports the state of the running service; the runner itself tracks start and end.
    package func report(_ report: ServiceReport) { self.report { report } }

    /// Decides on a report and sends it, before the next one of the service is decided.
    ///
    /// A report that was decided first and sent last would remain, although it is not true any more. The caller must not
    /// hold a lock that the decision takes.
    package func report(_ decide: () -> ServiceReport?) {
        order.turn.withLock { _ in
            if let report = decide() { receive(report) }
        }
    }

    /// Returns the host for a part of the service, whose reports become those of the service.
    package func reporting(_ combine: @escaping @Sendable (ServiceReport) -> ServiceReport) -> UsingHost {
        UsingHost(self) { [receive] report in receive(combine(report)) }
    }

    /// Makes the same host with another receiver of reports.
    private init(_ other: UsingHost, report: @escaping @Sendable (ServiceReport) -> Void) {
        (service, generation, facts, url, app) = (other.service, other.generation, other.facts, other.url, other.app)
        (log, events, metrics, stores) = (other.log, other.events, other.metrics, other.stores)
        (clock, places, folder, user) = (other.clock, other.places, other.folder, other.user)
        (order, registrations, uses, offered) = (other.order, other.registrations, other.uses, other.offered)
        receive = report
    }

    /// The scope of stored data, so that the data of environments stay separate.
    package var environmentScope: String { Self.scope(of: facts.name, at: url) }

    /// The scope of an environment whose base URL may differ from the file.
    ///
    /// An undeclared environment uses the settings of another one but none of its data, in particular not its tokens.
    package static func scope(of environment: String?, at url: String?) -> String {
        let name = environment ?? ""
        guard let url else { return name }
        var place = ""
        for character in url.unicodeScalars {
            switch character {
            case "%": place += "%25"
            case "/": place += "%2F"
            default: place.unicodeScalars.append(character)
            }
        }
        return "\(name)@\(place)"
    }

    /// Makes a fault at a value of the file.
    package func fault(_ reason: String, at place: Place, _ path: String, help: String? = nil) -> Fault {
        Fault(reason, help: help, origin: places.origin(of: place, path))
    }
}

/// The turn to report the state of a service, shared by all hosts of the service.
package final class ReportOrder: Sendable {
    fileprivate let turn = Mutex(())

    package init() {}
}

/// A state that a running service reports.
package enum ServiceReport: Sendable {
    case well
    case degraded(Fault)
    /// The service does not work and cannot recover; it is recreated at the next reload.
    case failed(Fault)
    case inert(String)
    /// The service starts when a user signs in.
    case waiting(String)
}

/// The locations of a generation's values in the files.
package struct Places: Sendable {
    private let document: Document?

    package init(_ document: Document?) {
        self.document = document
    }

    package func origin(of place: Place, _ path: String) -> ValueOrigin? {
        guard let document, let node = place.node else { return nil }
        return origin(of: node, in: document, path)
    }

    /// The location of a command's program, which is the first item of its list.
    package func origin(ofProgram place: Place, _ path: String) -> ValueOrigin? {
        guard let document, let node = place.node else { return nil }
        let list = document.target(node)
        let program = document.kind(list).isScalar ? list : document.items(list).first ?? list
        return origin(of: document.target(program), in: document, path)
    }

    private func origin(of node: NodeID, in document: Document, _ path: String) -> ValueOrigin {
        let range = document.place(node)
        return ValueOrigin(path: path, place: "\(range.file.name):\(range.start.line):\(range.start.column)")
    }
}
