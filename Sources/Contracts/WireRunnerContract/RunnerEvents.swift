package import WireHTTP
package import WireService

/// The results of changes of the file, the environment or the generation.
package enum GenerationEvents: String, APIEvent {
    package typealias Payload = ChangeReport

    case applied = "generation.applied"
    case unchanged = "generation.unchanged"
    case planned = "generation.planned"
    case rejected = "generation.rejected"
    case rolledBack = "generation.rolledBack"
    case conflict = "generation.conflict"

    package var help: String {
        switch self {
        case .applied: "A new generation runs."
        case .unchanged: "Nothing has changed."
        case .planned: "A change was planned."
        case .rejected: "A change was rejected; the current generation continues."
        case .rolledBack: "A change was not confirmed, or its services failed; the previous generation runs again."
        case .conflict: "A change did not match the current generation."
        }
    }

    package init(_ outcome: ChangeReport.Outcome) {
        switch outcome {
        case .applied: self = .applied
        case .unchanged: self = .unchanged
        case .planned: self = .planned
        case .rejected: self = .rejected
        case .rolledBack: self = .rolledBack
        case .conflict: self = .conflict
        }
    }
}

/// The payload of an event without details.
package struct EmptyPayload: JSONRecord {
    package static let form = JSONForm<Self>("EmptyPayload", "No members.")

    package init() {}
    package init(_ members: inout Members<Self>) throws(JSONMismatch) {}
}

/// What happens to the runner as a whole.
package enum RunnerEvents: String, APIEvent {
    package typealias Payload = EmptyPayload

    case confirmed = "generation.confirmed"
    case stopping = "runner.stopping"

    package var help: String {
        switch self {
        case .confirmed: "A change was confirmed."
        case .stopping: "The runner is stopping; this is the last event."
        }
    }
}

/// The state changes of services.
package enum ServiceEvents: String, APIEvent {
    package typealias Payload = ServiceStatus

    case idle = "service.idle"
    case starting = "service.starting"
    case ready = "service.ready"
    case degraded = "service.degraded"
    case inert = "service.inert"
    case waiting = "service.waiting"
    case draining = "service.draining"
    case stopped = "service.stopped"
    case failed = "service.failed"

    package var help: String {
        switch self {
        case .idle: "A service is idle."
        case .starting: "A service is starting."
        case .ready: "A service is ready."
        case .degraded: "A service is degraded."
        case .inert: "A service is declared but not supported on this machine."
        case .waiting: "A service waits for a user."
        case .draining: "A service is draining."
        case .stopped: "A service has stopped."
        case .failed: "A service has failed."
        }
    }

    package init(_ state: ServiceState) {
        switch state {
        case .idle: self = .idle
        case .starting: self = .starting
        case .ready: self = .ready
        case .degraded: self = .degraded
        case .inert: self = .inert
        case .waiting: self = .waiting
        case .draining: self = .draining
        case .stopped: self = .stopped
        case .failed: self = .failed
        }
    }
}
