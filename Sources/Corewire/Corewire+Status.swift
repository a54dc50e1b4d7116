import WireBase
import WireConfig
import WireRunnerContract
import WireService

extension Corewire {
    /// How everything is, at one moment.
    public struct Status: Sendable {
        /// Whether every service that must run does.
        public let isReady: Bool
        /// The id of the app.
        public let app: String?
        /// The environment that runs; nil for a file that declares none.
        public let environment: String?
        /// Where its servers are, for an environment that the file does not declare.
        public let url: String?
        /// The environments the file declares.
        public let environments: [String]
        /// Grows with each change that was made.
        public let generation: Int
        /// The services, in the order in which they started.
        public let services: [Service]
        /// Why the last change was refused; nil where the present generation is the last that was wanted.
        public let refusal: String?
    }

    /// How one service is.
    public struct Service: Sendable {
        /// The section of the file it runs for.
        public let name: String
        /// How it is.
        public let state: State
        /// Why it is not simply ready, in words; never a secret.
        public let reason: String?
        /// The value of the file the reason is about: `mobile-services.yaml:12:8`.
        public let place: String?
    }

    /// The states of a service; more may be added.
    public struct State: Sendable, Hashable, CustomStringConvertible {
        /// The name of the state, as `corewire status` shows it.
        public let description: String

        /// It does its work.
        public static let ready = State(description: "ready")
        /// It works, but not wholly.
        public static let degraded = State(description: "degraded")
        /// It cannot work here, and the rest runs.
        public static let inert = State(description: "inert")
        /// It starts when somebody signs in.
        public static let waiting = State(description: "waiting")
        /// It has failed, and is made anew after a pause.
        public static let failed = State(description: "failed")
        /// It has been stopped.
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
        refusal = status.rejected.map { $0.diagnosticsText ?? $0.reason ?? "it was refused" }
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
