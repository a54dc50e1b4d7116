import WireBase
import WireConfig
import WireRunnerContract
import WireService

extension Corewire {
    /// A snapshot of the runner and its services.
    public struct Status: Sendable {
        /// Whether all required services work.
        public let isReady: Bool
        /// The id of the app.
        public let app: String?
        /// The current environment; nil for a file without environments.
        public let environment: String?
        /// The base URL of an undeclared environment.
        public let url: String?
        /// The environments the file declares.
        public let environments: [String]
        /// The number of the generation; increases with each change.
        public let generation: Int
        /// The services, in starting order.
        public let services: [Service]
        /// Why the last change was rejected; nil where the current generation is the result of the last change.
        public let refusal: String?
    }

    /// The state of a service.
    public struct Service: Sendable {
        /// The section of the service.
        public let name: String
        /// The state.
        public let state: State
        /// Why the service is not ready; never contains a secret.
        public let reason: String?
        /// The services file value that causes it: `mobile-services.yaml:12:8`.
        public let place: String?
    }

    /// The states of a service; more may be added.
    public struct State: Sendable, Hashable, CustomStringConvertible {
        /// The name of the state, as in `corewire status`.
        public let description: String

        /// The service works.
        public static let ready = State(description: "ready")
        /// The service works in part.
        public static let degraded = State(description: "degraded")
        /// The service is not supported here; the other services run.
        public static let inert = State(description: "inert")
        /// The service starts when a user signs in.
        public static let waiting = State(description: "waiting")
        /// The service has failed, and is restarted after a delay.
        public static let failed = State(description: "failed")
        /// The service has been stopped.
        public static let stopped = State(description: "stopped")
    }
}

extension Corewire.Status {
    init(_ status: RunnerStatus) {
        isReady = status.isReady
        app = status.app
        environment = status.environment
        url = status.url
        environments = status.environments
        generation = status.generation
        services = status.services.map(Corewire.Service.init)
        refusal = status.rejected.map { $0.diagnosticsText ?? $0.reason ?? "the change was rejected" }
    }
}

extension Corewire.Service {
    fileprivate init(_ status: ServiceStatus) {
        name = status.name
        state = Corewire.State(description: status.state.name)
        reason = status.state.reason
        place = status.state.fault?.origin?.place
    }
}
