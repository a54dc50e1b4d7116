import WireBase
package import WireHTTP

/// The operations on add-ons, each declared once.
package enum AddonCalls {
    package static let list = APICall<NoInput, AddonList, AddonFailureKind>(
        .get,
        "/v1/addons",
        "The add-ons, in the order in which they are asked.",
        access: .read,
        answers: [.init(.ok, "The add-ons.")],
        fails: []
    )

    package static let show = APICall<AddonName, AddonReport, AddonFailureKind>(
        .get,
        "/v1/addons/{name}",
        "How an add-on is.",
        access: .read,
        answers: [.init(.ok, "The add-on.")],
        fails: [.unknown]
    )

    /// The lines of the log, whole or as a stream: no call, since the answer has two forms.
    package static let log = Operation(
        .get,
        "/v1/addons/{name}/log",
        "The last lines that have to do with an add-on; as text/event-stream those that come as well.",
        access: .read,
        inputs: [
            .init(.path, "name", "The name of the add-on.", .text(upTo: 64)),
            .init(.query, "watch", "Send the lines, and those that come, as server-sent events.", .boolean),
            .init(.header, "Accept", "text/event-stream is the same as 'watch'."),
            .init(.header, "Last-Event-ID", "The id of the line that was read last."),
        ],
        answers: [
            .json(AddonLines.schema, "The lines, the latest last,"), .body("text/event-stream", "or as they come."),
            AddonFailureKind.unknown.described,
        ]
    )

    package static let restart = APICall<AddonName, AddonReport, AddonFailureKind>(
        .post,
        "/v1/addons/{name}/restart",
        "End an add-on and start it again, also one that stays ended.",
        access: .write,
        answers: [.init(.accepted, "It is being restarted.")],
        fails: [.unknown, .notAProgram]
    )

    package static let open = APICall<AddonLink, AddonLinkAnswer, AddonFailureKind>(
        .post,
        "/v1/links",
        "Have a link opened by whichever add-ons open it (the hook 'deepLinks').",
        access: .write,
        upTo: .kibibytes(16),
        answers: [.init(.ok, "Whether anybody opens it.")],
        fails: []
    )
}

/// Why an operation on an add-on fails.
package enum AddonFailureKind: String, FailureKind {
    case unknown = "no-such-addon"
    /// The add-on is code of the program around the runner.
    case notAProgram = "not-a-program"

    package var facts: FailureFacts {
        switch self {
        case .unknown: FailureFacts(.notFound, "there is no such add-on", "There is no such add-on.")
        case .notAProgram:
            FailureFacts(
                .conflict,
                "the add-on is code of the program around the runner",
                "It is code of the program around the runner."
            )
        }
    }
}

package typealias AddonFailure = APIFailure<AddonFailureKind>
