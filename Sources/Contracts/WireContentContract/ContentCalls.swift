package import WireBase
package import WireHTTP

/// The operations on content.
package enum ContentCalls {
    package static let modules = APICall<ContentModulesRequest, ContentPage, ContentFailureKind>(
        .get,
        "/v1/content/modules",
        "List the modules of the server.",
        access: .read,
        answers: [page("Modules as sent by the server.")],
        fails: asking
    )

    package static let module = APICall<ContentModuleRequest, ContentDocument, ContentFailureKind>(
        .get,
        "/v1/content/modules/{module}",
        "Return a module of the server.",
        access: .read,
        answers: [document(.ok, "The module as sent by the server.")],
        fails: [.noSuchModule] + asking
    )

    package static let searchSimply = APICall<ContentSearchRequest, ContentPage, ContentFailureKind>(
        .get,
        "/v1/content/search",
        "Search instances with filters as text.",
        access: .read,
        answers: [page("Instances as sent by the server.")],
        fails: searching + asking
    )

    package static let search = APICall<ContentQuery, ContentPage, ContentFailureKind>(
        .post,
        "/v1/content/search",
        "Search instances with all features of the server.",
        access: .read,
        needsBody: true,
        answers: [page("Instances as sent by the server.")],
        fails: searching + asking
    )

    package static let create = APICall<ContentCreation, ContentDocument, ContentFailureKind>(
        .post,
        "/v1/content/instances",
        "Create an instance at the server.",
        access: .write,
        upTo: size,
        needsBody: true,
        answers: [document(.created, "The created instance."), nothing],
        fails: [.noSuchModule, .conflict] + asking
    )

    package static let instance = APICall<ContentInstanceRequest, ContentDocument, ContentFailureKind>(
        .get,
        "/v1/content/instances/{id}",
        "Return an instance.",
        access: .read,
        answers: [document(.ok, "The instance as sent by the server.")],
        fails: [.noSuchInstance] + searching + asking
    )

    package static let update = APICall<ContentChange, ContentDocument, ContentFailureKind>(
        .put,
        "/v1/content/instances/{id}",
        "Change an instance at the server; the given fields replace existing ones.",
        access: .write,
        upTo: size,
        needsBody: true,
        answers: [document(.ok, "The changed instance."), nothing],
        fails: [.noSuchModule, .conflict] + asking
    )

    package static let remove = APICall<ContentRemoval, Nothing, ContentFailureKind>(
        .delete,
        "/v1/content/instances/{id}",
        "Delete an instance at the server.",
        access: .write,
        answers: [nothing],
        fails: [.conflict] + asking
    )

    package static let batch = APICall<ContentBatch, ContentOutcomes, ContentFailureKind>(
        .post,
        "/v1/content/batch",
        "Make several independent changes at the server.",
        access: .write,
        upTo: size,
        needsBody: true,
        answers: [.init(.ok, "The result of each change.")],
        fails: [.noSuchModule, .conflict] + asking
    )

    package static let copies = APICall<ContentCopiesRequest, ContentCopies, ContentFailureKind>(
        .get,
        "/v1/content/sync",
        "Return the state and the sync log of each stored module.",
        access: .read,
        answers: [.init(.ok, "The modules in the order of the file.")],
        fails: [.noSuchModule] + asking
    )

    package static let sync = APICall<ContentSyncRequest, ContentSyncOutcomes, ContentFailureKind>(
        .post,
        "/v1/content/sync",
        "Sync a module, or all modules; responds when the sync is done.",
        access: .write,
        answers: [.init(.ok, "The result for each module.")],
        fails: [.noSuchModule] + asking
    )

    /// The maximum size of a change.
    package static let size = ByteCount.mebibytes(8)

    private static let searching: [ContentFailureKind] = [.notAnswerable, .notStored]
    private static let asking: [ContentFailureKind] = [
        .invalid, .invalidField, .signedOut, .blocked, .noSuchContent, .locked, .refused, .serverFailed, .malformed,
        .tooLarge, .forbidden, .offline, .tokenUnavailable, .unreachable, .store,
    ]

    private static let nothing = APISuccess(.noContent, "Done; the server sent no body.")

    private static func page(_ help: String) -> APISuccess {
        document(.ok, help).with(ContentFact.unresolvedField, "The number of unresolved references.")
    }

    private static func document(_ status: Status, _ help: String) -> APISuccess {
        APISuccess(status, help).with(
            ContentFact.field,
            "The source, such as miss, or stale; age=60; because=offline."
        )
    }
}
