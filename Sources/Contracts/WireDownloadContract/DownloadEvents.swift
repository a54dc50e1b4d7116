import WireHTTP

/// What becomes of a download.
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
        case .wanted: "A download is on the disk, and will be fetched."
        case .started: "The server has begun to send."
        case .waiting: "A download waits for its next attempt, or for what it needs."
        case .paused: "A download is paused."
        case .resumed: "A download goes on."
        case .done: "The file is whole, and in its place."
        case .failed: "A download was given up."
        }
    }
}

/// How a download gets on, and that it is gone.
package enum DownloadNotices: String, APIEvent {
    package typealias Payload = DownloadEvent

    case progress = "download.progress"
    case removed = "download.removed"

    package var help: String {
        switch self {
        case .progress: "More of the file is here; once a second at most."
        case .removed: "A download was removed."
        }
    }
}
