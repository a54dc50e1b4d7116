package import WireBase
package import WireHTTP

/// The operation that removes what services keep.
package enum ClearingCalls {
    package static let clear = APICall<ClearingRequest, ClearingReport, ClearingFailureKind>(
        .post,
        "/v1/clear",
        "End what is under way and remove what services keep; says what was removed. Broken off, it goes on when asked again.",
        access: .admin,
        upTo: .kibibytes(4),
        answers: [.init(.ok, "What was removed.")],
        fails: [.noSuchService, .notCleared]
    )
}

/// What is to be removed.
package struct ClearingRequest: JSONRecord {
    package let scope: ClearingScope
    package var services: [String]?
}

extension ClearingRequest {
    package static let form = JSONForm<Self>("ClearWish", "What is to be removed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        scope = try members.required("scope", \.scope, "How much.")
        services = try members.optional(
            "services",
            \.services,
            "Of these services alone; of all where absent.",
            .example(["persistence"])
        )
    }
}

/// A kind of things that were removed, and how many there were.
package struct Cleared: JSONRecord, Equatable {
    package let what: String
    package let count: Int

    package init(_ what: String, _ count: Int) {
        (self.what, self.count) = (what, count)
    }
}

extension Cleared {
    package static let form = JSONForm<Self>("ClearedKind", "A kind of things that were removed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        what = try members.required("what", \.what, "A kind of things.")
        count = try members.required("count", \.count, "How many.", .count)
    }
}

/// What became of what one service keeps.
package struct ClearedService: JSONRecord {
    package let service: String
    /// What there was; nil where it is still there.
    package let removed: [Cleared]?
    /// Why it is still there, and what can be done about that.
    package let reason, help: String?

    package init(_ service: String, removed: [Cleared]) {
        (self.service, self.removed, reason, help) = (service, removed, nil, nil)
    }

    package init(_ service: String, keptBy fault: Fault) {
        (self.service, removed, reason, help) = (service, nil, fault.reason, fault.help)
    }
}

extension ClearedService {
    package static let form = JSONForm<Self>("ClearedService", "What became of what one service keeps.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        service = try members.required("service", \.service, "The service.", .example("persistence"))
        removed = try members.optional(
            "removed",
            \.removed,
            "What there was, each kind of it; none of a kind is told as 0."
        )
        reason = try members.optional("reason", \.reason, "Why it is still there.")
        help = try members.optional("help", \.help, "What can be done about that.")
    }
}

/// What was removed, service by service.
package struct ClearingReport: JSONRecord {
    package let services: [ClearedService]

    package init(_ services: [ClearedService]) { self.services = services }
}

extension ClearingReport {
    package static let form = JSONForm<Self>("Cleared", "What was removed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        services = try members.required(
            "services",
            \.services,
            "Each that keeps something, in the order in which it was cleared, and the store itself, last."
        )
    }
}

/// Why not everything was removed.
package enum ClearingFailureKind: String, FailureKind {
    case noSuchService = "no-such-service"
    /// Something is still there; what is gone is told all the same.
    case notCleared = "not-cleared"

    package var facts: FailureFacts {
        switch self {
        case .noSuchService:
            FailureFacts(.notFound, "there is nothing to clear", "None of that name keeps anything.")
        case .notCleared:
            FailureFacts(
                .unavailable,
                "something is still there",
                "Something is still there; the answer says what.",
                carrying: Problem.schema("NotCleared", carrying: ClearingReport.self)
            )
        }
    }
}

package typealias ClearingFailure = APIFailure<ClearingFailureKind>
