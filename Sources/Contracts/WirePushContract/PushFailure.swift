package import WireBase
import WireConfig
package import WireHTTP
import WireService

/// Why something is not done about pushes.
package enum PushFailureKind: String, FailureKind {
    case noSuchRegistrar = "no-such-registrar"
    case noSuchProvider = "no-such-provider"
    /// The server has no such thing, or the file says otherwise.
    case notSupported = "not-supported"
    /// Something that the call needs first is missing: a user who has signed in, as a rule.
    case notNow = "not-now"
    /// A token, a field or an event that cannot be.
    case invalid = "bad-push-request"
    /// The server refused, or could not be asked.
    case server = "push-server"
    /// The store or the outbox does not take it.
    case unavailable = "push-unavailable"

    package var facts: FailureFacts {
        switch self {
        case .noSuchRegistrar:
            FailureFacts(.notFound, "unknown registrar", "The file has no registrar of this name.")
        case .noSuchProvider: FailureFacts(.notFound, "there is no such provider", "There is no such provider.")
        case .notSupported:
            FailureFacts(
                .conflict,
                "that cannot be asked here",
                "The server has no such thing, or the file says otherwise."
            )
        case .notNow:
            FailureFacts(
                .conflict,
                "not possible now",
                "What the call needs first is missing, such as a user who has signed in."
            )
        case .invalid: FailureFacts(.unprocessableContent, "invalid push request", "It can never be valid.")
        case .server:
            FailureFacts(.badGateway, "the push server gave no answer", "The platform refused, or could not be asked.")
        case .unavailable:
            FailureFacts(
                .unavailable,
                "it cannot be stored now",
                "The store or the outbox does not take it now.",
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

    /// A member that JSON allows, and push servers do not.
    package static func poor(_ detail: String, _ member: String) -> PushFailure {
        PushFailure(.invalid, "'\(member)': \(detail)")
    }
}
