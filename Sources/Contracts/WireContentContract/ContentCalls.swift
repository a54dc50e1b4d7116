package import WireBase
package import WireHTTP

/// The operations on content, each declared once.
package enum ContentCalls {
    package static let modules = APICall<ContentModulesRequest, ContentPage, ContentFailureKind>(
        .get,
        "/v1/content/modules",
        "The modules of the server, a page of them.",
        access: .read,
        answers: [page("Modules as the server wrote them.")],
        fails: asking
    )

    package static let module = APICall<ContentModuleRequest, ContentDocument, ContentFailureKind>(
        .get,
        "/v1/content/modules/{module}",
        "A module of the server.",
        access: .read,
        answers: [document(.ok, "As the server wrote it.")],
        fails: [.noSuchModule] + asking
    )

    package static let searchSimply = APICall<ContentSearchRequest, ContentPage, ContentFailureKind>(
        .get,
        "/v1/content/search",
        "Search instances; the filters as text.",
        access: .read,
        answers: [page("Instances as the server wrote them.")],
        fails: searching + asking
    )

    package static let search = APICall<ContentQuery, ContentPage, ContentFailureKind>(
        .post,
        "/v1/content/search",
        "Search instances, with all that servers understand.",
        access: .read,
        needsBody: true,
        answers: [page("Instances as the server wrote them.")],
        fails: searching + asking
    )

    package static let create = APICall<ContentCreation, ContentDocument, ContentFailureKind>(
        .post,
        "/v1/content/instances",
        "Make an instance at the server.",
        access: .write,
        upTo: size,
        needsBody: true,
        answers: [document(.created, "As the server has it now."), nothing],
        fails: [.noSuchModule, .conflict] + asking
    )

    package static let instance = APICall<ContentInstanceRequest, ContentDocument, ContentFailureKind>(
        .get,
        "/v1/content/instances/{id}",
        "An instance.",
        access: .read,
        answers: [document(.ok, "As the server wrote it.")],
        fails: [.noSuchInstance] + searching + asking
    )

    package static let update = APICall<ContentChange, ContentDocument, ContentFailureKind>(
        .put,
        "/v1/content/instances/{id}",
        "Change an instance at the server: the fields given take the place of those it has.",
        access: .write,
        upTo: size,
        needsBody: true,
        answers: [document(.ok, "As the server has it now."), nothing],
        fails: [.noSuchModule, .conflict] + asking
    )

    package static let remove = APICall<ContentRemoval, Nothing, ContentFailureKind>(
        .delete,
        "/v1/content/instances/{id}",
        "Remove an instance at the server.",
        access: .write,
        answers: [nothing],
        fails: [.conflict] + asking
    )

    package static let batch = APICall<ContentBatch, ContentOutcomes, ContentFailureKind>(
        .post,
        "/v1/content/batch",
        "Make several changes at the server, each done for itself.",
        access: .write,
        upTo: size,
        needsBody: true,
        answers: [.init(.ok, "What became of each.")],
        fails: [.noSuchModule, .conflict] + asking
    )

    package static let copies = APICall<ContentCopiesRequest, ContentCopies, ContentFailureKind>(
        .get,
        "/v1/content/sync",
        "How the copies of modules are, with the log of each.",
        access: .read,
        answers: [.init(.ok, "In the order of the file.")],
        fails: [.noSuchModule] + asking
    )

    package static let sync = APICall<ContentSyncRequest, ContentSyncOutcomes, ContentFailureKind>(
        .post,
        "/v1/content/sync",
        "Bring a module up to date, or all of them; answered when it is done.",
        access: .write,
        answers: [.init(.ok, "What became of each.")],
        fails: [.noSuchModule] + asking
    )

    /// How large a change may be.
    package static let size = ByteCount.mebibytes(8)

    private static let searching: [ContentFailureKind] = [.notAnswerable, .notStored]
    private static let asking: [ContentFailureKind] = [
        .invalid, .invalidField, .signedOut, .blocked, .noSuchContent, .locked, .refused, .serverFailed, .malformed,
        .tooLarge, .forbidden, .offline, .tokenUnavailable, .unreachable, .store,
    ]

    private static let nothing = APISuccess(.noContent, "It is done, and the server says nothing.")

    private static func page(_ help: String) -> APISuccess {
        document(.ok, help).with(ContentFact.unresolvedField, "References that stayed references.")
    }

    private static func document(_ status: Status, _ help: String) -> APISuccess {
        APISuccess(status, help).with(
            ContentFact.field,
            "Where it came from, such as miss, or stale; age=60; because=offline."
        )
    }
}
