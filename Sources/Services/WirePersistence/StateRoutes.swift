import WireHTTP
import WireStateContract

/// The local API of the app's store.
struct StateRoutes: RouteGroup {
    let service: PersistenceService

    static let table: [RouteEntry<Self>] = [
        .call(StateCalls.namespaces, by: namespaces),
        .call(StateCalls.entries, by: entries, orStreaming: changes).inline,
        .call(StateCalls.clear, by: clear),
        .init(
            .init(
                .get,
                StateEntryName.pattern,
                "A value as it was stored, with its version as ETag.",
                access: .read,
                inputs: StateEntryName.form.inputs + [
                    .init(.header, "If-None-Match", "Respond with 304 if this is the present version.", .tags),
                    .init(.header, "If-Match", "Only if this is the present version.", .tags),
                ],
                answers: [
                    .body("*/*", "The value, with its media type.").with("ETag", "Its version.")
                        .with("Corewire-Expires", "The time of expiry."),
                    .nothing(.notModified, "The version is the present one."),
                ] + failures([.noSuchEntry, .conflict, .sealed])
            )
        ) { .snapshotOrWork($0.get) }.inline,
        .init(
            .init(
                .put,
                StateEntryName.pattern,
                "Store a value of any media type; the response is sent when it is on the disk.",
                access: .write,
                // Read here, since the limit depends on the namespace.
                body: .streamed(types: [], upTo: nil),
                inputs: StateEntryName.form.inputs + [
                    .init(
                        .header,
                        "If-Match",
                        "Only if one of these versions is stored; '*' for any version.",
                        .tags
                    ),
                    .init(.header, "If-None-Match", "'*': only if nothing is stored.", .tags),
                    .init(.header, "Corewire-TTL", "The lifetime, such as 7d.", lifetime),
                    .init(.query, "ttl", "The lifetime; not together with the field.", lifetime),
                ],
                answers: [
                    stored(.ok, "The entry existed and was changed."), stored(.created, "The entry is new."),
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
                    .init(.header, "If-Match", "Only if one of these versions is stored.", .tags),
                    .init(.header, "If-None-Match", "Only if none of these versions is stored.", .tags),
                ],
                answers: [.nothing(.noContent, "The entry was removed.")] + failures([.noSuchEntry, .conflict, .full])
            )
        ) { .work($0.remove) },
    ]

    /// Units from the largest to the smallest, at least one.
    private static let lifetime = JSONSchema.text(
        pattern: "^" + ["d", "h", "m", "s", "ms"].map { "([0-9]{1,6}\($0))?" }.joined() + "$",
        from: 2
    )

    private static func stored(_ status: Status, _ help: String) -> Operation.Answer {
        .nothing(status, help).with("ETag", "Its version.").with("Corewire-Expires", "The time of expiry.")
    }

    private static func failures(_ kinds: [StateFailureKind]) -> [Operation.Answer] {
        (kinds + StateFailureKind.ofNamespaces).map(\.described)
    }

    // MARK: Namespaces

    private func namespaces(
        _ request: APIRequest<StatePage>
    ) async throws(StateFailure) -> APIReply<StateNamespaces> {
        APIReply(try await service.namespaces(request.input, among: request.rights.namespaces))
    }

    private func entries(
        _ request: APIRequest<StateEntriesRequest>
    ) async throws(StateFailure) -> APIReply<StateEntries> {
        APIReply(try await service.list(request.input))
    }

    private func clear(_ request: APIRequest<StateNamespaceName>) async throws(StateFailure) -> APIReply<StateRemoval> {
        APIReply(StateRemoval(of: try await service.clear(request.namespace), in: request.namespace))
    }
}
