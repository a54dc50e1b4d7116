import WireBase
package import WireHTTP

/// The operations on synchronized data.
package enum SyncCalls {
    package static let query = APICall<SyncQuery, SyncAnswer, SyncFailureKind>(
        .post,
        "/v1/sync/query",
        "Run a query, by the name of a declared operation or by a document.",
        access: .read,
        upTo: .mebibytes(1),
        answers: [.init(.ok, "The response, complete or partial.")],
        fails: asking
    )

    package static let mutate = APICall<SyncMutation, SyncAnswer, SyncFailureKind>(
        .post,
        "/v1/sync/mutate",
        "Run a mutation, by the name of a declared operation or by a document.",
        access: .write,
        upTo: .mebibytes(1),
        answers: [
            .init(.ok, "The response of the server."),
            .init(.accepted, "The mutation is queued, with its 'id' and the expected 'data'."),
        ],
        fails: asking + [.queueFull, .otherMutation]
    )

    package static let queue = APICall<SyncQueueRequest, SyncQueue, SyncFailureKind>(
        .get,
        "/v1/sync/queue",
        "List the queued mutations of the current user.",
        access: .read,
        answers: [.init(.ok, "A page of mutations, in the order they were made.")],
        fails: showing
    )

    package static let queued = APICall<SyncMutationID, SyncQueued, SyncFailureKind>(
        .get,
        "/v1/sync/queue/{id}",
        "Show a queued mutation, or one that ended within the last day.",
        access: .read,
        answers: [.init(.ok, "The mutation.")],
        fails: showing + [.unknownMutation]
    )

    package static let drop = APICall<SyncMutationID, Nothing, SyncFailureKind>(
        .delete,
        "/v1/sync/queue/{id}",
        "Remove a mutation from the queue; one that is being sent may still reach the server.",
        access: .write,
        answers: [.init(.noContent, "The mutation is removed.")],
        fails: showing + [.unknownMutation]
    )

    package static let resolve = APICall<SyncDecision, SyncQueued, SyncFailureKind>(
        .post,
        "/v1/sync/queue/{id}/resolve",
        "Resolve the conflict of a queued mutation.",
        access: .write,
        upTo: .mebibytes(1),
        answers: [.init(.ok, "The mutation continues.")],
        fails: showing + [.invalid, .unknownMutation, .noConflict]
    )

    private static let showing: [SyncFailureKind] = [
        .notQueued, .locked, .distrusted, .blocked, .signedOut, .tokenUnavailable, .notSent, .storeUnavailable,
    ]

    package static let cache = APICall<NoInput, SyncCacheStatus, SyncFailureKind>(
        .get,
        "/v1/sync/cache",
        "Show the contents of the current user's cache.",
        access: .read,
        answers: [.init(.ok, "The size, and the number of records by type.")],
        fails: stored
    )

    package static let clearCache = APICall<NoInput, SyncCacheCleared, SyncFailureKind>(
        .delete,
        "/v1/sync/cache",
        "Remove all records from the cache of the current user; queued mutations stay.",
        access: .write,
        answers: [.init(.ok, "The records are removed.")],
        fails: stored
    )

    private static let stored = showing.filter { $0 != .notQueued }

    package static let refetch = APICall<SyncRefetch, SyncRefetched, SyncFailureKind>(
        .post,
        "/v1/sync/refetch",
        "Run a declared query again, ignoring the cache.",
        access: .write,
        upTo: .mebibytes(1),
        answers: [.init(.ok, "The query was run.")],
        fails: asking
    )

    package static let operations = APICall<NoInput, SyncOperations, SyncFailureKind>(
        .get,
        "/v1/sync/operations",
        "List the declared operations.",
        access: .read,
        answers: [.init(.ok, "The operations, by name.")],
        fails: []
    )

    package static let subscriptions = APICall<NoInput, SyncSubscriptions, SyncFailureKind>(
        .get,
        "/v1/sync/subscriptions",
        "List running subscriptions, and types updated by delta queries.",
        access: .read,
        answers: [.init(.ok, "The subscriptions and types.")],
        fails: stored
    )

    package static let schema = APICall<NoInput, SyncSchema, SyncFailureKind>(
        .get,
        "/v1/sync/schema",
        "Fetch the schema of the server.",
        access: .read,
        answers: [.init(.ok, "The current schema.")],
        fails: [
            .offline, .unreachable, .signedOut, .locked, .distrusted, .blocked, .tokenUnavailable, .notSent, .refused,
            .serverFailed, .malformed, .tooLarge, .ending, .cancelled,
        ]
    )

    package static let asking: [SyncFailureKind] = [
        .invalid, .unknownOperation, .invalidDocument, .notDeclared, .notStored, .offline, .unreachable, .signedOut,
        .locked, .distrusted, .blocked, .tokenUnavailable, .notSent, .refused, .serverFailed, .malformed, .tooLarge,
        .storeUnavailable, .ending, .cancelled,
    ]
}
