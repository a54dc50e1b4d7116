import WireBase
package import WireHTTP

/// The operations of the outbox.
package enum OutboxCalls {
    package static let list = APICall<OutboxListRequest, OutboxPage, OutboxFailureKind>(
        .get,
        "/v1/outbox",
        "List queued requests, oldest first, without header fields and bodies.",
        access: .read,
        answers: [.init(.ok, "A page of requests.")],
        fails: [.storeUnavailable]
    )

    package static let post = APICall<NewOutboxRequest, OutboxReceipt, OutboxFailureKind>(
        .post,
        "/v1/outbox",
        "Queue a request until it is delivered; responds when the request is on the disk.",
        access: .write,
        upTo: NewOutboxRequest.limit,
        answers: [
            .init(.accepted, "The request is queued.").with("Location", location),
            .init(.ok, "A request with this id is queued or has ended recently; nothing has changed.").with(
                "Location",
                location
            ),
        ],
        fails: [.invalid, .full, .ending, .storeUnavailable]
    )

    private static let location = "The path of the queued request."

    package static let pause = APICall<OutboxPause, OutboxPauses, OutboxFailureKind>(
        .post,
        "/v1/outbox/pause",
        "Pause a lane, or all lanes, until they are resumed, also across restarts.",
        access: .write,
        answers: [.init(.ok, "The current pauses.")],
        fails: [.storeUnavailable]
    )

    package static let resume = APICall<OutboxPause, OutboxPauses, OutboxFailureKind>(
        .post,
        "/v1/outbox/resume",
        "Resume a lane, or the outbox; a lane that was paused itself stays paused when the outbox is resumed.",
        access: .write,
        answers: [.init(.ok, "The current pauses.")],
        fails: [.storeUnavailable]
    )

    package static let show = APICall<OutboxShowRequest, OutboxEntry, OutboxFailureKind>(
        .get,
        "/v1/outbox/{id}",
        "Return the state of a request, with the response of the server once it has ended.",
        access: .read,
        answers: [.init(.ok, "The request.")],
        fails: [.noSuchRequest, .storeUnavailable]
    )

    package static let drop = APICall<OutboxID, Nothing, OutboxFailureKind>(
        .delete,
        "/v1/outbox/{id}",
        "Delete a queued request; one that is being sent may still arrive.",
        access: .write,
        answers: [.init(.noContent, "The request is deleted.")],
        fails: [.noSuchRequest, .storeUnavailable]
    )

    package static let retry = APICall<OutboxID, Nothing, OutboxFailureKind>(
        .post,
        "/v1/outbox/{id}/retry",
        "Retry a request now, if it is the first of its lane.",
        access: .write,
        answers: [.init(.noContent, "The request is being sent.")],
        fails: [.noSuchRequest, .storeUnavailable]
    )

    package static let retryAll = APICall<NoInput, OutboxRetried, OutboxFailureKind>(
        .post,
        "/v1/outbox/retry",
        "Retry all delayed requests now; those that need a user continue to wait.",
        access: .write,
        answers: [.init(.ok, "The requests are retried, each in its lane.")],
        fails: [.storeUnavailable]
    )

    package static let move = APICall<OutboxMove, Nothing, OutboxFailureKind>(
        .post,
        "/v1/outbox/{id}/lane",
        "Move a request to the end of another lane; the requests behind it continue.",
        access: .write,
        answers: [.init(.noContent, "The request is moved.")],
        fails: [.invalid, .noSuchRequest, .underWay, .storeUnavailable]
    )
}

/// Why an operation on the outbox failed.
package enum OutboxFailureKind: String, FailureKind {
    /// The request can never be sent: an invalid method, address or field.
    case invalid = "invalid-request"
    /// The outbox has reached its limit.
    case full
    case noSuchRequest = "no-such-request"
    case underWay = "under-way"
    case storeUnavailable = "store-unavailable"
    case ending
    /// The caller may not see the contents of requests.
    case forbidden

    package var facts: FailureFacts {
        switch self {
        case .invalid: FailureFacts(.badRequest, "invalid request", "The request can never be sent.")
        case .full: FailureFacts(.insufficientStorage, "the outbox is full", "The limit of the file is reached.")
        case .noSuchRequest:
            FailureFacts(.notFound, "unknown request", "The id is unknown.")
        case .underWay: FailureFacts(.conflict, "the request is under way", "It is being sent.", retryAfter: 5)
        case .storeUnavailable:
            FailureFacts(
                .unavailable,
                "the store is not available",
                "The store is not available now.",
                retryAfter: 5
            )
        case .ending: FailureFacts(.unavailable, "the outbox is stopping", "The outbox is stopping.", retryAfter: 1)
        case .forbidden: FailureFacts(.forbidden, "not allowed", "The caller has no permission.")
        }
    }
}

package typealias OutboxFailure = APIFailure<OutboxFailureKind>
