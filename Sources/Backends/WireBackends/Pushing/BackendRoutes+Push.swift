import WireBase
import WireConfig
import WireHTTP

/// The push servers, by the local API.
extension BackendRoutes {
    static let pushOperations = [lookAtPush, sendPush]

    var pushRoutes: [Route] {
        [
            Route(
                Self.lookAtPush,
                .work { _ in
                    let present = try known()
                    let address = present.addresses.first { $0.name == "push" }?.address ?? present.base
                    return .json(try PushOverview(servers: present.push, address: address, base: present.base).json)
                }
            ),
            Route(
                Self.sendPush,
                .work { request in
                    let push = try known().push
                    let named = push.desk.admitted.named
                    let order = try request.json { members throws(Problem) in try PushOrder(&members, among: named) }
                    let sent = try await PushOffice(servers: push).send(order)
                    let json = JSONValue.members([
                        "via": .string(order.name), "id": .string(sent.id), "devices": .integer(sent.devices),
                    ])
                    return .json(json, status: .accepted)
                }
            ),
        ]
    }

    // MARK: Described

    private static let overview: JSONSchema = .object([
        .required(
            "servers",
            "The servers.",
            .array(
                of: .object([
                    .required("name", "Which one it is.", .words(PushOrder.Server.allCases.map(\.rawValue))),
                    .required("addresses", "Where it is.", .array(of: .text)),
                    .required("registrations", "How many devices, or people, it knows.", .count()),
                    .required("messages", "How many messages were sent, of those that are remembered.", .count()),
                    .optional("opened", "How often one of them was opened.", .count()),
                    .optional("delivered", "How often one of them has arrived.", .count()),
                    .optional("dismissed", "How often one of them was put away.", .count()),
                ])
            )
        ),
        .required("applicationId", "What whoever sends shows, with the master secret.", .text),
        .required("delivers", "Whether what is sent comes to this device.", .boolean),
        .required("waiting", "How many pushes nobody has taken yet.", .count()),
        .required("keep", "How many may wait.", .count()),
        .required("carried", "How many pushes there were.", .count()),
        .required("taken", "How many of them were taken.", .count()),
        .required("givenUp", "How many of them were given up for want of room.", .count()),
    ])

    private static let order: JSONSchema = .object([
        .required(
            "via",
            "Which server sends it: the one that stands for a registrar, by its name in the file; or one of "
                + PushOrder.Server.allCases.map(\.rawValue).listed("and") + ".",
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

    private static let lookAtPush = Operation(
        .get,
        "/v1/backends/push",
        "Tell who has registered at the push servers built in, what was sent and what waits.",
        access: .read,
        answers: [.json(overview, "The push servers."), refusal]
    )

    private static let sendPush = Operation(
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
            ), refusal, .problem(.conflict, "no-registrar", "No registrar of a Health Cloud is known."),
            .problem(.badGateway, "refused", "The server has refused it."),
        ]
    )
}
