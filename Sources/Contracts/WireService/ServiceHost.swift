package import WireBase
package import WireConfig
package import WireHTTP
package import WireStore
package import WireTelemetry

/// What a service that uses no other one finds around it.
package typealias ServiceHost = UsingHost<NoUses>

/// What a service finds around it, other services included.
package struct UsingHost<Uses: ServiceUses>: Sendable {
    /// The name of the service it is for.
    package let service: String
    /// The generation it is prepared for.
    package let generation: Int
    package let facts: EnvironmentFacts
    /// Where its servers are, for an environment that the file does not declare.
    private let url: String?
    package let app: AppSection?
    package let log: Log
    package let events: any EventOutlet
    package let metrics: Metrics
    package let stores: Stores
    package let clock: Clockwork
    package let places: Places
    /// The folder of the services file, which relative paths start from.
    package let folder: String
    /// Who is signed in, for a service that needs a user; nil where it may run without one and nobody is.
    package let user: SignedInUser?
    /// Tells how the service is while it runs; the runner knows when it starts and ends.
    package private(set) var report: @Sendable (ServiceReport) -> Void
    /// What it registers with others: taken away once it has stopped.
    package let registrations: Registrations
    /// What it uses of other services.
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
        clock: Clockwork,
        places: Places,
        folder: String,
        offered: Abilities,
        user: SignedInUser? = nil,
        registrations: Registrations = Registrations(),
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
        self.report = report
        var others = OtherServices(configuration, offering: offered)
        uses = Uses(&others)
    }

    /// Emits an event of its generation.
    package func emit<Event: APIEvent>(_ event: Event, _ payload: Event.Payload, confined: ConfinedMembers? = nil) {
        events.emit(event, payload, generation: generation, confined: confined)
    }

    /// What does something for services without being one; nil where the program cannot.
    package func find<Value>(_ ability: Ability<Value>) -> Value? {
        offered[ability]
    }

    /// The same for a part of the service, which reports its own state to the whole.
    package func reporting(_ report: @escaping @Sendable (ServiceReport) -> Void) -> Self {
        var host = self
        host.report = report
        return host
    }

    /// The name everything of this environment is kept under, so that no two environments mix.
    package var environmentScope: String { Self.scope(of: facts.name, at: url) }

    /// The same for an environment that may have its servers elsewhere than the file says.
    ///
    /// One that the file does not declare has the settings of another, and nothing else of it: least of all its tokens.
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

    /// A fault that points at a value of the file.
    package func fault(_ reason: String, at place: Place, _ path: String, help: String? = nil) -> Fault {
        Fault(reason, help: help, origin: places.origin(of: place, path))
    }
}

/// The stores of the group.
package struct Stores: Sendable {
    package let values: any KeyValueStore
    package let queue: any WorkQueue
    package let cache: any CacheStore & RecordStore

    package init(values: any KeyValueStore, queue: any WorkQueue, cache: any CacheStore & RecordStore) {
        self.values = values
        self.queue = queue
        self.cache = cache
    }
}

/// How a running service says it is.
package enum ServiceReport: Sendable {
    case well
    case degraded(Fault)
    /// It does nothing that it is for, and cannot mend that itself; it is made anew when the file is read again.
    case failed(Fault)
    case inert(String)
    /// It begins when a user signs in.
    case waiting(String)
}

/// Where the values of a generation were written.
package struct Places: Sendable {
    private let document: Document?

    package init(_ document: Document?) {
        self.document = document
    }

    package func origin(of place: Place, _ path: String) -> ValueOrigin? {
        guard let document, let node = place.node else { return nil }
        return origin(of: node, in: document, path)
    }

    /// Where the program of a command stands, which is the first item of its list.
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
