package import WireHTTP

/// The connection state of a subscription.
package enum SyncSubscriptionState: String, JSONWord, PlainCodable {
    /// The server has accepted the connection.
    case active
    /// The connection is being opened.
    case connecting
    /// A declared subscription that waits for a retry or for a user.
    case waiting
}

/// A running subscription: of a caller, or of the file.
package struct SyncSubscription: JSONRecord {
    package var number: Int
    /// The name in the file, for a declared subscription.
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
    package static let form = JSONForm<Self>("SyncSubscription", "A running subscription.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        number = try members.required("number", \.number, "The number of the subscription.", .count, .example(1))
        name = try members.optional("name", \.name, "The name in 'sync.subscriptions'.")
        operation = try members.optional("operation", \.operation, "The name of the operation.")
        isDeclared = try members.required("declared", \.isDeclared, "Whether the services file declares it.")
        state = try members.required("state", \.state, "The connection state.")
        since = try members.required("since", \.since, "The start in milliseconds since 1970.", .moment)
        messages = try members.required("messages", \.messages, "The number of messages.", .count)
        gaps = try members.required("gaps", \.gaps, "The number of gaps, in which messages may be lost.", .count)
        lastMessage = try members.optional(
            "lastMessage",
            \.lastMessage,
            "The time of the last message in milliseconds since 1970.",
            .moment
        )
        lastError = try members.optional("lastError", \.lastError, "The last error.")
        lastErrorTime = try members.optional(
            "lastErrorTime",
            \.lastErrorTime,
            "The time of the last error in milliseconds since 1970.",
            .moment
        )
    }
}

/// A type updated by delta queries.
package struct SyncDelta: JSONRecord {
    package var type: String
    package var query: String
    /// The server's timestamp of the last response.
    package var lastSync: String?
    /// Times are in milliseconds since 1970.
    package var lastRun: Int64?
    package var changed = 0
    package var deleted = 0
    /// Whether the last run did not return all changes.
    package var isTruncated = false
    package var lastError: String?
    package var next: Int64?

    package init(_ type: String, query: String) { (self.type, self.query) = (type, query) }
}

extension SyncDelta {
    package static let form = JSONForm<Self>("SyncDelta", "A type updated by delta queries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        type = try members.required("type", \.type, "The type.", .example("Article"))
        query = try members.required("query", \.query, "The name of the delta query.", .example("articles"))
        lastSync = try members.optional("lastSync", \.lastSync, "The server's timestamp of the last response.")
        lastRun = try members.optional(
            "lastRun",
            \.lastRun,
            "The time of the last response in milliseconds since 1970.",
            .moment
        )
        changed = try members.required(
            "changed",
            \.changed,
            "The number of changed objects since the start.",
            .count
        )
        deleted = try members.required(
            "deleted",
            \.deleted,
            "The number of deleted objects since the start.",
            .count
        )
        isTruncated = try members.flag(
            "truncated",
            \.isTruncated,
            "Whether objects are missing because the changes exceeded the limit."
        )
        lastError = try members.optional("lastError", \.lastError, "Why the last attempt failed.")
        next = try members.optional(
            "next",
            \.next,
            "The time of the next query in milliseconds since 1970.",
            .moment
        )
    }
}

/// The subscriptions and delta queries.
package struct SyncSubscriptions: JSONRecord {
    package let subscriptions: [SyncSubscription]
    package let delta: [SyncDelta]

    package init(_ subscriptions: [SyncSubscription], delta: [SyncDelta]) {
        (self.subscriptions, self.delta) = (subscriptions, delta)
    }
}

extension SyncSubscriptions {
    package static let form = JSONForm<Self>("SyncSubscriptions", "The running subscriptions, and the delta queries.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        subscriptions = try members.required("subscriptions", \.subscriptions, "The subscriptions, oldest first.")
        delta = try members.required("delta", \.delta, "The types of 'sync.delta'.")
    }
}
