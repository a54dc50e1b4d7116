import WireBase
import WireConfig
import WireHTTP
import WireService

extension ContentRoutes {
    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/content/modules",
                "The modules of the server, a page of them.",
                access: .read,
                inputs: paging + [withFields, policy],
                answers: [page("Modules as the server wrote them.")] + failures
            )
        ) { .work($0.modules) },
        .init(
            .init(
                .get,
                "/v1/content/modules/{module}",
                "A module of the server.",
                access: .read,
                inputs: [
                    .init(.path, "module", "Its name in the file, or its name or identifier at the server."),
                    withFields,
                    policy,
                ],
                answers: [told("As the server wrote it."), noModule] + failures
            )
        ) { .work($0.module) },
        .init(
            .init(
                .get,
                "/v1/content/search",
                "Search instances; the filters as text.",
                access: .read,
                inputs: simple + [policy],
                answers: [page("Instances as the server wrote them.")] + searching + failures
            )
        ) { .work($0.searchSimply) },
        .init(
            .init(
                .post,
                "/v1/content/search",
                "Search instances, with all that servers understand.",
                access: .read,
                body: .json(query),
                inputs: [policy],
                answers: [page("Instances as the server wrote them.")] + searching + failures
            )
        ) { .work($0.search) },
        .init(
            .init(
                .post,
                "/v1/content/instances",
                "Make an instance at the server.",
                access: .write,
                body: .json(draft, upTo: size),
                inputs: [policy],
                answers: [told("As the server has it now.", .created), nothing, noModule] + changing + failures
            )
        ) { .work($0.create) },
        .init(
            .init(
                .get,
                "/v1/content/instances/{id}",
                "An instance.",
                access: .read,
                inputs: [id, locale, policy],
                answers: [told("As the server wrote it."), noInstance] + searching + failures
            )
        ) { .work($0.instance) },
        .init(
            .init(
                .put,
                "/v1/content/instances/{id}",
                "Change an instance at the server: the fields given take the place of those it has.",
                access: .write,
                body: .json(draft, upTo: size),
                inputs: [id, policy],
                answers: [told("As the server has it now."), nothing, noModule] + changing + failures
            )
        ) { .work($0.update) },
        .init(
            .init(
                .delete,
                "/v1/content/instances/{id}",
                "Remove an instance at the server.",
                access: .write,
                inputs: [id, policy],
                answers: [nothing] + changing + failures
            )
        ) { .work($0.delete) },
        .init(
            .init(
                .post,
                "/v1/content/batch",
                "Make several changes at the server, each done for itself.",
                access: .write,
                body: .json(batch, upTo: size),
                inputs: [policy],
                answers: [.json(outcomes, "What became of each."), noModule] + changing + failures
            )
        ) { .work($0.batch) },
        .init(
            .init(
                .get,
                "/v1/content/sync",
                "How the copies of modules are, with the log of each.",
                access: .read,
                inputs: [.init(.query, "module", "Only this one, by its name in the file.")],
                answers: [.json(states, "In the order of the file."), noModule] + failures
            )
        ) { .work($0.states) },
        .init(
            .init(
                .post,
                "/v1/content/sync",
                "Bring a module up to date, or all of them; answered when it is done.",
                access: .write,
                body: .json(syncWish, mayBeEmpty: true),
                answers: [.json(synced, "What became of each."), noModule] + failures
            )
        ) { .work($0.sync) },
    ]

    /// How large a change may be.
    private static let size = ByteCount.mebibytes(8)

    // MARK: What is asked

    private static let policy = Route.Input(
        .header,
        "Corewire-Offline-Policy",
        "What stored data are for; as the file says where absent.",
        .words(OfflinePolicy.allCases.map(\.rawValue))
    )
    private static let withFields = Route.Input(
        .query,
        "withFields",
        "With the fields that its instances have.",
        .boolean
    )
    private static let locale = Route.Input(.query, "locale", "The language, such as en-US.", language)
    private static let id = Route.Input(.path, "id", "The identifier the server gave it.")

    private static let paging: [Route.Input] = [
        .init(.query, "page", "From 1.", .integer(in: ContentQuery.Paging.pages)),
        .init(.query, "limit", "How many a page has.", .integer(in: ContentQuery.Paging.limits)),
        .init(.query, "skip", "Everything on one page.", .boolean),
    ]

    private static let simple: [Route.Input] =
        [
            .init(.query, "module", "Whose instances: its name in the file, or at the server."),
            .init(.query, "where", "What must be so of their fields: price > 10 and name like \"a\"."),
            .init(.query, "whereMeta", "The same of what all instances have: createdAt > \"2026-01-01\"."),
            .init(.query, "sort", "By what: name asc,createdAt desc."),
            .init(.query, "ids", "Only instances with these identifiers, separated by commas."),
            .init(.query, "fields", "Only these of their fields, separated by commas."),
            .init(.query, "include", "Fields whose references are told in full, separated by commas; 'all' for all."),
            locale,
        ] + paging

    private static let language = JSONSchema.text(pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")
    private static let names = JSONSchema.array(of: .text(from: 1, upTo: ContentQuery.Limits.nameSize))
    private static let tag = JSONSchema.object([
        .required("name", "Its name.", .text), .optional("value", "What it says.", .text.orNull),
        .optional("tagType", "The server's kind of tag.", .text.orNull), .optional("id", "The server's.", .text.orNull),
    ]).named("ContentTag")

    private static let query = JSONSchema.object([
        .optional("module", "Whose instances: its name in the file, or at the server.", .text.orNull),
        .optional("moduleName", "The same by its name at the server.", .text.orNull),
        .optional("moduleNames", "Several.", names.orNull),
        .optional("moduleIds", "The same by their identifiers.", names.orNull),
        .optional("instanceIds", "Only instances with these identifiers.", names.orNull),
        .optional(
            "relatedTo",
            "Only instances that refer to others.",
            .array(
                of: .object([
                    .required("fieldName", "In this field.", .text),
                    .required("instanceIds", "To one of these; [\"*\"] for any.", names),
                ])
            ).orNull
        ),
        .optional(
            "searchValues",
            "What must be so of their fields: a tree of {condition, operands} and tests.",
            .anything
        ),
        .optional("metaSearch", "The same of what all instances have.", .anything),
        .optional("where", "'searchValues' as text.", .text.orNull),
        .optional("whereMeta", "'metaSearch' as text.", .text.orNull),
        .optional("fields", "Only these of their fields.", names.orNull),
        .optional("segmentTags", "Only content with such tags.", .array(of: tag).orNull),
        .optional("segmentMode", "How many of the tags content must have.", .words(["partial", "total"])),
        .optional(
            "segmentWithDevice",
            "Whether the device's tags count; as the file says without it.",
            .boolean.orNull
        ),
        .optional("include", "Fields whose references are told in full; [\"all\"] for all.", names.orNull),
        .optional(
            "pagination",
            "Which page.",
            JSONSchema.object([
                .optional("page", "From 1.", .integer(in: ContentQuery.Paging.pages).orNull),
                .optional("limit", "How many a page has.", .integer(in: ContentQuery.Paging.limits).orNull),
                .optional("skip", "\"true\": everything on one page.", .anything),
            ]).orNull
        ),
        .optional("sort", "By what: name asc,createdAt desc.", .text.orNull),
        .optional("locale", "The language.", language.orNull),
    ]).named("ContentQuery")

    private static let draft = JSONSchema.object(
        [
            .optional("module", "Its name in the file, or its name or identifier at the server.", .text.orNull),
            .optional("id", "The identifier the server gave it.", .text.orNull),
            .optional("name", "Its name.", .text.orNull), .optional("values", "Its fields.", .anything),
            .optional("tags", "What is said of it.", .array(of: tag).orNull),
        ] + ContentDraft.others.map { .optional($0, "Passed on as it is.", .anything) }
    ).named("ContentDraft")

    private static let batch = JSONSchema.object([
        .optional("created", "To be made.", .array(of: draft).orNull),
        .optional("updated", "To be changed.", .array(of: draft).orNull),
        .optional("createdOrUpdated", "To be changed, or made where they are not there.", .array(of: draft).orNull),
        .optional(
            "deleted",
            "To be removed.",
            .array(of: .object([.required("id", "The identifier.", .text)])).orNull
        ),
        .optional(
            "truncated",
            "Modules of which all instances are removed.",
            .array(of: .object([.required("module", "Its name or identifier.", .text)])).orNull
        ),
    ]).named("ContentBatch")

    private static let syncWish = JSONSchema.object([
        .optional("module", "Only this one, by its name in the file.", .text.orNull)
    ])

    // MARK: What is told

    private static func page(_ help: String) -> Operation.Answer {
        .json(
            .object([
                .required(
                    "pagination",
                    "Which page it is.",
                    .object([
                        .required("page", "From 1.", .integer), .required("limit", "How many a page has.", .integer),
                        .required("offset", "How many come before.", .count()),
                        .required("totalItems", "How many there are.", .count()),
                        .required("totalPages", "How many pages there are.", .count()),
                    ])
                ), .required("items", "As the server wrote them.", .array(of: .anything)),
            ]).named("ContentPage"),
            help
        ).with("Corewire-Cache", cacheHelp).with("Corewire-Unresolved", "References that stayed references.")
    }

    private static func told(_ help: String, _ status: Status = .ok) -> Operation.Answer {
        .json(.anything, help, status: status).with("Corewire-Cache", cacheHelp)
    }

    private static let cacheHelp = "Where it came from, such as miss, or stale; age=60; because=offline."
    private static let nothing = Operation.Answer.nothing(.noContent, "It is done, and the server says nothing.")
    private static let outcomes = JSONSchema.object([
        .required("operations", "What became of each.", .array(of: BatchOutcome.schema)),
        .required("done", "How many are done.", .count()), .required("failed", "How many are not.", .count()),
        .required("conflicts", "How many of them somebody else had changed.", .count()),
    ])
    private static let states = JSONSchema.object([
        .required("modules", "In the order of the file.", .array(of: SyncState.schema))
    ])
    private static let synced = JSONSchema.object([
        .required("modules", "In the order of the file.", .array(of: SyncOutcome.schema))
    ])

    // MARK: What goes wrong

    private static let noModule = Operation.Answer.problem(.notFound, "no-such-module", "There is no such module.")
    private static let noInstance = Operation.Answer.problem(
        .notFound,
        "no-such-instance",
        "There is no such instance."
    )

    private static let searching: [Operation.Answer] = [
        .problem(.unprocessableContent, "not-answerable-offline", "What is stored cannot answer this."),
        .problem(.gatewayTimeout, "not-stored", "Only what is stored was wanted, and nothing is."),
    ]

    private static let changing: [Operation.Answer] = [
        .problem(.conflict, "content-conflict", "Somebody else has changed it.")
    ]

    private static let failures: [Operation.Answer] = [
        .problem(.badRequest, "invalid-content", "This cannot be asked for."),
        .problem(.badRequest, "malformed-field", "A field is not as expected."),
        .problem(.unauthorized, "signed-out", "Nobody is signed in."),
        .problem(.forbidden, "blocked", "The account is blocked."),
        .problem(.notFound, "no-such-content", "The server does not have it."),
        .problem(.locked, "locked", "The session is locked."),
        .problem(.badGateway, "content-refused", "The server refuses it."),
        .problem(.badGateway, "content-failed", "The server failed."),
        .problem(.badGateway, "content-malformed", "The answer of the server is not understood."),
        .problem(.badGateway, "content-too-large", "The answer of the server is larger than the file allows."),
        .problem(.badGateway, "not-sent", "The file, or the environment, does not let the request leave."),
        .problem(.unavailable, "offline", "There is no network."),
        .problem(.unavailable, "token-unavailable", "There is no token now."),
        .problem(.gatewayTimeout, "unreachable", "The server cannot be reached."),
        .problem(.insufficientStorage, "store-failed", "The store does not take it."),
    ]
}
