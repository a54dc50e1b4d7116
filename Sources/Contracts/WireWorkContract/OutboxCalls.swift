import WireBase
package import WireHTTP

/// The operations on the outbox, each declared once.
package enum OutboxCalls {
    package static let list = APICall<OutboxListRequest, OutboxPage, OutboxFailureKind>(
        .get,
        "/v1/outbox",
        "What waits to be sent, oldest first, without fields and bodies.",
        access: .read,
        answers: [.init(.ok, "A page of requests.")],
        fails: [.storeUnavailable]
    )

    package static let post = APICall<OutboxPost, OutboxReceipt, OutboxFailureKind>(
        .post,
        "/v1/outbox",
        "Send a request for certain: answered when it is on the disk, and sent until it has arrived.",
        access: .write,
        upTo: OutboxPost.limit,
        answers: [
            .init(.accepted, "It is on the disk.").with("Location", location),
            .init(.ok, "One with its id is there, or has ended lately; nothing has changed.").with(
                "Location",
                location
            ),
        ],
        fails: [.invalid, .full, .ending, .storeUnavailable]
    )

    private static let location = "Where to ask what became of it."

    package static let pause = APICall<OutboxPause, OutboxPauses, OutboxFailureKind>(
        .post,
        "/v1/outbox/pause",
        "Send nothing more of a lane, or of any, until it is resumed; also after the next start.",
        access: .write,
        answers: [.init(.ok, "What is paused now.")],
        fails: [.storeUnavailable]
    )

    package static let resume = APICall<OutboxPause, OutboxPauses, OutboxFailureKind>(
        .post,
        "/v1/outbox/resume",
        "Send again what was paused; a lane that is paused itself stays so when all is resumed.",
        access: .write,
        answers: [.init(.ok, "What is paused now.")],
        fails: [.storeUnavailable]
    )

    package static let show = APICall<OutboxShowRequest, OutboxEntry, OutboxFailureKind>(
        .get,
        "/v1/outbox/{id}",
        "How it is with a request: it waits, or what became of it and what the server answered.",
        access: .read,
        answers: [.init(.ok, "How it is.")],
        fails: [.noSuchRequest, .storeUnavailable]
    )

    package static let drop = APICall<OutboxID, Nothing, OutboxFailureKind>(
        .delete,
        "/v1/outbox/{id}",
        "Let go of a request, which will then never arrive unless it is under way.",
        access: .write,
        answers: [.init(.noContent, "It is gone.")],
        fails: [.noSuchRequest, .storeUnavailable]
    )

    package static let retry = APICall<OutboxID, Nothing, OutboxFailureKind>(
        .post,
        "/v1/outbox/{id}/retry",
        "Try a request now, where nothing of its lane is before it.",
        access: .write,
        answers: [.init(.noContent, "It is tried.")],
        fails: [.noSuchRequest, .storeUnavailable]
    )

    package static let retryAll = APICall<NoInput, OutboxRetried, OutboxFailureKind>(
        .post,
        "/v1/outbox/retry",
        "Try every request that waits for its time now; those that wait for a user go on waiting.",
        access: .write,
        answers: [.init(.ok, "They are tried, each in its lane.")],
        fails: [.storeUnavailable]
    )

    package static let move = APICall<OutboxMove, Nothing, OutboxFailureKind>(
        .post,
        "/v1/outbox/{id}/lane",
        "Let a request wait at the end of another lane; what waited behind it goes on.",
        access: .write,
        answers: [.init(.noContent, "It waits there.")],
        fails: [.invalid, .noSuchRequest, .underWay, .storeUnavailable]
    )
}

/// Why something is not done with the outbox.
package enum OutboxFailureKind: String, FailureKind {
    /// It could never be sent: a method, an address, a field that cannot be.
    case invalid = "invalid-request"
    /// As much waits as the file allows.
    case full
    case noSuchRequest = "no-such-request"
    case underWay = "under-way"
    case storeUnavailable = "store-unavailable"
    case ending
    /// The caller may not see what requests hold; as any operation can refuse.
    case forbidden

    package var facts: FailureFacts {
        switch self {
        case .invalid: FailureFacts(.badRequest, "this can never be done", "It could never be sent.")
        case .full: FailureFacts(.insufficientStorage, "there is no room", "As much waits as the file allows.")
        case .noSuchRequest:
            FailureFacts(.notFound, "no such request waits", "Nothing is known of such a request.")
        case .underWay: FailureFacts(.conflict, "the request is under way", "It is under way.", retryAfter: 5)
        case .storeUnavailable:
            FailureFacts(
                .unavailable,
                "the store cannot be used now",
                "The store cannot be used now.",
                retryAfter: 5
            )
        case .ending: FailureFacts(.unavailable, "the outbox ends", "The outbox ends.", retryAfter: 1)
        case .forbidden: FailureFacts(.forbidden, "not allowed", "The caller may not.")
        }
    }
}

package typealias OutboxFailure = APIFailure<OutboxFailureKind>
