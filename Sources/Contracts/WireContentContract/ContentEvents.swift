import WireHTTP

/// The events of content syncs.
package enum ContentEvents: String, APIEvent {
    package typealias Payload = ContentSync

    case synced = "content.synced"
    case failed = "content.failed"

    package var help: String {
        switch self {
        case .synced: "A module was synced."
        case .failed: "A module could not be synced."
        }
    }
}
