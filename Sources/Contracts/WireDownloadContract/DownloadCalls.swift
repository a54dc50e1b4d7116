import WireBase
package import WireHTTP
import WireService
package import WireStore

/// The operations on downloads.
package enum DownloadCalls {
    package static let list = APICall<DownloadListRequest, DownloadPage, DownloadFailureKind>(
        .get,
        "/v1/downloads",
        "List running, waiting and ended downloads.",
        access: .read,
        answers: [.init(.ok, "A page of downloads.")],
        fails: []
    )

    package static let add = APICall<NewDownload, Download, DownloadFailureKind>(
        .post,
        "/v1/downloads",
        "Download a file; responds when the request is stored. Equal requests share one download.",
        access: .write,
        answers: [
            .init(.ok, "The download exists already."),
            .init(.created, "The download is queued.").with("Location", "The path of the download."),
        ],
        fails: [.invalid, .undeclared, .forbidden, .full, .storeUnavailable, .ending]
    )

    package static let show = APICall<DownloadID, Download, DownloadFailureKind>(
        .get,
        "/v1/downloads/{id}",
        "Return a download; as text/event-stream its progress until it has ended.",
        access: .read,
        answers: [.init(.ok, "The download,")],
        streams: APIStream("or its progress.", asked: "Stream the progress as server-sent events."),
        fails: [.noSuchDownload]
    )

    package static let remove = APICall<DownloadRemoval, Nothing, DownloadFailureKind>(
        .delete,
        "/v1/downloads/{id}",
        "Cancel and remove a download with its partial file; a complete file stays.",
        access: .write,
        answers: [.init(.noContent, "The download is removed.")],
        fails: [.noSuchDownload, .storeUnavailable, .ending]
    )

    package static let pause = APICall<DownloadID, Download, DownloadFailureKind>(
        .post,
        "/v1/downloads/{id}/pause",
        "Pause a download; the partial file stays.",
        access: .write,
        answers: [.init(.ok, "The download.")],
        fails: [.noSuchDownload, .storeUnavailable, .ending]
    )

    package static let resume = APICall<DownloadID, Download, DownloadFailureKind>(
        .post,
        "/v1/downloads/{id}/resume",
        "Resume a paused download, or retry a failed or waiting one now.",
        access: .write,
        answers: [.init(.ok, "The download.")],
        fails: [.noSuchDownload, .storeUnavailable, .ending]
    )
}

/// Why a download is not possible.
package enum DownloadFailureKind: String, FailureKind {
    /// An invalid address, name or digest.
    case invalid = "invalid-download"
    /// The file does not declare a folder for downloads.
    case undeclared = "downloads-undeclared"
    /// Downloads from the host are not allowed.
    case forbidden = "download-forbidden"
    case full = "too-many-downloads"
    case noSuchDownload = "no-such-download"
    case storeUnavailable = "store-unavailable"
    case ending = "ended"

    package var facts: FailureFacts {
        switch self {
        case .invalid:
            FailureFacts(.unprocessableContent, "invalid download", "The download can never succeed.")
        case .undeclared:
            FailureFacts(
                .forbidden,
                "the file declares no downloads",
                "The file does not declare a folder for downloads."
            )
        case .forbidden:
            FailureFacts(.forbidden, "the host is not allowed", "The file does not allow downloads from the host.")
        case .full:
            FailureFacts(
                .insufficientStorage,
                "too many downloads",
                "The maximum number of downloads is reached."
            )
        case .noSuchDownload:
            FailureFacts(.notFound, "unknown download", "The id is unknown.")
        case .storeUnavailable:
            FailureFacts(
                .unavailable,
                "the store is not available",
                "The store is not available now.",
                retryAfter: 5
            )
        case .ending:
            FailureFacts(.unavailable, "the service has stopped", "The service has stopped.", retryAfter: 5)
        }
    }
}

package typealias DownloadFailure = APIFailure<DownloadFailureKind>

extension DownloadFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) { self = .storeUnavailable }
}
