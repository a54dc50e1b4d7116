import WireBase
import WireConfig
package import WireHTTP

extension BackendCalls {
    private static let order: JSONSchema = .object([
        .required(
            "via",
            "Which server sends it: the one that stands for a registrar, by its name in the file; or one of "
                + BackendPushServer.Name.allCases.map(\.rawValue).listed("and") + ".",
            .text(from: 1, upTo: 64)
        ),
        .optional("title", "The title.", .text.orNull), .optional("body", "The text.", .text.orNull),
        .optional("alert", "The text, by its other name.", .text.orNull),
        .optional(
            "categories",
            "Only devices in one of these; with 'halo' tags, all of them.",
            .array(of: .text).orNull
        ),
        .optional(
            "aliases",
            "Only these: aliases, ids of profiles (altcraft) or of devices (health).",
            .array(of: .text).orNull
        ),
        .optional("variant", "Only devices of this variant, with 'ups'.", .text.orNull),
        .optional("data", "Whatever else it carries.", .anything),
        .optional("silent", "Whether nobody is to see it.", .boolean.orNull),
        .optional("sound", "The sound.", .text.orNull),
        .optional("badge", "The number on the app's icon.", .integer(in: 0...Int(Int32.max)).orNull),
        .optional("ttl", "How many seconds it is worth carrying.", .integer(in: 0...Int(Int32.max)).orNull),
        .optional(
            "buttons",
            "Three at most.",
            .array(
                of: .object([
                    .required("label", "What is on it.", .text), .optional("link", "Where it leads.", .text.orNull),
                ])
            ).orNull
        ),
        .optional("image", "The address of a picture.", .text.orNull),
        .optional("link", "Where a tap leads.", .text.orNull),
        .optional("twoFactorCode", "The code of a sign-in in two steps.", .text.orNull),
    ])

    /// Sends a push through a server built in; a plain operation, since what may be said depends on the registrars of the file.
    package static let sendPush = Operation(
        .post,
        "/v1/backends/push",
        "Send a push through one of the servers built in, as whoever has its credentials would.",
        access: .admin,
        body: .json(order),
        answers: [
            .json(
                .object([
                    .required("via", "The registrar or the server, as it was asked for.", .text),
                    .required("id", "What it calls the push.", .text),
                    .required("devices", "How many devices it goes to.", .count()),
                ]),
                "It is on its way.",
                status: .accepted
            ), BackendFailureKind.notEmbedded.described,
            .problem(.conflict, "no-registrar", "No registrar of a Health Cloud is known."),
            .problem(.badGateway, "refused", "The server has refused it."),
        ]
    )
}
