import WireHTTP

/// The events of a download.
package enum DownloadEvents: String, APIEvent {
    package typealias Payload = Download

    case wanted = "download.wanted"
    case started = "download.started"
    case waiting = "download.waiting"
    case paused = "download.paused"
    case resumed = "download.resumed"
    case done = "download.done"
    case failed = "download.failed"

    package var help: String {
        switch self {
        case .wanted: "A download is queued."
        case .started: "The transfer has started."
        case .waiting: "A download waits for its next attempt or for its conditions."
        case .paused: "A download is paused."
        case .resumed: "A download is resumed."
        case .done: "The file is complete and in its folder."
        case .failed: "A download has failed for good."
        }
    }
}

/// The progress and removal events of a download.
package enum DownloadNotices: String, APIEvent {
    package typealias Payload = DownloadEvent

    case progress = "download.progress"
    case removed = "download.removed"

    package var help: String {
        switch self {
        case .progress: "The progress of a download; at most once a second."
        case .removed: "A download was removed."
        }
    }
}
