package import WireHTTP

/// The operations on the state of apps.
///
/// Values are bytes of any media type with conditional header fields: these operations are separate routes of the
/// service, with the same names and failures.
package enum StateCalls {
    package static let namespaces = APICall<StatePage, StateNamespaces, StateFailureKind>(
        .get,
        "/v1/state",
        "List namespaces with their sizes.",
        access: .read,
        answers: [.init(.ok, "A page of namespaces.")],
        fails: StateFailureKind.always
    )

    package static let entries = APICall<StateEntriesRequest, StateEntries, StateFailureKind>(
        .get,
        "/v1/state/{namespace}",
        "List the entries of a namespace without values; as text/event-stream its changes.",
        access: .read,
        answers: [.init(.ok, "A page of entries,")],
        streams: APIStream(
            "or its changes.",
            asked: "Stream changes as server-sent events whose ids are versions."
        ),
        fails: StateFailureKind.ofNamespaces
    )

    package static let clear = APICall<StateNamespaceName, StateRemoval, StateFailureKind>(
        .delete,
        "/v1/state/{namespace}",
        "Remove all entries of a namespace.",
        access: .write,
        answers: [.init(.ok, "The number of removed entries.")],
        fails: StateFailureKind.ofNamespaces + [.full]
    )
}
