package import WireConfig
package import WireHTTP

/// The state of a queued mutation.
package enum MutationState: String, JSONWord, PlainCodable {
    /// Queued.
    case accepted
    /// Sent at least once, without a response yet.
    case sent
    /// Executed by the server.
    case confirmed
    /// The server's data has changed, and the mutation waits for a decision.
    case conflict
    /// Failed for good.
    case failed

    package var hasEnded: Bool { self == .confirmed || self == .failed }
}

/// How to resolve a conflict with changed data of the server.
package enum ConflictStrategy: String, Choice {
    case clientWins, serverWins, merge, fail, ask

    package var help: String {
        switch self {
        case .clientWins: "the mutation is sent again with all its values"
        case .serverWins: "fields that the server has changed are left out"
        case .merge: "fields that one side has changed are merged; where both have, the mutation wins"
        case .fail: "the mutation fails"
        case .ask: "the mutation waits for a decision until the deadline, then it fails"
        }
    }
}

extension ConflictStrategy: JSONWord, PlainCodable {
    package static var placeholder: Self { .merge }
}

/// A conflict between a mutation and the server's data.
package struct SyncConflict: JSONRecord, Equatable {
    /// The values that the mutation was based on; absent where unknown.
    package var base: JSONValue?
    /// The values of the server; absent where the server has not sent them.
    package var server: JSONValue?
    /// The values that the mutation sets.
    package var client: JSONValue
    /// The fields changed on both sides.
    package var fields: [String]

    package init(base: JSONValue?, server: JSONValue?, client: JSONValue, fields: [String]) {
        (self.base, self.server, self.client, self.fields) = (base, server, client, fields)
    }

    package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}

extension SyncConflict {
    package static let form = JSONForm<Self>("SyncConflict", "A mutation and the server's data that differ.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        base = try members.optional("base", \.base, "The values that the mutation was made from.")
        server = try members.optional("server", \.server, "The values of the server.")
        client = try members.required("client", \.client, "The values that the mutation sets.")
        fields = try members.required("fields", \.fields, "The fields changed on both sides.")
    }
}

/// How a conflict was resolved.
package struct SyncResolution: JSONRecord, Equatable {
    package var strategy: ConflictStrategy
    /// The time in milliseconds since 1970.
    package var time: Int64
    /// Whether a caller has resolved the conflict.
    package var isByCaller: Bool
    /// The fields changed on both sides, and the overwritten fields of the server.
    package var fields, overwritten: [String]
    /// The replaced values of the server.
    package var replaced: JSONValue?

    package init(
        _ strategy: ConflictStrategy,
        at time: Int64,
        isByCaller: Bool = false,
        fields: [String],
        overwritten: [String],
        replaced: JSONValue?
    ) {
        (self.strategy, self.time, self.isByCaller) = (strategy, time, isByCaller)
        (self.fields, self.overwritten, self.replaced) = (fields, overwritten, replaced)
    }

    package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}

extension SyncResolution {
    package static let form = JSONForm<Self>("SyncResolution", "How a conflict was resolved.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        strategy = try members.required("strategy", \.strategy, "The strategy.")
        time = try members.required("time", \.time, "The time in milliseconds since 1970.", .moment)
        isByCaller = try members.flag("byCaller", \.isByCaller, "Whether a caller has resolved the conflict.")
        fields = try members.required("fields", \.fields, "The fields changed on both sides.")
        overwritten = try members.required(
            "overwritten",
            \.overwritten,
            "The fields whose server values were replaced."
        )
        replaced = try members.optional("replaced", \.replaced, "The server's values that were replaced.")
    }
}

/// A queued mutation for display.
package struct SyncQueued: JSONRecord {
    package var id: String
    package var operation: String?
    package var state: MutationState
    package var lane: String
    /// The creation time in milliseconds since 1970.
    package var made: Int64
    /// Why the mutation waits or has failed.
    package var reason: String?
    /// The temporary id of the created object, and the server's id once known.
    package var temporaryID: String?
    package var realID: JSONValue?
    /// The deadline for a decision, in milliseconds since 1970.
    package var deadline: Int64?
    package var conflict: SyncConflict?
    package var resolutions: [SyncResolution]?
    /// Omitted in lists.
    package var variables: JSONValue?
    package var data: JSONValue?
    package var errors: [JSONValue]?

    package init(_ id: String, _ operation: String?, _ state: MutationState, lane: String, made: Int64) {
        (self.id, self.operation, self.state, self.lane, self.made) = (id, operation, state, lane, made)
    }
}

