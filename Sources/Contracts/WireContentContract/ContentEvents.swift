import WireHTTP

/// What becomes of bringing copies of modules up to date.
package enum ContentEvents: String, APIEvent {
    package typealias Payload = ContentSync

    case synced = "content.synced"
    case failed = "content.failed"

    package var help: String {
        switch self {
        case .synced: "A module was brought up to date."
        case .failed: "A module could not be brought up to date."
        }
    }
}
