package import WireBase
package import WireHTTP

/// The operation that removes stored data of services.
package enum ClearingCalls {
    package static let clear = APICall<ClearingRequest, ClearingReport, ClearingFailureKind>(
        .post,
        "/v1/clear",
        "Stop current work and remove stored data; returns what was removed, or, in a dry run, only counts it. Repeat it after an interruption.",
        access: .admin,
        upTo: .kibibytes(4),
        answers: [.init(.ok, "The removed data.")],
        fails: [.noSuchService, .notCleared]
    )
}

/// The input of a clearing.
package struct ClearingRequest: JSONRecord {
    package let scope: ClearingScope
    package var services: [String]?
    package var isDryRun = false
}

extension ClearingRequest {
    package static let form = JSONForm<Self>("ClearWish", "The data to remove.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        scope = try members.required("scope", \.scope, "How much.")
        services = try members.optional(
            "services",
            \.services,
            "Clear these services only; all where absent.",
            .example(["persistence"])
        )
        isDryRun = try members.flag("dryRun", \.isDryRun, "Whether to count the data only, and to change nothing.")
    }
}

/// A kind of removed items, with their number.
package struct Cleared: JSONRecord, Equatable {
    package let what: String
    package let count: Int

    package init(_ what: String, _ count: Int) {
        (self.what, self.count) = (what, count)
    }
}

extension Cleared {
    package static let form = JSONForm<Self>("ClearedKind", "A kind of removed items.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        what = try members.required("what", \.what, "The kind of items.")
        count = try members.required("count", \.count, "How many.", .count)
    }
}

/// The result of clearing one service.
package struct ClearedService: JSONRecord {
    package let service: String
    /// The removed items; nil where clearing failed as a whole.
    package let removed: [Cleared]?
    /// Why clearing failed, or some data is left, and what to do.
    package let reason, help: String?
    /// Where removed data may remain; nil where nothing remains.
    package let remains: String?

    package init(_ service: String, removed: [Cleared]? = nil, remains: String? = nil, keptBy fault: Fault?) {
        (self.service, self.removed, self.remains) = (service, removed, remains)
        (reason, help) = (fault?.reason, fault?.help)
    }
}

extension ClearedService {
    package static let form = JSONForm<Self>("ClearedService", "The result of clearing one service.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        service = try members.required("service", \.service, "The service.", .example("persistence"))
        removed = try members.optional(
            "removed",
            \.removed,
            "The removed items by kind; a kind without items has the number 0. A dry run leaves out what servers end.",
            .example([Cleared("stored values", 3)])
        )
        reason = try members.optional("reason", \.reason, "Why the data, or some of it, was not removed.")
        help = try members.optional("help", \.help, "What to do about the failure.")
        remains = try members.optional("remains", \.remains, "Where removed data may remain, such as a server's log.")
    }
}

/// The result of a clearing, by service.
package struct ClearingReport: JSONRecord {
    package let services: [ClearedService]

    package init(_ services: [ClearedService]) { self.services = services }
}

extension ClearingReport {
    package static let form = JSONForm<Self>("Cleared", "The removed data.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        services = try members.required(
            "services",
            \.services,
            "The services with stored data, in the order of clearing, and the store itself, last."
        )
    }
}

/// Why not all data was removed.
package enum ClearingFailureKind: String, FailureKind {
    case noSuchService = "no-such-service"
    /// Some data was not removed; the result lists what was.
    case notCleared = "not-cleared"

    package var facts: FailureFacts {
        switch self {
        case .noSuchService:
            FailureFacts(.notFound, "nothing to clear", "No service with one of the given names stores data.")
        case .notCleared:
            FailureFacts(
                .unavailable,
                "not everything was removed",
                "Some data was not removed; the response says which.",
                carrying: Problem.schema("NotCleared", carrying: ClearingReport.self)
            )
        }
    }
}

package typealias ClearingFailure = APIFailure<ClearingFailureKind>