extension SyncQueued {
    package static let form = JSONForm<Self>("SyncQueued", "A queued mutation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id, sent to the server as idempotency key.", .example("note-5"))
        operation = try members.optional("operation", \.operation, "The name of the operation.")
        state = try members.required("state", \.state, "The state.")
        lane = try members.required("lane", \.lane, "The lane of the outbox.", .example("default"))
        made = try members.required("made", \.made, "The creation time in milliseconds since 1970.", .moment)
        reason = try members.optional("reason", \.reason, "Why the mutation waits or has failed.")
        temporaryID = try members.optional("temporaryId", \.temporaryID, "The temporary id of the created object.")
        realID = try members.optional("realId", \.realID, "The server's id of the created object.")
        deadline = try members.optional(
            "deadline",
            \.deadline,
            "The deadline for a decision, in milliseconds since 1970.",
            .moment
        )
        conflict = try members.optional("conflict", \.conflict, "The conflict that waits for a decision.")
        resolutions = try members.optional("resolutions", \.resolutions, "The resolved conflicts.")
        variables = try members.optional("variables", \.variables, "The variables; not in lists.")
        data = try members.optional("data", \.data, "The server's data, or the expected data; not in lists.")
        errors = try members.optional("errors", \.errors, "The errors of the server.")
    }
}

/// A page of the current user's queued mutations.
package struct SyncQueue: JSONRecord {
    package let mutations: [SyncQueued]
    /// The number of mutations that have not ended.
    package let waiting: Int
    /// The position of the next page.
    package var next: Int64?

    package init(_ mutations: [SyncQueued], waiting: Int, next: Int64?) {
        (self.mutations, self.waiting, self.next) = (mutations, waiting, next)
    }
}

extension SyncQueue {
    package static let form = JSONForm<Self>("SyncQueue", "A page of the current user's queued mutations.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        mutations = try members.required("mutations", \.mutations, "The mutations, in order of creation.")
        waiting = try members.required(
            "waiting",
            \.waiting,
            "The number of mutations that have not ended.",
            .count,
            .example(1)
        )
        next = try members.optional("next", \.next, "The value of 'after' for the next page.")
    }
}

/// Selects queued mutations.
package struct SyncQueueRequest: JSONRecord {
    package var withEnded: Bool
    package var isNewestFirst = false
    package var after: Int64?
    package var limit: Int?

    package init(withEnded: Bool = false) { self.withEnded = withEnded }
}

extension SyncQueueRequest {
    package static let form = JSONForm<Self>("SyncQueueRequest", "The selection of queued mutations.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        withEnded = try members.queryFlag("ended", \.withEnded, "Include mutations that ended within the last day.")
        isNewestFirst = try members.queryFlag("newest", \.isNewestFirst, "List the newest first.")
        after = try members.query(
            "after",
            \.after,
            "Only mutations after this one; the 'next' of the previous page.",
            .position
        )
        limit = try members.query("limit", \.limit, "The maximum number; 100 by default.", .in(1...1_000))
    }
}

/// The id of a queued mutation.
package struct SyncMutationID: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension SyncMutationID {
    package static let form = JSONForm<Self>("SyncMutationID", "The id of a queued mutation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the mutation.", SyncMutation.idRule, .example("note-5"))
    }
}

/// The side whose values resolve a conflict.
package enum SyncSide: String, JSONWord, PlainCodable {
    case client, server
}

/// The resolution of a conflict by a caller.
package struct SyncDecision: JSONRecord {
    package let id: String
    package var side: SyncSide?
    package var variables: JSONValue?

    package init(_ id: String, _ side: SyncSide? = nil, variables: JSONValue? = nil) {
        (self.id, self.side, self.variables) = (id, side, variables)
    }
}

extension SyncDecision {
    package static let form = JSONForm<Self>("SyncDecision", "The resolution of a conflict.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the mutation.", SyncMutation.idRule, .example("note-5"))
        side = try members.optional(
            "side",
            \.side,
            "The side whose values are used; either this or 'variables'.",
            .example(.server)
        )
        variables = try members.optional("variables", \.variables, "Other variables to send the mutation with.")
    }
}
