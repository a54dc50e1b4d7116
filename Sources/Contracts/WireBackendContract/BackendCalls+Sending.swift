import WireBase
import WireConfig
package import WireHTTP

extension BackendCalls {
    private static let order: JSONSchema = .object([
        .required(
            "via",
            "The sending server: the one that replaces a registrar, by its name in the file; or one of "
                + BackendPushServer.Name.allCases.map(\.rawValue).listed("and") + ".",
            .text(from: 1, upTo: 64)
        ),
        .optional("title", "The title.", .text.orNull), .optional("body", "The text.", .text.orNull),
        .optional("alert", "Another name of 'body'.", .text.orNull),
        .optional(
            "categories",
            "Only devices in one of these categories; for 'halo', with all of these tags.",
            .array(of: .text).orNull
        ),
        .optional(
            "aliases",
            "Only these recipients: aliases, ids of profiles (altcraft) or of devices (health).",
            .array(of: .text).orNull
        ),
        .optional("variant", "Only devices of this variant, with 'ups'.", .text.orNull),
        .optional("data", "Further data.", .anything),
        .optional("silent", "Whether the push is silent.", .boolean.orNull),
        .optional("sound", "The sound.", .text.orNull),
        .optional("badge", "The number on the app's icon.", .integer(in: 0...Int(Int32.max)).orNull),
        .optional("ttl", "The time to live in seconds.", .integer(in: 0...Int(Int32.max)).orNull),
        .optional(
            "buttons",
            "Up to three buttons.",
            .array(
                of: .object([
                    .required("label", "The label.", .text), .optional("link", "The link.", .text.orNull),
                ])
            ).orNull
        ),
        .optional("image", "The address of a picture.", .text.orNull),
        .optional("link", "The link to open on a tap.", .text.orNull),
        .optional("twoFactorCode", "A two-factor code.", .text.orNull),
    ])

    /// Sends a push through an embedded server; not an `APICall`, since its input depends on the registrars of the
    /// file.
    package static let sendPush = Operation(
        .post,
        "/v1/backends/push",
        "Send a push through an embedded push server.",
        access: .admin,
        body: .json(order),
        answers: [
            .json(
                .object([
                    .required("via", "The registrar or server of the request.", .text),
                    .required("id", "The id of the push at the server.", .text),
                    .required("devices", "The number of target devices.", .count()),
                ]),
                "The push is being delivered.",
                status: .accepted
            ), BackendFailureKind.notEmbedded.described,
            .problem(.conflict, "no-registrar", "No registrar of a Health Cloud is known."),
            .problem(.badGateway, "refused", "The server has rejected the push."),
        ]
    )
}
