import WireHTTP

/// The events of tasks.
package enum TaskEvents: String, APIEvent {
    package typealias Payload = TaskEvent

    case started = "task.started"
    case ended = "task.ended"
    case failed = "task.failed"

    package var help: String {
        switch self {
        case .started: "A run of a task begins."
        case .ended: "A run of a task has ended, or will be continued."
        case .failed: "A run of a task has failed."
        }
    }
}
