import WireHTTP

/// The events of metrics messages.
package enum MetricsEvents: String, APIEvent {
    package typealias Payload = MetricsEvent

    case sent = "metrics.sent"
    case published = "metrics.published"
    case failed = "metrics.failed"

    package var help: String {
        switch self {
        case .sent: "The server has accepted a message."
        case .published: "The code of the app has published a message."
        case .failed: "A message has failed for good."
        }
    }
}
