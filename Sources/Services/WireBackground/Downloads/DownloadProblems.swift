import WireBase
import WireHTTP
import WireService

/// What is told to who asks for a download over the local API, when it is not done.
extension Problem {
    init(_ refusal: DownloadRefusal) {
        let (status, title) = refusal.kind.words
        let detail = refusal.help.map { "\(refusal.reason); \($0)" } ?? refusal.reason
        self.init(status, refusal.kind.problem, title, detail: detail)
        origin = refusal.origin
        if status == .unavailable { fields = ["Retry-After": "5"] }
    }

    static func noSuchDownload(_ id: String) -> Problem {
        Problem(.notFound, "no-such-download", "there is no such download", detail: "nothing is known of \(id.quoted)")
    }
}

extension DownloadRefusal.Kind {
    var problem: String {
        switch self {
        case .undeclared: "downloads-undeclared"
        case .forbidden: "download-forbidden"
        case .invalid: "invalid-download"
        case .full: "too-many-downloads"
        case .notWritten: "store-unavailable"
        case .ended: "ended"
        }
    }

    fileprivate var words: (status: Status, title: String) {
        switch self {
        case .undeclared: (.forbidden, "the file declares no downloads")
        case .forbidden: (.forbidden, "the file does not allow it")
        case .invalid: (.unprocessableContent, "this cannot be downloaded")
        case .full: (.insufficientStorage, "there is no room for another download")
        case .notWritten: (.unavailable, "the store cannot be used now")
        case .ended: (.unavailable, "the service has ended")
        }
    }
}
