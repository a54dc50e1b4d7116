import WireBase
package import WireHTTP

/// The operations on add-ons.
package enum AddonCalls {
    package static let list = APICall<NoInput, AddonList, AddonFailureKind>(
        .get,
        "/v1/addons",
        "List add-ons in the order in which they are called.",
        access: .read,
        answers: [.init(.ok, "The add-ons.")],
        fails: []
    )

    package static let show = APICall<AddonName, AddonReport, AddonFailureKind>(
        .get,
        "/v1/addons/{name}",
        "Return the state of an add-on.",
        access: .read,
        answers: [.init(.ok, "The add-on.")],
        fails: [.unknown]
    )

    /// The log of an add-on, as a page or as a stream; not an `APICall`, since the response has two forms.
    package static let log = Operation(
        .get,
        "/v1/addons/{name}/log",
        "Return the last log lines of an add-on; as text/event-stream also new ones.",
        access: .read,
        inputs: [
            .init(.path, "name", "The name of the add-on.", .text(upTo: 64)),
            .init(.query, "watch", "Stream the stored and the new lines as server-sent events.", .boolean),
            .init(.header, "Accept", "text/event-stream has the same effect as 'watch'."),
            .init(.header, "Last-Event-ID", "The id of the last line received."),
        ],
        answers: [
            .json(AddonLines.schema, "The lines, the latest last,"), .body("text/event-stream", "or a stream."),
            AddonFailureKind.unknown.described,
        ]
    )

    package static let restart = APICall<AddonName, AddonReport, AddonFailureKind>(
        .post,
        "/v1/addons/{name}/restart",
        "Restart an add-on, even one that has stopped for good.",
        access: .write,
        answers: [.init(.accepted, "It is being restarted.")],
        fails: [.unknown, .notAProgram]
    )

    package static let open = APICall<AddonLink, AddonLinkAnswer, AddonFailureKind>(
        .post,
        "/v1/links",
        "Open a link with the add-ons that handle it (hook 'deepLinks').",
        access: .write,
        upTo: .kibibytes(16),
        answers: [.init(.ok, "Whether an add-on has opened the link.")],
        fails: []
    )
}

/// Why an operation on add-ons failed.
package enum AddonFailureKind: String, FailureKind {
    case unknown = "no-such-addon"
    /// The add-on is code of the embedding program.
    case notAProgram = "not-a-program"

    package var facts: FailureFacts {
        switch self {
        case .unknown: FailureFacts(.notFound, "unknown add-on", "The name is unknown.")
        case .notAProgram:
            FailureFacts(
                .conflict,
                "the add-on is code of the embedding program",
                "The add-on is code of the embedding program."
            )
        }
    }
}

package typealias AddonFailure = APIFailure<AddonFailureKind>
