package import WireHTTP

// What the operations on the outbox are asked with, besides the request that is posted.

/// A page of what waits.
package struct OutboxListRequest: JSONRecord {
    package var lane: String?
    package var after: Int64?
    package var limit: Int?

    package init() {}
}

extension OutboxListRequest {
    package static let form = JSONForm<Self>("OutboxListRequest", "A page of what waits.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        lane = try members.query("lane", \.lane, "Only what waits in this line.")
        after = try members.query(
            "after",
            \.after,
            "Only what follows this; the 'next' of the answer before.",
            .position
        )
        limit = try members.query("limit", \.limit, "How many at most.", .in(1...1_000))
    }
}

/// Which request is meant.
package struct OutboxID: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension OutboxID {
    package static let form = JSONForm<Self>("OutboxID", "Which request is meant.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id it was posted with, or was given.", idRule, .example("order-17"))
    }
}

/// Which request is asked about.
package struct OutboxShowRequest: JSONRecord {
    package let id: String
    package var withContent = false

    package init(_ id: String) { self.id = id }
}

extension OutboxShowRequest {
    package static let form = JSONForm<Self>("OutboxShowRequest", "Which request is asked about.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id it was posted with, or was given.", idRule, .example("order-17"))
        withContent = try members.queryFlag(
            "content",
            \.withContent,
            "Tell its fields and body too, secrets redacted, to who may post."
        )
    }
}

private let idRule = JSONRule<String>.schema(.text(pattern: "^[!-.0-~]+$", from: 1, upTo: OutboxPost.idLength))

/// What is paused, or resumed.
package struct OutboxPause: JSONRecord {
    package var lane: String?

    package init(lane: String?) { self.lane = lane }
}

extension OutboxPause {
    package static let form = JSONForm<Self>("OutboxPause", "What is paused, or resumed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        lane = try members.optional(
            "lane",
            \.lane,
            "The lane; all of the outbox where absent.",
            .length(1...OutboxPost.laneLength),
            .example("photos")
        )
    }
}

/// A request that is to wait in another lane.
package struct OutboxMove: JSONRecord {
    package let id, lane: String

    package init(_ id: String, to lane: String) {
        (self.id, self.lane) = (id, lane)
    }
}

extension OutboxMove {
    package static let form = JSONForm<Self>("OutboxMove", "A request that is to wait in another lane.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id it was posted with, or was given.", idRule, .example("order-17"))
        lane = try members.required("lane", \.lane, "The lane.", .length(1...OutboxPost.laneLength), .example("orders"))
    }
}
