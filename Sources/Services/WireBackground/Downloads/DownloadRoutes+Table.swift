import WireHTTP
import WireService

extension DownloadRoutes {
    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/downloads",
                "The downloads that are known: those that run, those that wait, those that have ended.",
                access: .read,
                inputs: [
                    .init(.query, "state", "Only those that are so.", .words(Download.State.allCases.map(\.rawValue))),
                    .init(.query, "after", "Only what follows this one; the 'next' of the answer before."),
                    .init(.query, "limit", "How many at most.", .integer(in: limits)),
                ],
                answers: [.json(list, "A page of downloads."), malformed]
            )
        ) { group in .snapshot { try group.list($0) } },
        .init(
            .init(
                .post,
                "/v1/downloads",
                "Want a file; answered when the wish is on the disk. The same wish twice is one download.",
                access: .write,
                body: .json(wish),
                answers: [
                    .json(DownloadView.schema, "It was wanted already, and is so."),
                    .json(DownloadView.schema, "It is wanted from now on.", status: .created)
                        .with("Location", "Where it can be looked at."),
                    .problem(.unprocessableContent, "invalid-download", "It could never be fetched."),
                    .problem(.forbidden, "downloads-undeclared", "The file does not say where downloads go."),
                    .problem(.forbidden, "download-forbidden", "Nothing may come from that host."),
                    .problem(.insufficientStorage, "too-many-downloads", "As many are wanted as may be."),
                ] + failures
            )
        ) { .work($0.add) },
        .init(
            .init(
                .get,
                "/v1/downloads/{id}",
                "How it is with a download; as text/event-stream how it gets on, until it has ended.",
                access: .read,
                inputs: [
                    id, .init(.query, "watch", "Send how it gets on, as server-sent events.", .boolean),
                    .init(.header, "Accept", "text/event-stream is the same as 'watch'."),
                ],
                answers: [
                    .json(DownloadView.schema, "How it is,"), .body("text/event-stream", "or how it gets on."), unknown,
                    malformed,
                ]
            )
        ) { .snapshot($0.look) },
        .init(
            .init(
                .delete,
                "/v1/downloads/{id}",
                "Cancel a download and forget it, with what is here of it; a file that is whole stays.",
                access: .write,
                inputs: [id, .init(.query, "file", "Remove a file that is whole, too.", .boolean)],
                answers: [.nothing(.noContent, "It is gone."), unknown, malformed] + failures
            )
        ) { .work($0.remove) },
        .init(
            .init(
                .post,
                "/v1/downloads/{id}/pause",
                "Fetch no more of it, and keep what is here.",
                access: .write,
                inputs: [id],
                answers: [.json(DownloadView.schema, "How it is now."), unknown] + failures
            )
        ) { .work($0.pause) },
        .init(
            .init(
                .post,
                "/v1/downloads/{id}/resume",
                "Fetch on what was paused, anew what has failed, and at once what waits for its next attempt.",
                access: .write,
                inputs: [id],
                answers: [.json(DownloadView.schema, "How it is now."), unknown] + failures
            )
        ) { .work($0.resume) },
    ]

    static let limits = 1...1_000

    private static let id = Route.Input(
        .path,
        "id",
        "Which one.",
        .text(pattern: "^[A-Za-z0-9._:~-]{1,200}$")
    )

    private static let list = JSONSchema.object([
        .required("downloads", "Those that run first, those that have ended last.", .array(of: DownloadView.schema)),
        .optional("next", "Where the next page begins, as 'after'.", .text),
    ])

    private static let wish = JSONSchema.object([
        .required("address", "A URL, or a path below the base URL of the environment.", .text(upTo: 8_192)),
        .optional(
            "id",
            "What it is known by; made from the address where it is missing.",
            .text(pattern: "^[A-Za-z0-9._:~-]{1,200}$").orNull
        ),
        .optional("name", "What the file is called; as the server says where it is missing.", .text(upTo: 200).orNull),
        .optional("sha256", "What its bytes must come to.", .text(pattern: "^[0-9A-Fa-f]{64}$").orNull),
        .optional(
            "authorization",
            "Whose token goes along, to hosts that are given one.",
            ServerCall.Authorization.schema.orNull
        ),
        .optional("priority", "Those with more go first.", .integer(in: DownloadWish.priorities).orNull),
    ])

    private static let unknown = Operation.Answer.problem(.notFound, "no-such-download", "Nothing is known of it.")
    private static let malformed = Operation.Answer.problem(
        .badRequest,
        "invalid-query",
        "The query is not as expected."
    )
    private static let failures: [Operation.Answer] = [
        .problem(.unavailable, "store-unavailable", "The store cannot be used now."),
        .problem(.unavailable, "ended", "The service has ended."),
    ]
}
