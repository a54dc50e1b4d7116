import WireBase
import WireHTTP
import WireService

extension RunnerRoutes {
    static let table: [RouteEntry<Self>] = looking + changing

    // MARK: Looking

    private static let looking: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/status",
                "How the runner and its services are.",
                access: .read,
                answers: [.json(RunnerStatus.schema, "How they are at this moment.")]
            )
        ) { .snapshot($0.status) },
        .init(
            .init(
                .get,
                "/v1/environment",
                "The environment that runs, and those there are.",
                access: .read,
                answers: [.json(environments, "The environments.")]
            )
        ) { .snapshot($0.environment) },
        .init(
            .init(
                .get,
                "/v1/generations",
                "The generations that are kept.",
                access: .read,
                answers: [
                    .json(
                        .object([.required("generations", "Latest first.", .array(of: GenerationRecord.schema))]),
                        "The generations."
                    )
                ]
            )
        ) { .work($0.generations) },
        .init(
            .init(
                .get,
                "/v1/generations/{generation}",
                "What a generation was made of, secrets redacted.",
                access: .read,
                inputs: [number],
                answers: [.body("application/yaml", "A services file."), notKept]
            )
        ) { .work($0.effectiveFile) },
        .init(
            .init(
                .get,
                "/v1/events",
                "What happens, as server-sent events.",
                access: .read,
                inputs: [
                    .init(.query, "name", "Only events whose names begin so."),
                    .init(.query, "follow", "false for the events that are kept, and an end after them.", .boolean),
                    .init(.header, "Last-Event-ID", "Go on after this event.", .text(pattern: "^[0-9]{1,19}$")),
                ],
                answers: [.body("text/event-stream", "The events.")]
            )
        ) { .work($0.events) },
    ]

    private static let environments = JSONSchema.object([
        .optional("environment", "The one that runs.", .text),
        .optional("url", "Where its servers are, for one that the file does not declare.", .text),
        .required("environments", "Those of the file.", .array(of: .text)),
        .required("backend", "Whom the services speak to.", .text),
        .required("generation", "The generation that runs.", .integer),
    ]).named("Environments")

    // MARK: Changing

    private static let changing: [RouteEntry<Self>] = [
        .init(
            .init(
                .put,
                "/v1/environment",
                "Switch to another environment.",
                access: .admin,
                body: body(.environment, mayBeEmpty: false),
                inputs: [onlyWhere],
                answers: changed
            )
        ) { group in .work { try await group.change($0, .environment) } },
        .init(
            .init(
                .post,
                "/v1/reload",
                "Read the file again, and make what it says the next generation.",
                access: .admin,
                body: body(.file),
                inputs: [onlyWhere],
                answers: changed
            )
        ) { group in .work { try await group.change($0, .reload) } },
        .init(
            .init(
                .post,
                "/v1/plan",
                "What a reload, a switch or a rollback would do, without doing it.",
                access: .admin,
                body: body(.anything),
                inputs: [onlyWhere],
                answers: changed
            )
        ) { group in .work { try await group.change($0, .plan) } },
        .init(
            .init(
                .post,
                "/v1/confirm",
                "Keep the generation that waits to be confirmed.",
                access: .admin,
                body: .json(.object([]), upTo: .kibibytes(64), mayBeEmpty: true),
                answers: [
                    .json(.object([.required("confirmed", "Whether one waited.", .boolean)]), "What became of it."),
                    .problem(.unavailable, "not-kept", "The store did not take the confirmation."),
                ]
            )
        ) { .work($0.confirm) },
        .init(
            .init(
                .post,
                "/v1/generations/{generation}/rollback",
                "Make what an earlier generation was made of the next one.",
                access: .admin,
                body: body(.file),
                inputs: [number, onlyWhere],
                answers: changed + [notKept]
            )
        ) { group in .work { try await group.change($0, .rollback) } },
    ]

    private static func body(_ target: ChangeWish.Target, mayBeEmpty: Bool = true) -> Route.BodyRule {
        .json(ChangeWish.schema(target), upTo: .kibibytes(64), mayBeEmpty: mayBeEmpty)
    }

    private static let onlyWhere = Route.Input(
        .header,
        "If-Match",
        "The hash of the content that must run for it to happen.",
        .tags
    )

    private static let number = Route.Input(.path, "generation", "Its number.", .integer(in: ChangeWish.generations))

    private static let notKept = Operation.Answer.problem(.notFound, "no-such-generation", "It is not kept.")

    private static let changed: [Operation.Answer] = [
        .json(ChangeReport.schema, "What was done, or would be."),
        refused(.conflict, "The next generation did not start; the present one goes on."),
        refused(.preconditionFailed, "Other content runs than 'If-Match' names."),
        refused(.unprocessableContent, "The file was refused; the present generation goes on."),
    ]

    private static func refused(_ status: Status, _ help: String) -> Operation.Answer {
        .problem(
            status,
            "change-refused",
            help,
            carrying: Problem.schema("RefusedChange", carrying: ChangeReport.shape)
        )
    }
}
