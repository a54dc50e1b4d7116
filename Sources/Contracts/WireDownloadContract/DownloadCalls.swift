import WireBase
package import WireHTTP
import WireService
package import WireStore

/// The operations on downloads, each declared once.
package enum DownloadCalls {
    package static let list = APICall<DownloadListRequest, DownloadPage, DownloadFailureKind>(
        .get,
        "/v1/downloads",
        "The downloads that are known: those that run, those that wait, those that have ended.",
        access: .read,
        answers: [.init(.ok, "A page of downloads.")],
        fails: []
    )

    package static let add = APICall<DownloadWish, Download, DownloadFailureKind>(
        .post,
        "/v1/downloads",
        "Want a file; answered when the wish is on the disk. The same wish twice is one download.",
        access: .write,
        answers: [
            .init(.ok, "It was wanted already, and is so."),
            .init(.created, "It is wanted from now on.").with("Location", "Where it can be looked at."),
        ],
        fails: [.invalid, .undeclared, .forbidden, .full, .storeUnavailable, .ending]
    )

    package static let show = APICall<DownloadID, Download, DownloadFailureKind>(
        .get,
        "/v1/downloads/{id}",
        "How it is with a download; as text/event-stream how it gets on, until it has ended.",
        access: .read,
        answers: [.init(.ok, "How it is,")],
        streams: APIStream("or how it gets on.", asked: "Send how it gets on, as server-sent events."),
        fails: [.noSuchDownload]
    )

    package static let remove = APICall<DownloadRemoval, Nothing, DownloadFailureKind>(
        .delete,
        "/v1/downloads/{id}",
        "Cancel a download and forget it, with what is here of it; a file that is whole stays.",
        access: .write,
        answers: [.init(.noContent, "It is gone.")],
        fails: [.noSuchDownload, .storeUnavailable, .ending]
    )

    package static let pause = APICall<DownloadID, Download, DownloadFailureKind>(
        .post,
        "/v1/downloads/{id}/pause",
        "Fetch no more of it, and keep what is here.",
        access: .write,
        answers: [.init(.ok, "How it is now.")],
        fails: [.noSuchDownload, .storeUnavailable, .ending]
    )

    package static let resume = APICall<DownloadID, Download, DownloadFailureKind>(
        .post,
        "/v1/downloads/{id}/resume",
        "Fetch on what was paused, anew what has failed, and at once what waits for its next attempt.",
        access: .write,
        answers: [.init(.ok, "How it is now.")],
        fails: [.noSuchDownload, .storeUnavailable, .ending]
    )
}

/// Why a file is not fetched.
package enum DownloadFailureKind: String, FailureKind {
    /// It could never be fetched: an address, a name, a sum that is none.
    case invalid = "invalid-download"
    /// The file does not say where downloads go.
    case undeclared = "downloads-undeclared"
    /// Nothing may come from that host.
    case forbidden = "download-forbidden"
    case full = "too-many-downloads"
    case noSuchDownload = "no-such-download"
    case storeUnavailable = "store-unavailable"
    case ending = "ended"

    package var facts: FailureFacts {
        switch self {
        case .invalid:
            FailureFacts(.unprocessableContent, "this cannot be downloaded", "It could never be fetched.")
        case .undeclared:
            FailureFacts(
                .forbidden,
                "the file declares no downloads",
                "The file does not say where downloads go."
            )
        case .forbidden:
            FailureFacts(.forbidden, "the file does not allow it", "Nothing may come from that host.")
        case .full:
            FailureFacts(
                .insufficientStorage,
                "there is no room for another download",
                "As many are wanted as may be."
            )
        case .noSuchDownload:
            FailureFacts(.notFound, "there is no such download", "Nothing is known of it.")
        case .storeUnavailable:
            FailureFacts(
                .unavailable,
                "the store cannot be used now",
                "The store cannot be used now.",
                retryAfter: 5
            )
        case .ending:
            FailureFacts(.unavailable, "the service has ended", "The service has ended.", retryAfter: 5)
        }
    }
}

package typealias DownloadFailure = APIFailure<DownloadFailureKind>

extension DownloadFailureKind: KeptFailureKind {
    package init(_ failure: StoreFailure) { self = .storeUnavailable }
}
