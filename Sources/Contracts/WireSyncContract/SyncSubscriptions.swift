package import WireHTTP

/// How a subscription is connected.
package enum SyncSubscriptionState: String, JSONWord, PlainCodable {
    /// The server has accepted the connection.
    case active
    /// The connection is being opened.
    case connecting
    /// A subscription of the file is tried again later, or waits for a user.
    case waiting
}

/// A subscription that runs: of a caller, or of the file.
package struct SyncSubscription: JSONRecord {
    package var number: Int
    /// Its name in the file, where the file declares it.
    package var name: String?
    package var operation: String?
    package var isDeclared = false
    package var state = SyncSubscriptionState.waiting
    /// Times are in milliseconds since 1970.
    package var since: Int64
    package var messages = 0
    package var gaps = 0
    package var lastMessage: Int64?
    package var lastError: String?
    package var lastErrorTime: Int64?

    package init(_ number: Int, since: Int64) { (self.number, self.since) = (number, since) }
}

extension SyncSubscription {
    package static let form = JSONForm<Self>("SyncSubscription", "A subscription that runs.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required("number", \.number, "Its number in this run.", .count, .example(1))
        name = try members.optional("name", \.name, "Its name in 'sync.subscriptions'.")
        operation = try members.optional("operation", \.operation, "The name of its operation.")
        isDeclared = try members.required("declared", \.isDeclared, "Whether the file declares it.")
        state = try members.required("state", \.state, "How it is connected.")
        since = try members.required("since", \.since, "When it began, in milliseconds since 1970.", .moment)
        messages = try members.required("messages", \.messages, "How many messages it has brought.", .count)
        gaps = try members.required("gaps", \.gaps, "How often messages may have been missed.", .count)
        lastMessage = try members.optional(
            "lastMessage",
            \.lastMessage,
            "When the last one came, in milliseconds since 1970.",
            .moment
        )
        lastError = try members.optional("lastError", \.lastError, "The last error.")
        lastErrorTime = try members.optional(
            "lastErrorTime",
            \.lastErrorTime,
            "When that was, in milliseconds since 1970.",
            .moment
        )
    }
}

/// A type that is kept up to date by delta queries.
package struct SyncDelta: JSONRecord {
    package var type: String
    package var query: String
    /// The server's time of the last answer.
    package var lastSync: String?
    /// Times are in milliseconds since 1970.
    package var lastRun: Int64?
    package var changed = 0
    package var deleted = 0
    /// Whether the last run has not brought all changes.
    package var isTruncated = false
    package var lastError: String?
    package var next: Int64?

    package init(_ type: String, query: String) { (self.type, self.query) = (type, query) }
}

extension SyncDelta {
    package static let form = JSONForm<Self>("SyncDelta", "A type that is kept up to date by delta queries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        type = try members.required("type", \.type, "The type.", .example("Article"))
        query = try members.required("query", \.query, "The name of the delta query.", .example("articles"))
        lastSync = try members.optional("lastSync", \.lastSync, "The server's time of the last answer.")
        lastRun = try members.optional(
            "lastRun",
            \.lastRun,
            "When the server answered last, in milliseconds since 1970.",
            .moment
        )
        changed = try members.required(
            "changed",
            \.changed,
            "How many objects were told as changed in this run.",
            .count
        )
        deleted = try members.required(
            "deleted",
            \.deleted,
            "How many objects were told as deleted in this run.",
            .count
        )
        isTruncated = try members.flag(
            "truncated",
            \.isTruncated,
            "Whether objects are missing: more have changed than the limit allows, and the server cannot go on after them."
        )
        lastError = try members.optional("lastError", \.lastError, "Why the last attempt failed.")
        next = try members.optional(
            "next",
            \.next,
            "When the server is asked again, in milliseconds since 1970.",
            .moment
        )
    }
}

/// What is brought up to date by itself.
package struct SyncSubscriptions: JSONRecord {
    package let subscriptions: [SyncSubscription]
    package let delta: [SyncDelta]

    package init(_ subscriptions: [SyncSubscription], delta: [SyncDelta]) {
        (self.subscriptions, self.delta) = (subscriptions, delta)
    }
}

extension SyncSubscriptions {
    package static let form = JSONForm<Self>("SyncSubscriptions", "The subscriptions that run, and the delta queries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        subscriptions = try members.required("subscriptions", \.subscriptions, "The subscriptions, oldest first.")
        delta = try members.required("delta", \.delta, "The types of 'sync.delta'.")
    }
}
