import WireHTTP
import WireService

extension OutboxRoutes {
    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/outbox",
                "What waits to be sent, oldest first, without fields and bodies.",
                access: .read,
                inputs: [
                    .init(.query, "lane", "Only what waits in this line."),
                    .init(
                        .query,
                        "after",
                        "Only what follows this; the 'next' of the answer before.",
                        .text(pattern: "^[0-9]{1,18}$")
                    ),
                    .init(.query, "limit", "How many at most.", .integer(in: pageSizes)),
                ],
                answers: [.json(OutboxPage.schema, "A page of requests.")] + failures
            )
        ) { group in .work { try group.list($0) } },
        .init(
            .init(
                .post,
                "/v1/outbox",
                "Send a request for certain: answered when it is on the disk, and sent until it has arrived.",
                access: .write,
                body: .json(OutboxPost.form.requestSchema, upTo: OutboxPart.bodyLimit),
                answers: [
                    .json(OutboxReceipt.schema, "It is on the disk.", status: .accepted)
                        .with("Location", "Where to ask what became of it."),
                    .json(OutboxReceipt.schema, "One with its id is there, or has ended lately; nothing has changed.")
                        .with("Location", "Where to ask what became of it."),
                    .problem(.badRequest, "invalid-request", "It could never be sent."),
                    .problem(.insufficientStorage, "full", "As much waits as the file allows."),
                    .problem(.unavailable, "ending", "The outbox ends."),
                ] + failures
            )
        ) { .work($0.post) },
        .init(
            .init(
                .post,
                "/v1/outbox/pause",
                "Send nothing more of a lane, or of any, until it is resumed; also after the next start.",
                access: .write,
                body: .json(lane, mayBeEmpty: true),
                answers: [
                    .json(OutboxPauses.schema, "What is paused now."),
                    .problem(.badRequest, "invalid-request", "It cannot be the name of a lane."),
                ] + failures
            )
        ) { .work($0.pause) },
        .init(
            .init(
                .post,
                "/v1/outbox/resume",
                "Send again what was paused; a lane that is paused itself stays so when all is resumed.",
                access: .write,
                body: .json(lane, mayBeEmpty: true),
                answers: [
                    .json(OutboxPauses.schema, "What is paused now."),
                    .problem(.badRequest, "invalid-request", "It cannot be the name of a lane."),
                ] + failures
            )
        ) { .work($0.resume) },
        .init(
            .init(
                .get,
                "/v1/outbox/{id}",
                "How it is with a request: it waits, or what became of it and what the server answered.",
                access: .read,
                inputs: [
                    id,
                    .init(
                        .query,
                        "content",
                        "Tell its fields and body too, secrets redacted, to who may post.",
                        .boolean
                    ),
                ],
                answers: [.json(OutboxEntry.schema, "How it is."), noSuchRequest] + failures
            )
        ) { group in .work { try group.show($0) } },
        .init(
            .init(
                .delete,
                "/v1/outbox/{id}",
                "Let go of a request, which will then never arrive unless it is under way.",
                access: .write,
                inputs: [id],
                answers: [.nothing(.noContent, "It is gone."), noSuchRequest] + failures
            )
        ) { .work($0.drop) },
        .init(
            .init(
                .post,
                "/v1/outbox/{id}/retry",
                "Try a request now, where nothing of its lane is before it.",
                access: .write,
                inputs: [id],
                answers: [.nothing(.noContent, "It is tried."), noSuchRequest] + failures
            )
        ) { .work($0.retry) },
    ]

    private static let lane = JSONSchema.object([
        .optional(
            "lane",
            "The lane; all of the outbox where absent.",
            .text(from: 1, upTo: OutboxCheck.laneLength).orNull
        )
    ])

    private static let id = Route.Input(
        .path,
        "id",
        "The id it was posted with, or was given.",
        .text(pattern: "^[!-.0-~]+$", from: 1, upTo: OutboxCheck.idLength)
    )

    private static let noSuchRequest = Operation.Answer.problem(
        .notFound,
        "no-such-request",
        "Nothing is known of such a request."
    )

    private static let failures: [Operation.Answer] = [
        .problem(.unavailable, "store-unavailable", "The store cannot be used now.")
    ]
}
