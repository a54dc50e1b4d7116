package import WireBase
import WireHTTP
package import WireService

/// How the runner and its services are, at one moment.
package struct RunnerStatus: Sendable {
    package enum Phase: String, JSONWord, PlainCodable { case starting, running, stopping }

    package var phase: Phase
    package var app: String?
    package var file: String
    package var environment: String?
    /// Where its servers are, for an environment that the file does not declare.
    package var url: String?
    package var environments: [String]
    package var backend: String
    package var generation: Int
    package var hash: String
    /// Milliseconds since 1970.
    package var started: Int64
    package var services: [ServiceStatus]
    /// The last change that was refused since the present generation started.
    package var rejected: ChangeReport?
    /// Until when somebody has to confirm the generation, in milliseconds since 1970; nil for one that stays.
    package var confirmBy: Int64?
    /// Why what runs is not what the file says, though the file may be valid.
    package var setAside: String?
    /// How the files on disk differ from what was loaded of them; nil where they do not, or were not looked at.
    package var edited: String?
    /// What the runner itself cannot do, such as write to its store.
    package var faults: [Fault]

    package init(
        phase: Phase,
        app: String?,
        file: String,
        environment: String?,
        url: String? = nil,
        environments: [String],
        backend: String,
        generation: Int,
        hash: String,
        started: Int64,
        services: [ServiceStatus],
        rejected: ChangeReport? = nil,
        confirmBy: Int64? = nil,
        setAside: String? = nil,
        faults: [Fault] = []
    ) {
        self.phase = phase
        self.app = app
        self.file = file
        self.environment = environment
        self.url = url
        self.environments = environments
        self.backend = backend
        self.generation = generation
        self.hash = hash
        self.started = started
        self.services = services
        self.rejected = rejected
        self.confirmBy = confirmBy
        self.setAside = setAside
        self.faults = faults
    }

    /// Whether everything that must run does.
    package var isReady: Bool {
        phase == .running && faults.isEmpty && services.allSatisfy { !$0.isRequired || $0.state.isWorking }
    }
}

/// How one service is.
package struct ServiceStatus: Sendable {
    package let name: String
    package let state: ServiceState
    package let isRequired: Bool
    /// The generation that made it.
    package let generation: Int
    /// Milliseconds since 1970.
    package let since: Int64
    package let inFlight: Int
    package let restarts: Int

    package init(
        name: String,
        state: ServiceState,
        isRequired: Bool,
        generation: Int,
        since: Int64,
        inFlight: Int,
        restarts: Int
    ) {
        self.name = name
        self.state = state
        self.isRequired = isRequired
        self.generation = generation
        self.since = since
        self.inFlight = inFlight
        self.restarts = restarts
    }
}

extension ServiceState {
    /// Whether it does what can be asked of it here; what is inert or waits does nothing by
    /// design, and says so.
    package var isWorking: Bool {
        switch self {
        case .ready, .degraded, .inert, .waiting: true
        case .idle, .starting, .draining, .stopped, .failed: false
        }
    }
}
