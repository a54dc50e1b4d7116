import WireHTTP

/// The events of the outbox.
package enum OutboxEvents: String, APIEvent {
    package typealias Payload = OutboxEvent

    case accepted = "outbox.accepted"
    case sent = "outbox.sent"
    case failed = "outbox.failed"
    case dropped = "outbox.dropped"
    case waiting = "outbox.waiting"
    case moved = "outbox.moved"
    case paused = "outbox.paused"
    case resumed = "outbox.resumed"

    package var help: String {
        switch self {
        case .accepted: "A request is queued."
        case .sent: "The server has accepted a request."
        case .failed: "A request has failed for good."
        case .dropped: "A request was removed before it was sent."
        case .waiting: "A request waits for its next attempt."
        case .moved: "A request was moved to another lane."
        case .paused: "A lane is paused, or the outbox where no lane is named."
        case .resumed: "A lane is resumed, or the outbox where no lane is named."
        }
    }
}
