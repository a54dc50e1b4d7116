package import WireBase
import WireHTTP
package import WireService

/// A snapshot of the runner and its services.
package struct RunnerStatus: Sendable {
    package enum Phase: String, JSONWord, PlainCodable { case starting, running, stopping }

    package var phase: Phase
    /// The version of the runner, and the commit that it was built from; nil of a runner that does not say so.
    package var version, commit: String?
    package var app: String?
    package var file: String
    package var environment: String?
    /// The base URL of an undeclared environment.
    package var url: String?
    package var environments: [String]
    package var backend: String
    package var generation: Int
    package var hash: String
    /// The start in milliseconds since 1970.
    package var started: Int64
    package var services: [ServiceStatus]
    /// The last change rejected since the current generation started.
    package var rejected: ChangeReport?
    /// The deadline for confirming the generation, in milliseconds since 1970; nil where none is needed.
    package var confirmBy: Int64?
    /// Why the running configuration is not that of the file, although the file may be valid.
    package var setAside: String?
    /// How the files on disk differ from the loaded ones; nil where they do not, or were not checked.
    package var edited: String?
    /// The faults of the runner itself, such as a store that cannot be written.
    package var faults: [Fault]
    /// The runners that share a database with this one; nil where the file declares none.
    package var group: GroupStatus?

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
        faults: [Fault] = [],
        group: GroupStatus? = nil
    ) {
        self.phase = phase
        (version, commit) = (Release.version, Release.build.commit)
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
        self.group = group
    }

    /// Whether all required services work.
    package var isReady: Bool {
        phase == .running && faults.isEmpty && services.allSatisfy { !$0.isRequired || $0.state.isWorking }
    }
}

/// A snapshot of a service.
package struct ServiceStatus: Sendable {
    package let name: String
    package let state: ServiceState
    package let isRequired: Bool
    /// The generation that created the service.
    package let generation: Int
    /// The time of the last state change in milliseconds since 1970.
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
    /// Whether the service works as far as possible here; inert and waiting services count as working.
    package var isWorking: Bool {
        switch self {
        case .ready, .degraded, .inert, .waiting: true
        case .idle, .starting, .draining, .stopped, .failed: false
        }
    }
}
