package import WireHTTP
package import WireService

/// What became of a change of the services file, the environment or the generation.
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
        case .applied: "A generation runs."
        case .unchanged: "Nothing has changed."
        case .planned: "It was asked what a change would do."
        case .rejected: "A change was rejected, and the present generation goes on."
        case .rolledBack: "A change was not confirmed, or its services failed: the former generation runs again."
        case .conflict: "A change was made of another generation than the present one."
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

/// What an event carries that says nothing besides that it has happened.
package struct EventAlone: JSONRecord {
    package static let form = JSONForm<Self>("EventAlone", "No members: that it has happened is all there is to say.")

    package init() {}
    package init(_ members: inout Members<Self>) throws(JSONMismatch) {}
}

/// What happens to the runner as a whole.
package enum RunnerEvents: String, APIEvent {
    package typealias Payload = EventAlone

    case confirmed = "generation.confirmed"
    case stopping = "runner.stopping"

    package var help: String {
        switch self {
        case .confirmed: "A change that waited for a confirmation was confirmed."
        case .stopping: "The runner ends; it is the last event."
        }
    }
}

/// A service has entered another state.
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
        case .idle: "A service has nothing to do."
        case .starting: "A service starts."
        case .ready: "A service works."
        case .degraded: "A service works, but not all of it."
        case .inert: "A service is declared, and does nothing on this machine."
        case .waiting: "A service waits for a user."
        case .draining: "A service finishes what it has begun."
        case .stopped: "A service has ended."
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
