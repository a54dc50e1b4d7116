package import WireBase
package import WireHTTP
import WireService

/// The operations on metrics.
package enum MetricsCalls {
    package static let status = APICall<NoInput, MetricsReport, MetricsFailureKind>(
        .get,
        "/v1/metrics",
        "Return the settings and the last results of publishing metrics.",
        access: .read,
        answers: [.init(.ok, "The report.")],
        fails: [.unavailable]
    )

    package static let preview = APICall<NoInput, MetricsPreview, MetricsFailureKind>(
        .get,
        "/v1/metrics/preview",
        "Preview the messages that would be sent now.",
        access: .read,
        answers: [.init(.ok, "The messages.")],
        fails: [.unavailable]
    )

    package static let send = APICall<MetricsSendRequest, MetricsReceipt, MetricsFailureKind>(
        .post,
        "/v1/metrics/messages",
        "Send messages now, of one type or of all types of the file.",
        access: .write,
        upTo: .kibibytes(1),
        answers: [.init(.accepted, "The messages are queued.")],
        fails: [.undeclared, .noResults, .unavailable]
    )
}

/// Selects messages to send.
package struct MetricsSendRequest: JSONRecord {
    /// The type; nil for all types of the file.
    package let kind: MetricsMessage.Kind?

    package init(_ kind: MetricsMessage.Kind?) { self.kind = kind }
}

extension MetricsSendRequest {
    package static let form = JSONForm<Self>("MetricsWish", "The selection of messages to send.")

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
            FailureFacts(.conflict, "the file does not declare this type", "The file does not declare this type.")
        case .noResults:
            FailureFacts(.conflict, "no results of security rules", "No security rules have run.")
        case .unavailable:
            FailureFacts(
                .unavailable,
                "metrics cannot be sent now",
                "The store or the outbox is not available.",
                retryAfter: 5
            )
        }
    }
}

package typealias MetricsFailure = APIFailure<MetricsFailureKind>

extension MetricsFailure {
    /// The store or the outbox does not accept the messages, or cannot be read.
    package init(_ fault: Fault) {
        self.init(.unavailable, fault.reason, help: fault.help, origin: fault.origin)
    }
}
