import WireBase
package import WireHTTP

/// The operations on synchronised data, each declared once.
package enum SyncCalls {
    package static let query = APICall<SyncQuery, SyncAnswer, SyncFailureKind>(
        .post,
        "/v1/sync/query",
        "Run a query, by the name of a declared operation or by a document.",
        access: .read,
        upTo: .mebibytes(1),
        answers: [.init(.ok, "The answer, complete or partial.")],
        fails: asking
    )

    package static let mutate = APICall<SyncMutation, SyncAnswer, SyncFailureKind>(
        .post,
        "/v1/sync/mutate",
        "Run a mutation, by the name of a declared operation or by a document.",
        access: .write,
        upTo: .mebibytes(1),
        answers: [.init(.ok, "The answer of the server.")],
        fails: asking
    )

    package static let refetch = APICall<SyncRefetch, SyncRefetched, SyncFailureKind>(
        .post,
        "/v1/sync/refetch",
        "Run a declared query again, whatever the cache holds.",
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

    private static let asking: [SyncFailureKind] = [
        .invalid, .unknownOperation, .invalidDocument, .notDeclared, .notStored, .offline, .unreachable, .signedOut,
        .locked, .distrusted, .blocked, .tokenUnavailable, .notSent, .refused, .serverFailed, .malformed, .tooLarge,
        .storeUnavailable, .ending, .cancelled,
    ]
}
