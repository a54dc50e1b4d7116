package import WireHTTP

// Inputs of the operations on the outbox, except for posting.

/// A request for a page of the queue.
package struct OutboxListRequest: JSONRecord {
    package var lane: String?
    package var after: Int64?
    package var limit: Int?

    package init() {}
}

extension OutboxListRequest {
    package static let form = JSONForm<Self>("OutboxListRequest", "The selection of queued requests.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        lane = try members.query("lane", \.lane, "Only requests of this lane.")
        after = try members.query(
            "after",
            \.after,
            "Only requests after this position; the 'next' of the previous page.",
            .position
        )
        limit = try members.query("limit", \.limit, "The maximum number of requests.", .in(1...1_000))
    }
}

/// The id of a request.
package struct OutboxID: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension OutboxID {
    package static let form = JSONForm<Self>("OutboxID", "The id of a request.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the request.", idRule, .example("order-17"))
    }
}

/// A request for the details of a queued request.
package struct OutboxShowRequest: JSONRecord {
    package let id: String
    package var withContent = false

    package init(_ id: String) { self.id = id }
}

extension OutboxShowRequest {
    package static let form = JSONForm<Self>("OutboxShowRequest", "The request to show.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the request.", idRule, .example("order-17"))
        withContent = try members.queryFlag(
            "content",
            \.withContent,
            "Include header fields and body, with secrets redacted; needs the right to post."
        )
    }
}

private let idRule = JSONRule<String>.schema(.text(pattern: "^[!-.0-~]+$", from: 1, upTo: NewOutboxRequest.idLength))

/// A lane, or the whole outbox, to pause or resume.
package struct OutboxPause: JSONRecord {
    package var lane: String?

    package init(lane: String?) { self.lane = lane }
}

extension OutboxPause {
    package static let form = JSONForm<Self>("OutboxPause", "The lane to pause or resume.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        lane = try members.optional(
            "lane",
            \.lane,
            "The lane; all of the outbox where absent.",
            .length(1...NewOutboxRequest.laneLength),
            .example("photos")
        )
    }
}

/// The target lane of a request.
package struct OutboxMove: JSONRecord {
    package let id, lane: String

    package init(_ id: String, to lane: String) {
        (self.id, self.lane) = (id, lane)
    }
}

extension OutboxMove {
    package static let form = JSONForm<Self>("OutboxMove", "A request to move to another lane.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the request.", idRule, .example("order-17"))
        lane = try members.required(
            "lane",
            \.lane,
            "The lane.",
            .length(1...NewOutboxRequest.laneLength),
            .example("orders")
        )
    }
}
