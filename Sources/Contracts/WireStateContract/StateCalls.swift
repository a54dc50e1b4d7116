package import WireHTTP

/// The operations on what apps store, each declared once.
///
/// Values themselves are bytes of any media type, with conditions in header fields: those operations are routes of the
/// service, over the same names and failures.
package enum StateCalls {
    package static let namespaces = APICall<StatePage, StateNamespaces, StateFailureKind>(
        .get,
        "/v1/state",
        "The namespaces, with what they hold.",
        access: .read,
        answers: [.init(.ok, "A page of namespaces.")],
        fails: StateFailureKind.always
    )

    package static let entries = APICall<StateEntriesRequest, StateEntries, StateFailureKind>(
        .get,
        "/v1/state/{namespace}",
        "The entries of a namespace without their values; as text/event-stream what changes in it.",
        access: .read,
        answers: [.init(.ok, "A page of entries,")],
        streams: APIStream(
            "or what changes.",
            asked: "Send what changes, as server-sent events whose ids are versions."
        ),
        fails: StateFailureKind.ofNamespaces
    )

    package static let clear = APICall<StateNamespaceName, StateRemoval, StateFailureKind>(
        .delete,
        "/v1/state/{namespace}",
        "Remove all entries of a namespace.",
        access: .write,
        answers: [.init(.ok, "How many there were.")],
        fails: StateFailureKind.ofNamespaces + [.full]
    )
}
