package import WireBase
import WireConfig
package import WireHTTP
import WireService

/// Why an operation on push registration failed.
package enum PushFailureKind: String, FailureKind {
    case noSuchRegistrar = "no-such-registrar"
    case noSuchProvider = "no-such-provider"
    /// The server does not support the request, or the file disables it.
    case notSupported = "not-supported"
    /// A precondition is missing, usually a signed-in user.
    case notNow = "not-now"
    /// An invalid token, field or event.
    case invalid = "bad-push-request"
    /// The server rejected the request, or is not reachable.
    case server = "push-server"
    /// The store or the outbox is not available.
    case unavailable = "push-unavailable"

    package var facts: FailureFacts {
        switch self {
        case .noSuchRegistrar:
            FailureFacts(.notFound, "unknown registrar", "The file has no registrar of this name.")
        case .noSuchProvider: FailureFacts(.notFound, "unknown provider", "The provider does not exist.")
        case .notSupported:
            FailureFacts(
                .conflict,
                "not supported",
                "The server does not support the request, or the file disables it."
            )
        case .notNow:
            FailureFacts(
                .conflict,
                "not possible now",
                "A precondition is missing, such as a signed-in user."
            )
        case .invalid: FailureFacts(.unprocessableContent, "invalid push request", "The request is invalid.")
        case .server:
            FailureFacts(
                .badGateway,
                "no response from the push server",
                "The server has rejected the request or cannot be reached."
            )
        case .unavailable:
            FailureFacts(
                .unavailable,
                "the request cannot be stored now",
                "The store or the outbox is not available.",
                retryAfter: 5
            )
        }
    }
}

package typealias PushFailure = APIFailure<PushFailureKind>

extension PushFailure {
    package init(_ kind: PushFailureKind, _ fault: Fault) {
        self.init(kind, fault.reason, help: fault.help, origin: fault.origin)
    }

    /// A member that is valid JSON but not allowed by push servers.
    package static func poor(_ detail: String, _ member: String) -> PushFailure {
        PushFailure(.invalid, "'\(member)': \(detail)")
    }
}
