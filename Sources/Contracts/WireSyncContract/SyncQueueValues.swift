package import WireConfig
package import WireHTTP

/// How far a queued mutation has come.
package enum MutationState: String, JSONWord, PlainCodable {
    /// On the disk, to be sent.
    case accepted
    /// Sent at least once, and not answered yet.
    case sent
    /// The server has run it.
    case confirmed
    /// The server has other data than it was made from, and a decision is awaited.
    case conflict
    /// It is not sent any more.
    case failed

    package var hasEnded: Bool { self == .confirmed || self == .failed }
}

/// What is done where the server's data have changed since a mutation was made.
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

/// A mutation and the server's data that contradict each other.
package struct SyncConflict: JSONRecord, Equatable {
    /// What the mutation was made from; absent where that is not known.
    package var base: JSONValue?
    /// What the server has; absent where it did not tell.
    package var server: JSONValue?
    /// What the mutation sets.
    package var client: JSONValue
    /// The fields that both sides have changed.
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
        fields = try members.required("fields", \.fields, "The fields that both sides have changed.")
    }
}

/// How a conflict was resolved.
package struct SyncResolution: JSONRecord, Equatable {
    package var strategy: ConflictStrategy
    /// When, in milliseconds since 1970.
    package var time: Int64
    /// Whether a caller has decided it.
    package var isByCaller: Bool
    /// The fields that both sides have changed, and those of the server that were overwritten.
    package var fields, overwritten: [String]
    /// The server's values of these fields.
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
        time = try members.required("time", \.time, "When, in milliseconds since 1970.", .moment)
        isByCaller = try members.flag("byCaller", \.isByCaller, "Whether a caller has decided it.")
        fields = try members.required("fields", \.fields, "The fields that both sides had changed.")
        overwritten = try members.required(
            "overwritten",
            \.overwritten,
            "The fields whose server values were replaced."
        )
        replaced = try members.optional("replaced", \.replaced, "The server's values that were replaced.")
    }
}

/// A queued mutation as callers see it.
package struct SyncQueued: JSONRecord {
    package var id: String
    package var operation: String?
    package var state: MutationState
    package var lane: String
    /// When it was made, in milliseconds since 1970.
    package var made: Int64
    /// Why it waits or has failed.
    package var reason: String?
    /// The id of ours for the object it creates, and the server's once that is known.
    package var temporaryID: String?
    package var realID: JSONValue?
    /// Until when a decision is awaited, in milliseconds since 1970.
    package var deadline: Int64?
    package var conflict: SyncConflict?
    package var resolutions: [SyncResolution]?
    /// Left out in lists.
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
        id = try members.required("id", \.id, "Its id, which the server gets as idempotency key.", .example("note-5"))
        operation = try members.optional("operation", \.operation, "The name of its operation.")
        state = try members.required("state", \.state, "How far it has come.")
        lane = try members.required("lane", \.lane, "Its lane of the outbox.", .example("default"))
        made = try members.required("made", \.made, "When it was made, in milliseconds since 1970.", .moment)
        reason = try members.optional("reason", \.reason, "Why it waits or has failed.")
        temporaryID = try members.optional("temporaryId", \.temporaryID, "The temporary id of the object it creates.")
        realID = try members.optional("realId", \.realID, "The id that the server gave to that object.")
        deadline = try members.optional(
            "deadline",
            \.deadline,
            "Until when a decision is awaited, in milliseconds since 1970.",
            .moment
        )
        conflict = try members.optional("conflict", \.conflict, "What contradicts, while a decision is awaited.")
        resolutions = try members.optional("resolutions", \.resolutions, "How conflicts of it were resolved.")
        variables = try members.optional("variables", \.variables, "Its variables; not in lists.")
        data = try members.optional("data", \.data, "The server's data, or what is expected of it; not in lists.")
        errors = try members.optional("errors", \.errors, "The errors of the server.")
    }
}

/// A page of the queued mutations of the present user.
package struct SyncQueue: JSONRecord {
    package let mutations: [SyncQueued]
    /// How many have not ended.
    package let waiting: Int
    /// Where the next page begins.
    package var next: Int64?

    package init(_ mutations: [SyncQueued], waiting: Int, next: Int64?) {
        (self.mutations, self.waiting, self.next) = (mutations, waiting, next)
    }
}

extension SyncQueue {
    package static let form = JSONForm<Self>("SyncQueue", "A page of the queued mutations of the present user.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        mutations = try members.required("mutations", \.mutations, "The mutations, in the order they were made.")
        waiting = try members.required("waiting", \.waiting, "How many mutations have not ended.", .count, .example(1))
        next = try members.optional("next", \.next, "Where the next page begins, as 'after'.")
    }
}

/// Which queued mutations are listed.
package struct SyncQueueRequest: JSONRecord {
    package var withEnded: Bool
    package var isNewestFirst = false
    package var after: Int64?
    package var limit: Int?

    package init(withEnded: Bool = false) { self.withEnded = withEnded }
}

extension SyncQueueRequest {
    package static let form = JSONForm<Self>("SyncQueueRequest", "Which queued mutations are listed.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        withEnded = try members.queryFlag("ended", \.withEnded, "List those too that have ended within a day.")
        isNewestFirst = try members.queryFlag("newest", \.isNewestFirst, "List the newest first.")
        after = try members.query(
            "after",
            \.after,
            "Only what follows this; the 'next' of the answer before.",
            .position
        )
        limit = try members.query("limit", \.limit, "How many at most; 100 unless it is given.", .in(1...1_000))
    }
}

/// Names a queued mutation.
package struct SyncMutationID: JSONRecord {
    package let id: String

    package init(_ id: String) { self.id = id }
}

extension SyncMutationID {
    package static let form = JSONForm<Self>("SyncMutationID", "Names a queued mutation.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the mutation.", SyncMutation.idRule, .example("note-5"))
    }
}

/// Whose values a conflict is resolved with.
package enum SyncSide: String, JSONWord, PlainCodable {
    case client, server
}

/// How a caller decides a conflict.
package struct SyncDecision: JSONRecord {
    package let id: String
    package var side: SyncSide?
    package var variables: JSONValue?

    package init(_ id: String, _ side: SyncSide? = nil, variables: JSONValue? = nil) {
        (self.id, self.side, self.variables) = (id, side, variables)
    }
}

extension SyncDecision {
    package static let form = JSONForm<Self>("SyncDecision", "How a caller decides a conflict.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.path("id", \.id, "The id of the mutation.", SyncMutation.idRule, .example("note-5"))
        side = try members.optional(
            "side",
            \.side,
            "Whose values are taken; either this or 'variables'.",
            .example(.server)
        )
        variables = try members.optional("variables", \.variables, "Other variables to send the mutation with.")
    }
}
