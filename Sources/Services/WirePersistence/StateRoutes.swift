import WireHTTP
import WireStateContract

/// The local API of what apps store.
struct StateRoutes: RouteGroup {
    let service: PersistenceService

    static let table: [RouteEntry<Self>] = [
        .call(StateCalls.namespaces, by: namespaces),
        .call(StateCalls.entries, atOnce: entries, orStreaming: changes),
        .call(StateCalls.clear, by: clear),
        .init(
            .init(
                .get,
                StateEntryName.pattern,
                "A value as it was given, with its version as ETag.",
                access: .read,
                inputs: StateEntryName.form.inputs + [
                    .init(.header, "If-None-Match", "Answer 304 where this version is still the present one.", .tags),
                    .init(.header, "If-Match", "Only where this version is the present one.", .tags),
                ],
                answers: [
                    .body("*/*", "The value, of the media type it was given with.").with("ETag", "Its version.")
                        .with("Corewire-Expires", "When it goes."),
                    .nothing(.notModified, "The version is the present one."),
                ] + failures([.noSuchEntry, .conflict, .sealed])
            )
        ) { .snapshot($0.get) },
        .init(
            .init(
                .put,
                StateEntryName.pattern,
                "Store a value of any media type; answered when it is on the disk.",
                access: .write,
                // Read here, since only here it is known which line of the file sets the limit.
                body: .streamed(types: [], upTo: nil),
                inputs: StateEntryName.form.inputs + [
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
                    stored(.ok, "It was there, and is changed."), stored(.created, "It is new."),
                    .problem(
                        .unsupportedMediaType,
                        StateFailureKind.badField.rawValue,
                        "'Content-Type' is no media type, or the value is encoded."
                    ),
                ] + failures([.conflict, .tooLarge, .badLifetime, .full])
            )
        ) { .stream($0.put) },
        .init(
            .init(
                .delete,
                StateEntryName.pattern,
                "Remove an entry.",
                access: .write,
                inputs: StateEntryName.form.inputs + [
                    .init(.header, "If-Match", "Only where one of these versions is stored.", .tags),
                    .init(.header, "If-None-Match", "Only where none of these versions is stored.", .tags),
                ],
                answers: [.nothing(.noContent, "It is gone.")] + failures([.noSuchEntry, .conflict, .full])
            )
        ) { .work($0.remove) },
    ]

    /// Units from the largest to the smallest, one at least.
    private static let lifetime = JSONSchema.text(
        pattern: "^" + ["d", "h", "m", "s", "ms"].map { "([0-9]{1,6}\($0))?" }.joined() + "$",
        from: 2
    )

    private static func stored(_ status: Status, _ help: String) -> Operation.Answer {
        .nothing(status, help).with("ETag", "Its version.").with("Corewire-Expires", "When it goes.")
    }

    private static func failures(_ kinds: [StateFailureKind]) -> [Operation.Answer] {
        (kinds + StateFailureKind.ofNamespaces).map(\.described)
    }

    // MARK: Namespaces

    private func namespaces(
        _ request: APIRequest<StatePage>
    ) async throws(StateFailure) -> APIReply<StateNamespaces> {
        APIReply(try service.namespaces(request.input, among: request.rights.namespaces))
    }

    private func entries(_ request: APIRequest<StateEntriesRequest>) throws(StateFailure) -> APIReply<StateEntries> {
        APIReply(try service.list(request.input))
    }

    private func clear(_ request: APIRequest<StateNamespaceName>) async throws(StateFailure) -> APIReply<StateRemoval> {
        APIReply(StateRemoval(of: try await service.clear(request.namespace), in: request.namespace))
    }
}
