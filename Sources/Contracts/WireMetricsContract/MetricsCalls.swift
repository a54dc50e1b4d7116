package import WireBase
package import WireHTTP
import WireService

/// The operations on metrics, each declared once.
package enum MetricsCalls {
    package static let status = APICall<NoInput, MetricsReport, MetricsFailureKind>(
        .get,
        "/v1/metrics",
        "What is told to the metrics service, and what became of it.",
        access: .read,
        answers: [.init(.ok, "The report.")],
        fails: [.unavailable]
    )

    package static let preview = APICall<NoInput, MetricsPreview, MetricsFailureKind>(
        .get,
        "/v1/metrics/preview",
        "What would be sent now, word for word; nothing is.",
        access: .read,
        answers: [.init(.ok, "The messages.")],
        fails: [.unavailable]
    )

    package static let send = APICall<MetricsSendRequest, MetricsReceipt, MetricsFailureKind>(
        .post,
        "/v1/metrics/messages",
        "Have messages sent now, of one type or of all that the file names.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.accepted, "They are written down to be sent.")],
        fails: [.undeclared, .noResults, .unavailable]
    )
}

/// Which messages are to be sent.
package struct MetricsSendRequest: JSONRecord {
    /// All that the file names where nil.
    package let kind: MetricsMessage.Kind?

    package init(_ kind: MetricsMessage.Kind?) { self.kind = kind }
}

extension MetricsSendRequest {
    package static let form = JSONForm<Self>("MetricsWish", "Which messages are to be sent.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        kind = try members.optional("type", \.kind, "Only this type.")
    }
}

/// Why metrics are not sent.
package enum MetricsFailureKind: String, FailureKind {
    case undeclared = "not-declared"
    case noResults = "no-results"
    case unavailable = "metrics-unavailable"

    package var facts: FailureFacts {
        switch self {
        case .undeclared:
            FailureFacts(.conflict, "the file does not name this type", "The file does not name this type.")
        case .noResults:
            FailureFacts(.conflict, "there are no results of security rules", "No security rules have run.")
        case .unavailable:
            FailureFacts(
                .unavailable,
                "it cannot be done now",
                "The store or the outbox does not take it now.",
                retryAfter: 5
            )
        }
    }
}

package typealias MetricsFailure = APIFailure<MetricsFailureKind>

extension MetricsFailure {
    /// The store or the outbox does not take it, or cannot be read.
    package init(_ fault: Fault) {
        self.init(.unavailable, fault.reason, help: fault.help, origin: fault.origin)
    }
}
