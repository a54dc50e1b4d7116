import WireHTTP
import WireStore

extension StateRoutes {
    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/state",
                "The namespaces, with what they hold.",
                access: .read,
                inputs: paging,
                answers: [.json(namespaces, "A page of namespaces.")] + failures
            )
        ) { group in .work { try group.namespaces($0) } },
        .init(
            .init(
                .get,
                "/v1/state/{namespace}",
                "The entries of a namespace without their values; as text/event-stream what changes in it.",
                access: .read,
                inputs: [namespace] + paging + [
                    .init(
                        .query,
                        "watch",
                        "Send what changes, as server-sent events whose ids are versions.",
                        .boolean
                    ),
                    .init(.header, "Accept", "text/event-stream is the same as 'watch'."),
                    .init(.header, "Last-Event-ID", "Go on after this version.", .text(pattern: "^[0-9]{1,18}$")),
                ],
                answers: [
                    .json(entries, "A page of entries,"), .body("text/event-stream", "or what changes."),
                ] + failures + naming
            )
        ) { .snapshot($0.listOrWatch) },
        .init(
            .init(
                .delete,
                "/v1/state/{namespace}",
                "Remove all entries of a namespace.",
                access: .write,
                inputs: [namespace],
                answers: [.json(removed, "How many there were.")] + failures + naming + changing
            )
        ) { .work($0.clear) },
        .init(
            .init(
                .get,
                "/v1/state/{namespace}/{key…}",
                "A value as it was given, with its version as ETag.",
                access: .read,
                inputs: name + [
                    .init(.header, "If-None-Match", "Answer 304 where this version is still the present one.", .tags),
                    .init(.header, "If-Match", "Only where this version is the present one.", .tags),
                ],
                answers: [
                    .body("*/*", "The value, of the media type it was given with.").with("ETag", "Its version.")
                        .with("Corewire-Expires", "When it goes."),
                    .nothing(.notModified, "The version is the present one."), noSuchEntry, unlikeExpected,
                    .problem(.internalError, "sealed", "It cannot be unsealed."),
                ] + failures + naming
            )
        ) { .snapshot($0.get) },
        .init(
            .init(
                .put,
                "/v1/state/{namespace}/{key…}",
                "Store a value of any media type; answered when it is on the disk.",
                access: .write,
                // Read here, since only here it is known which line of the file sets the limit.
                body: .streamed(types: [], upTo: nil),
                inputs: name + [
                    .init(
                        .header,
                        "If-Match",
                        "Only where one of these versions is stored; '*' where anything is.",
                        .tags
                    ),
                    .init(.header, "If-None-Match", "'*': only where nothing is stored.", .tags),
                    .init(.header, "Corewire-TTL", "How long it is kept, such as 7d.", lifetime),
                    .init(.query, "ttl", "The same; not together with the field.", lifetime),
                ],
                answers: [
                    stored(.ok, "It was there, and is changed."), stored(.created, "It is new."), unlikeExpected,
                    .problem(.contentTooLarge, "value-too-large", "The value is larger than the file allows."),
                    .problem(
                        .unsupportedMediaType,
                        "malformed-field",
                        "'Content-Type' is no media type, or the value is encoded."
                    ),
                    .problem(.unprocessableContent, "bad-lifetime", "Nothing is kept for so long here."),
                    .problem(.insufficientStorage, "full", "There is no room."),
                ] + failures + naming + changing
            )
        ) { .stream($0.put) },
        .init(
            .init(
                .delete,
                "/v1/state/{namespace}/{key…}",
                "Remove an entry.",
                access: .write,
                inputs: name + [
                    .init(.header, "If-Match", "Only where one of these versions is stored.", .tags),
                    .init(.header, "If-None-Match", "Only where none of these versions is stored.", .tags),
                ],
                answers: [.nothing(.noContent, "It is gone."), noSuchEntry, unlikeExpected]
                    + failures + naming + changing
            )
        ) { .work($0.remove) },
    ]

    // MARK: What is told

    private static let namespace = Route.Input(
        .path,
        "namespace",
        "Whose entries.",
        .text(pattern: "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")
    )

    private static let name = [
        namespace,
        Route.Input(
            .path,
            "key",
            "At most \(PersistenceRules.keySize) bytes, none of its parts '.' or '..'; slashes may be written as they are.",
            .text(pattern: #"^[^\u0000-\u001f\u007f-\u009f]+$"#, upTo: PersistenceRules.keySize)
        ),
    ]

    /// Units from the largest to the smallest, one at least.
    private static let lifetime = JSONSchema.text(
        pattern: "^" + ["d", "h", "m", "s", "ms"].map { "([0-9]{1,6}\($0))?" }.joined() + "$",
        from: 2
    )

    private static let paging: [Route.Input] = [
        .init(.query, "prefix", "Only what begins so."),
        .init(.query, "after", "Only what follows this; the 'next' of the answer before."),
        .init(.query, "limit", "How many at most.", .integer(in: StatePage.limits)),
    ]

    private static let next = JSONSchema.Member.optional("next", "Where the next page begins, as 'after'.", .text)

    private static let namespaces = JSONSchema.object([
        .required("namespaces", "By name.", .array(of: NamespaceSummary.schema)), next,
    ])

    private static let entries = JSONSchema.object([
        .required("namespace", "Whose they are.", .text),
        .required("entries", "By key.", .array(of: StoredEntry.Summary.schema)), next,
    ])

    private static let removed = JSONSchema.object([
        .required("namespace", "The one that is empty now.", .text),
        .required("removed", "How many entries there were.", .count()),
    ])

    private static func stored(_ status: Status, _ help: String) -> Operation.Answer {
        .nothing(status, help).with("ETag", "Its version.").with("Corewire-Expires", "When it goes.")
    }

    // MARK: What goes wrong

    private static let noSuchEntry = Operation.Answer.problem(.notFound, "no-such-entry", "Nothing is stored there.")

    private static let unlikeExpected = Operation.Answer.problem(
        .preconditionFailed,
        "precondition-failed",
        "It is not the version that was expected."
    )

    private static let naming: [Operation.Answer] = [
        .problem(.badRequest, "bad-name", "This cannot be a name here."),
        .problem(
            .forbidden,
            "undeclared-namespace",
            "The file leaves the namespace out, or the caller may not use it."
        ),
    ]

    private static let failures: [Operation.Answer] = [
        .problem(.badRequest, "malformed-field", "A field or the query is not as expected."),
        .problem(.internalError, "store-failed", "The store failed."),
        .problem(.unavailable, "store-unavailable", "The store cannot be used now."),
    ]

    private static let changing: [Operation.Answer] = [
        .problem(.insufficientStorage, "full", "There is no room.")
    ]
}
